"""The base of LA-CDM: a tiny model made and warm-started here, or a local model that is only described."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from tirec.config.data import DataClass
from tirec.config.lacdm import CONDITIONS
from tirec.config.lacdm_base import CdmBaseConfig
from tirec.config.lacdm_consult import ConsultConfig
from tirec.errors import DataError
from tirec.lacdm.cases import CdmCases
from tirec.lacdm.demonstrations import CdmDemonstrator, thought
from tirec.lacdm.menu import Menu, read_menu
from tirec.lacdm.protocol import CdmProtocol
from tirec.lacdm.reading import CUES, WORDS
from tirec.lacdm.spoken import Action, decision_text, hypothesis_text
from tirec.policy.base import new_model
from tirec.policy.folders import replace_folder
from tirec.policy.hf import save_model
from tirec.policy.policy_file import PolicyFile, folder_id
from tirec.policy.tokenizer import each_way, template_texts, with_frames
from tirec.policy.warm_start import teach

_NAME, _RECORD = "⟦name⟧", "⟦record⟧"


def cdm_protocol(tokenizer: PreTrainedTokenizerFast, rules: ConsultConfig, menu: Menu) -> CdmProtocol:
    """The protocol of both agents in one tokenizer's tokens."""
    return CdmProtocol(tokenizer, rules.agents.prompts_folder(), menu.names)


def build_tiny(
    config: CdmBaseConfig, cases: CdmCases, rules: ConsultConfig, data_class: DataClass, output_dir: Path
) -> None:
    """Makes and warm-starts a tiny base on the texts of `cases`; writes policy.json and model/."""
    torch.set_num_threads(config.threads)
    menu = read_menu(rules.menu_file(), rules.switches)
    tokenizer = cdm_tokenizer(rules.agents.prompts_folder(), menu, config.tiny.vocabulary)
    protocol = cdm_protocol(tokenizer, rules, menu)
    model = new_model(tokenizer, config.tiny, config.seed)
    random = np.random.default_rng(config.seed)
    demonstrator = CdmDemonstrator(protocol, menu, rules, config.warm_start, random)
    batches = demonstrator.batches(cases, config.warm_start.batch)
    teach(model, batches, config.warm_start, tokenizer.get_vocab())
    replace_folder(output_dir / "model", lambda folder: save_model(model, tokenizer, folder))
    _describe(output_dir / "model", "model", protocol, rules, data_class, output_dir)


def describe_local(config: CdmBaseConfig, rules: ConsultConfig, output_dir: Path) -> None:
    """Writes policy.json of a local model folder, with its checksum; raises DataError where there is none."""
    folder = Path(config.base).resolve()
    if not (folder / "config.json").is_file():
        raise DataError(f"{config.base}: no model here (lacdm.model.base)")
    menu = read_menu(rules.menu_file(), rules.switches)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    protocol = cdm_protocol(tokenizer, rules, menu)
    _describe(folder, str(folder), protocol, rules, "open", output_dir)


def _describe(
    folder: Path, weights: str, protocol: CdmProtocol, rules: ConsultConfig, data_class: DataClass, output_dir: Path
) -> None:
    base_id = folder_id(folder)
    described = PolicyFile(
        kind="hf",
        weights=weights,
        tokenizer=weights,
        template_hash=protocol.identity,
        calls=rules.limits.turns,
        base_id=base_id,
        data_class=data_class,
        selected_step=0,
        fingerprint=base_id,
    )
    described.write(output_dir / "policy.json")


def cdm_tokenizer(prompts: Path, menu: Menu, vocabulary: int) -> PreTrainedTokenizerFast:
    """The demo's tokenizer for both agents: prompts, scaffolds, conditions and test names are one token each."""
    cues = [word for words in CUES.values() for word in words]
    corpus = [*template_texts(prompts), *each_way([*WORDS, *cues, *menu.names, *CONDITIONS])]
    whole = sorted({*menu.names, *CONDITIONS})
    draft = with_frames(corpus, vocabulary, whole, ())
    return with_frames(corpus, vocabulary, whole, _frames(CdmProtocol(draft, prompts, menu.names)))


def _frames(protocol: CdmProtocol) -> list[str]:
    """The texts that the protocol always writes in one piece."""
    words = protocol.words
    spoken = [
        decision_text(thought(_NAME, enough=False), Action.TEST, _NAME),
        decision_text(thought(_NAME, enough=True), Action.DIAGNOSIS, _NAME),
        hypothesis_text(_NAME, _NAME),
        f"{words.reply(_RECORD, f'Hypothesis: {_NAME} (confidence {_NAME})', opened=True)}",
        *(protocol.render(text) for text in (words.hypothesis(_RECORD, []), words.decision(_RECORD, None))),
    ]
    pieces = {piece for text in spoken for part in text.split(_NAME) for piece in part.split(_RECORD)}
    return sorted(piece for piece in pieces if len(piece) > 1)
