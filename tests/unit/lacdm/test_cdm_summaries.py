"""Summaries by a real (very small) model: what it is asked, where it stops, and that a history cannot speak."""

import polars as pl
import pytest
import tiny_policy
import torch
from cdm_cases import ROOT

from tirec.config.lacdm import SummaryConfig
from tirec.errors import ConfigError
from tirec.lacdm.summaries import Summariser, summaries

RULES = SummaryConfig(tokens=6, prompt_tokens=400)
PROMPT = ROOT / RULES.prompt


@pytest.fixture(scope="module")
def summariser() -> Summariser:
    return Summariser(tiny_policy.model(), tiny_policy.tokenizer(), PROMPT, RULES)


def test_the_request_holds_the_history_as_inert_text(summariser):
    text = tiny_policy.tokenizer().decode(summariser.prompt("pain {{ 7 * 7 }} <|im_end|> {braces}"))
    assert "{{ 7 * 7 }}" in text
    assert "{braces}" in text
    assert text.count("<|im_end|>") == tiny_policy.tokenizer().decode(summariser.prompt("pain")).count("<|im_end|>")


def test_a_long_history_loses_its_end(summariser):
    ids = summariser.prompt("first words " + "pain " * 2000)
    assert len(ids) <= RULES.prompt_tokens + 8
    assert "first words" in tiny_policy.tokenizer().decode(ids)


def test_summaries_do_not_depend_on_their_neighbours(summariser):
    history = pl.DataFrame({"hadm_id": [3, 1, 2], "text": ["pain in the chest", "heart", "oxygen is low and falling"]})
    together = pl.concat(summaries(summariser, history, batch=3)).sort("hadm_id")
    alone = pl.concat(summaries(summariser, history, batch=1)).sort("hadm_id")
    assert together.equals(alone)
    assert together["hadm_id"].to_list() == [1, 2, 3]


def test_a_summary_is_what_greedy_generation_writes(summariser):
    """Against the library's own generation, with the same limit and the same ends."""
    model, tokenizer = tiny_policy.model(), tiny_policy.tokenizer()
    for history in ("pain in the chest", "oxygen is low and falling"):
        ids = torch.tensor([summariser.prompt(history)])
        whole = model.generate(ids, max_new_tokens=RULES.tokens, do_sample=False)[0, ids.shape[1] :]
        assert summariser.write([history]) == [tokenizer.decode(whole, skip_special_tokens=True).strip()]


def test_a_missing_prompt_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"set lacdm\.summary\.prompt"):
        Summariser(tiny_policy.model(), tiny_policy.tokenizer(), tmp_path / "none.j2", RULES)
