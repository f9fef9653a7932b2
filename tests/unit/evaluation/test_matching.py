"""Agreement of called functions with the reference sets, from saved trajectories."""

from agent_cases import asks, played, toy_case

from tirec.agent.parse import answer_text
from tirec.agent.trajectories import Trajectory
from tirec.evaluation.matching import match_scores

REFERENCES = {"disposition": ("labs", "orders"), "revisit": ()}


def trajectory(instance_id: int, *functions: str, task: str = "disposition") -> Trajectory:
    case = toy_case(instance_id=instance_id, task=task)
    episode = played(*asks(*functions), answer_text("0.5"), case=case)
    return Trajectory("full.seed0", "test", instance_id, task, "2h", (), episode)


def test_f1_of_distinct_rewardable_functions() -> None:
    saved = [
        trajectory(1, "labs", "orders"),
        trajectory(2, "labs", "labs", "heart_rate"),  # a repeat counts once
        trajectory(3, "orders", "lab_values", "triage"),  # details, demographics and triage are not compared
        trajectory(4),
        trajectory(5, "labs", task="revisit"),  # an empty set cannot be matched
    ]
    found = dict(match_scores(saved, REFERENCES).select("instance_id", "match").iter_rows())
    assert found == {1: 1.0, 2: 0.5, 3: 2 / 3, 4: 0.0, 5: 0.0}
