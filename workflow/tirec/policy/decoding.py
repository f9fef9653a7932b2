"""Feeding a causal language model blocks of tokens over a key-value cache.

A batch shares cache columns. A row that has nothing to say in a column leaves a hole there: the hole is masked for good
and takes no position, so a row's numbers do not depend on what its neighbours do.
"""

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel


class Decoder:
    """Any Hugging Face causal language model and the cache of one batch."""

    def __init__(self, model: PreTrainedModel) -> None:
        self._model = model
        self._cache = DynamicCache(config=model.config)
        self._seen: Tensor | None = None  # (B, T): columns that hold a token

    @torch.no_grad()
    def feed(self, blocks: list[list[int]]) -> Tensor:
        """Logits (B, V), float32, after the last token of each row's block; rows with an empty block get noise."""
        ids, valid = self._padded(blocks)
        before = self._seen if self._seen is not None else valid[:, :0]
        self._seen = torch.cat([before, valid], 1)
        columns, column_of_row = _last_column(valid).unique(return_inverse=True)
        logits = self._model(
            input_ids=ids,
            attention_mask=self._seen.long(),
            position_ids=(before.sum(1, keepdim=True) + valid.cumsum(1) - 1).clamp(min=0),
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=columns,
        ).logits
        return logits[torch.arange(len(blocks), device=ids.device), column_of_row].float()

    def keep(self, rows: Tensor) -> None:
        """Makes `rows` the batch: some left out, some repeated."""
        if self._seen is None:
            raise RuntimeError("nothing was fed yet")
        self._cache.batch_select_indices(rows)
        self._seen = self._seen[rows]

    def _padded(self, blocks: list[list[int]]) -> tuple[Tensor, Tensor]:
        width = max(map(len, blocks))
        ids = torch.tensor([block + [0] * (width - len(block)) for block in blocks])
        lengths = torch.tensor([len(block) for block in blocks])
        valid = torch.arange(width) < lengths[:, None]
        return ids.to(self._model.device), valid.to(self._model.device)


def _last_column(valid: Tensor) -> Tensor:
    return (valid.sum(1) - 1).clamp(min=0)
