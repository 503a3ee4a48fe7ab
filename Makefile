# The workbench in a few commands. Only Python 3.11 (with venv) and make have to be on the machine.
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name) 2>/dev/null)))
STAMP := .venv/installed

.PHONY: setup flink up cluster demo demo-live check test bench accuracy ablation lint audit
.DEFAULT_GOAL := up

setup: $(STAMP)

$(STAMP): requirements.txt
	@test -n "$(PYTHON)" || { echo "setup: no python3 on the PATH; Python 3.11 or newer is needed." >&2; exit 1; }
	@"$(PYTHON)" workbench/launch/install.py .venv $(STAMP)

# A real Flink for the tests of the collector; without it they are skipped. 240 MB.
FLINK := apache-flink-libraries==1.20.1
flink: $(STAMP)
	@test -d .venv/flink/pyflink || DIST_EXTRA_CONFIG=$(CURDIR)/workbench/launch/wheel.cfg .venv/bin/python -m pip --disable-pip-version-check install --no-deps --no-compile --target .venv/flink $(FLINK)

up: $(STAMP)
	@exec .venv/bin/python -m workbench.launch up

# A Spark cluster of several processes on this machine, to try what runs on a real one; it tells how to use it.
cluster: $(STAMP)
	@exec .venv/bin/python -m diagnostics.spark_service cluster

demo: $(STAMP)
	@exec .venv/bin/python -m workbench.launch demo

# A workbench with a real Flink, Prometheus and Alertmanager: a job goes ill on command. Needs make flink.
demo-live: $(STAMP)
	@exec .venv/bin/python -m tests.collecting.live

# Tests start many processes: without compiled code on the disk, each of them would compile the program again.
KEEPING_CODE := env -u PYTHONDONTWRITEBYTECODE

# The inner loop, below a minute: what needs no process beside its own, and of that not the few dear files.
CHECKED := tests/architecture tests/diagnostics $(addprefix --ignore=tests/diagnostics/,profiles storage formats/test_public_files.py)
check: $(STAMP)
	@echo "check: rules, signals, formats and architecture; not the web side, nor what starts Spark or a browser: make test."
	@exec $(KEEPING_CODE) .venv/bin/python -m pytest -q -n 2 --dist loadfile -m "not (browser or celery or spark or database)" $(CHECKED)

# Four processes on two cores, because each waits now and then. At the end, what took longest: there is where to save.
PROCESSES ?= 4
test: $(STAMP)
	@exec $(KEEPING_CODE) .venv/bin/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder --durations 40 --durations-min 5 $(TESTS)

bench: $(STAMP)
	@exec .venv/bin/python -m tests.benchmarks $(foreach option,PARTS SIZES ROWS CORES ROUNDS SECONDS CASES GATHERED TRUTHS,$(if $($(option)),--$(shell echo $(option) | tr A-Z a-z) $($(option))))

accuracy: $(STAMP)
	@test -d "$(CASES)" || { echo "usage: make accuracy CASES=folder-of-cases" >&2; exit 2; }
	@exec .venv/bin/python manage.py accuracy "$(CASES)"

ablation: $(STAMP)
	@test -d "$(CASES)" || { echo "usage: make ablation CASES=folder-of-cases" >&2; exit 2; }
	@exec .venv/bin/python manage.py ablation "$(CASES)"

lint: $(STAMP)
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy && .venv/bin/oxlint static/js

# Known vulnerabilities of what is installed, from a reviewed file; with ONLINE=1 from PyPI too, as of now.
AUDITOR := pip-audit==2.10.1
audit: $(STAMP)
	@.venv/bin/python -m workbench.launch.audit
	@test -z "$(ONLINE)" || test -d .venv/audit || .venv/bin/python -m pip --disable-pip-version-check install --quiet --target .venv/audit $(AUDITOR)
	@test -z "$(ONLINE)" || PYTHONPATH=.venv/audit .venv/bin/python -m pip_audit --requirement requirements.txt --disable-pip --no-deps --strict
