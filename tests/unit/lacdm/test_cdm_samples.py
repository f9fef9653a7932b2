"""What is learned from: the confidence's position, the weights of objectives, the hypothesis that is fixed."""

import cdm_policy as tiny
import pytest

from tirec.agent.episode import Stop
from tirec.config.lacdm_training import compose_cdm
from tirec.lacdm.dialogue import Stated
from tirec.lacdm.lessons import CdmPractice, cases_at
from tirec.lacdm.samples import Asked, target_sample, weighted
from tirec.lacdm.spoken import Hypothesis
from tirec.training.sample import Sample

SMALL = {
    "patients_per_step": 2,
    "group_size": 3,
    "loss_tokens": None,
    "phases": {"decision": 1, "hypothesis": 1, "confidence": 1},
    "local": {"device": "cpu", "dtype": "float32", "gradient_checkpointing": False},
}


def test_the_confidence_position_teaches_nothing_wherever_the_digit_stands():
    protocol = tiny.protocol()
    sample = target_sample(protocol, [1, 2], tiny.case(), group=0, placeholder=0)
    zero = protocol.encode("0")[0]
    assert [own for one, own in zip(sample.ids, sample.mask, strict=True) if one == zero] == [0]
    learned = tiny.tokenizer().decode([one for one, own in zip(sample.ids, sample.mask, strict=True) if own])
    assert learned == "Hypothesis: appendicitis\nConfidence: <|im_end|>"
    assert sample.mask[:2] == [0, 0]
    assert sample.loss == "cross_entropy"


def test_a_number_elsewhere_is_learned():
    ids, mask = tiny.protocol().target("cholecystitis", 10)
    number = tiny.protocol().encode("10")
    place = mask.index(0)
    assert ids[place : place + len(number)] == number
    assert sum(1 for own in mask if not own) == len(number)


def one(loss, written):
    return Sample([1] * written, [1] * written, [0.0] * written, 0, 0, loss=loss)


def test_each_objective_is_its_own_mean():
    policy, taught = [one("policy", 10), one("policy", 30)], [one("cross_entropy", 5)]
    found = weighted([policy, taught], loss_tokens=None)
    # the update divides by all 45 tokens: weight / 45 must be 1 / 40 and 1 / 5
    assert [sample.weight / 45 for sample in found] == pytest.approx([1 / 40, 1 / 40, 1 / 5])
    published = weighted([policy, taught], loss_tokens=4096)
    assert [sample.weight / 45 for sample in published] == pytest.approx([1 / 8192, 1 / 8192, 1 / 5])


def test_only_the_number_is_sampled_after_a_fixed_hypothesis():
    protocol = tiny.protocol()
    stated = Stated(Hypothesis("appendicitis", 3), (5, 6), 0)
    prompt = [*stated.prompt, *protocol.confidence_prefix("appendicitis")]
    asked = Asked(tiny.case(), prompt, stated)
    ids = [*protocol.encode("8"), *protocol.encode(protocol.end_of_turn)]
    asked.utterance(10).accept(ids, [-1.0] * len(ids), Stop.END)
    sample = asked.sample(group=4, advantage=0.5)
    assert sample.ids == [*prompt, *ids]
    assert sample.mask == [0] * len(prompt) + [1] * len(ids)
    assert sample.advantage == 0.5


def practice(tmp_path, ablation="full", **changes):
    settings = compose_cdm(ablation, {**SMALL, **changes})
    cases = tiny.write_cases(tmp_path / "train.arrow", "train", 12)
    return CdmPractice(tiny.clinic(settings.cast), cases, list(cases)[:4], settings, {}, seed=0), settings


def test_only_the_active_objective_is_computed(tmp_path):
    made, _ = practice(tmp_path)
    kinds = [{sample.loss for sample in made.lesson(step).samples} for step in (1, 2)]
    assert kinds == [{"policy"}, {"cross_entropy"}]
    assert "confidence_reward" not in made.lesson(1).logged
    assert "reward" not in made.lesson(2).logged


def test_rollouts_of_a_patient_are_one_group_whose_advantages_cancel(tmp_path):
    made, settings = practice(tmp_path)
    samples = made.lesson(1).samples
    for group in {sample.group for sample in samples}:
        members = [sample for sample in samples if sample.group == group]
        assert len({sample.case for sample in members}) == 1
        assert len(members) <= settings.group_size
        if len(members) == settings.group_size:
            assert sum(sample.advantage for sample in members) == pytest.approx(0, abs=1e-9)


def test_a_lesson_is_the_same_twice(tmp_path):
    made, _ = practice(tmp_path)
    assert made.lesson(1) == made.lesson(1)
    assert made.lesson(1).samples != made.lesson(4).samples


def test_distinct_prompts_of_the_hypothesis_agent_all_train(tmp_path):
    made, _ = practice(tmp_path)
    samples = made.lesson(2).samples
    prompts = [tuple(sample.ids[: sample.mask.index(1)]) for sample in samples]
    assert len(prompts) == len(set(prompts))


def test_every_patient_comes_once_before_any_comes_twice():
    ids = list(range(10, 17))
    seen = [case for step in range(1, 8) for case in cases_at(step, ids, 2, seed=3)]
    assert sorted(seen[:7]) == ids
    assert sorted(seen[7:]) == ids
    assert seen[:7] != seen[7:]
    assert cases_at(5, ids, 2, seed=3) == cases_at(5, ids, 2, seed=3)


def test_a_dialogue_is_not_touched_by_its_neighbours():
    """Greedy dialogues are the same alone and in a batch."""
    clinic = tiny.clinic()
    cases = [tiny.case(number, condition) for number, condition in enumerate(tiny.FINDING)]
    together = list(clinic.consulted(cases, 4, 0.0, seed=0))
    alone = [next(clinic.consulted([case], 1, 0.0, seed=0)) for case in cases]
    assert [one.ids for one in together] == [one.ids for one in alone]


def test_sampled_log_probabilities_are_those_of_the_update():
    """Token in, token out: what the sampler said of each written token is what a forward pass over the sample says."""
    import torch

    from tirec.lacdm.samples import decision_sample
    from tirec.policy.likelihood import written

    clinic = tiny.clinic("decision")
    dialogues = [clinic.dialogue(tiny.case(number)) for number in range(3)]
    clinic.consult(dialogues, 1.0, seed=1)
    samples = [decision_sample(one, 0, 0.0) for one in dialogues]
    with torch.no_grad():
        found = written(clinic.model, [one.ids for one in samples], [one.mask for one in samples]).logprobs
    said = [p for one in samples for p, own in zip(one.logprobs, one.mask, strict=True) if own]
    assert found.tolist() == pytest.approx(said, abs=1e-4)
