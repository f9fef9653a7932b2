"""The demo's tokenizer: lossless, learned without observations, and short on what the protocol repeats."""

import pytest
import tiny_policy as tiny
from agent_cases import toy_case

from tirec.config.cohort import TASKS
from tirec.policy.reading import call_turn


def test_text_survives():
    for text in ("HIGH, rising: 121 /min", "µmol/L ≥ 3 — é\n\n  x", call_turn("disposition", "0.42", "labs")):
        assert tiny.protocol().decode(tiny.protocol().encode(text)) == text


@pytest.mark.parametrize("task", TASKS)
def test_a_call_costs_six_tokens_and_digits_are_single(task: str) -> None:
    encode = tiny.protocol().encode
    assert len(encode(call_turn(task, "0.42", "oxygen_saturation"))) == 6
    assert len(encode("121")) == 3


def test_levels_and_names_are_one_token_each_but_not_inside_words():
    encode = tiny.protocol().encode
    assert len(encode("NO ACUTE FINDING")) == 1
    assert len(encode("HIGH")) == 1
    assert len(encode("HIGHWAY")) > 1


def test_the_template_names_the_functions_and_keeps_the_tags():
    text = tiny.protocol().decode(tiny.protocol().evaluation_prompt_ids(toy_case()))
    assert "blood_pressure oxygen_saturation" in text
    assert text.endswith("<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_a_restricted_menu_has_a_frame_of_its_own():
    from tirec.agent.prompt import protocol_of
    from tirec.evidence.menu import MENU, REWARDABLE, schemas
    from tirec.policy.tokenizer import demo_tokenizer

    folder = tiny.RULES.prompts_folder()
    made = demo_tokenizer(folder, schemas(MENU), tiny.SHAPE.vocabulary, (REWARDABLE,))
    whole, few = (
        len(protocol_of(made, tiny.RULES, menu).evaluation_prompt_ids(toy_case())) for menu in (MENU, REWARDABLE)
    )
    assert whole == few


def test_it_is_the_same_every_time():
    from tirec.evidence.menu import MENU, schemas
    from tirec.policy.tokenizer import demo_tokenizer

    again = demo_tokenizer(tiny.RULES.prompts_folder(), schemas(tuple(MENU)), tiny.SHAPE.vocabulary)
    assert again.get_vocab() == tiny.tokenizer().get_vocab()
