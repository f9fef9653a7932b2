"""docs/protocol.md shows an episode that really runs: its blocks are, in order, what the program prints for it."""

import re

from agent_cases import ROOT, toy_case

from tirec.agent.show import show
from tirec.config.agent import AgentConfig

PAGE = ROOT / "docs" / "protocol.md"
TEXTS = {
    "orders": (
        "MANY: 14 orders; opioid, antiemetic, IV fluid, antibiotic, CT abdomen, surgery consult\n"
        "medications 5, of these given 4\nlaboratory 6, resulted 4, pending 2\nimaging 1, resulted 1\nconsults 1, open"
    ),
    "labs": (
        "ABNORMAL: 3 of 22 abnormal, 2 pending; WBC HIGH 17.2 K/uL, lipase NORMAL 31 U/L\n"
        "blood count: WBC HIGH 17.2 K/uL (4.0-11.0), hemoglobin NORMAL 13.1 g/dL\n"
        "metabolic: creatinine NORMAL 0.9 mg/dL, CRP HIGH 88 mg/L (<5.0)\npending: lactate, urinalysis"
    ),
    "waveforms": "NONE: not monitored by the cutoff",
}
ROWS = {"orders": tuple(range(301, 315)), "labs": tuple(range(811, 833)), "waveforms": ()}
CASE = toy_case(
    instance_id=120_481,
    risk=0.84,
    reference=("orders", "labs", "imaging"),
    view=(
        "age 34 F; Self; acuity 3; HR 104 /min HIGH; BP 118/71 mmHg NORMAL; SpO2 98 % NORMAL; RR 18 /min NORMAL;"
        " temp 38.1 °C HIGH; complaint ABDOMINAL PAIN"
    ),
    texts=TEXTS,
    rows=ROWS,
)
CALLS = ("orders", "labs", "labs", "waveforms")


def test_the_page_shows_the_episode_as_it_runs():
    blocks = re.findall(r"```text\n(.*?)\n```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert "\n\n".join(blocks) == show(CASE, CALLS, "0.85", AgentConfig())
