"""What several tests share; its place also puts this folder on the import path."""

import pytest


@pytest.fixture(scope="session")
def qwen3():
    """Qwen3's real tokenizer and chat template, rebuilt from packages (seconds, once)."""
    from qwen3 import qwen3_tokenizer

    return qwen3_tokenizer()
