"""Which engine reads a policy that predicts."""

import sys

import pytest

from tirec.config.agent import ProtocolConfig
from tirec.config.evaluation import PredictionConfig
from tirec.errors import ConfigError
from tirec.evaluation import predict


def test_an_engine_that_is_not_installed_is_one_line_that_names_the_key(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)  # as if the package were not there
    config = PredictionConfig(engine="vllm")
    with (
        pytest.raises(ConfigError, match=r"evaluation\.engine: vllm: .*; name its interpreter as environments\.grpo"),
        predict._opened(tmp_path / "policy.json", ProtocolConfig(), config),
    ):
        pass
