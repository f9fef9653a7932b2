"""What every rule file uses: the validated configuration, code identities, and where the package is.

INPUTS   the merged configuration (config/config.yaml and the overlays given by --configfile), MCMED_ROOT
OUTPUTS  STUDY (typed configuration), TASKS, SETTINGS, POLICIES, and the functions the rules call
"""

import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir).resolve()
ROOT = ROOT if (ROOT / "pyproject.toml").is_file() else ROOT.parent
sys.path.insert(0, str(ROOT / "workflow"))

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.study import Study
from tirec.errors import TirecError
from tirec.provenance import code_id

# Records never leave the machine, and nothing reports home (DESIGN section 10); jobs inherit this environment.
os.environ.update(
    PYTHONPATH=str(ROOT / "workflow"),
    HF_HUB_OFFLINE="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    TRANSFORMERS_OFFLINE="1",
    WANDB_MODE="disabled",
    VLLM_NO_USAGE_STATS="1",
    RAY_USAGE_STATS_ENABLED="0",
    DO_NOT_TRACK="1",
    TOKENIZERS_PARALLELISM="false",
    MPLBACKEND="agg",
)


def or_stop(function, *arguments):
    """The function's value; a fault of the user's stops Snakemake with one line."""
    try:
        return function(*arguments)
    except TirecError as fault:
        raise WorkflowError(str(fault)) from None


STUDY = or_stop(Study.load, config)
CPU_PYTHON = STUDY.environments.cpu or sys.executable
GPU_PYTHON = STUDY.environments.grpo or sys.executable
SCRIPTS = ROOT / "scripts"


def script(name):
    """The absolute path of a rule's script."""
    return str(SCRIPTS / f"{name}.py")


def code(name):
    """Identity of a rule's code: its script and all of tirec that it imports, without comments and docstrings."""
    return code_id(SCRIPTS / f"{name}.py")


def settings(section, *only):
    """One section of the configuration, or some of its keys, as JSON: a rule's `params`, so that a change reruns it."""
    return STUDY.section(section, only)


wildcard_constraints:
    task="|".join(TASKS),
    setting="|".join(setting for task in TASKS for setting in SETTINGS[task]),
    policy="|".join(["base", *STUDY.ablations]),
    seed=r"\d+",
    split="train|validation|test",
