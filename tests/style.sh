#!/bin/sh
# Style and structure, in under a minute: the first thing `make test` runs.
set -eu
bin=$(dirname "${PYTHON:-python}")
"$bin/ruff" check .
"$bin/ruff" format --check .
"$bin/mypy"
"$bin/lint-imports"
"$bin/snakefmt" --check Snakefile workflow
MCMED_ROOT='' "$bin/snakemake" --lint --configfile config/demo.yaml --directory "$(mktemp -d)"
