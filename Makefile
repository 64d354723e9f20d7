PYTHON ?= python3
VENV := .venv
# Tests wait for other processes in a third of their time.
WORKERS := $(shell echo $$(($$(nproc) * 3 / 2)))

# Tests start thousands of processes: with bytecode in the cache each imports in 0.16 s and not in 0.22 s.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check coverage ledgers examples clean

# Measure operators that everybody knows in float32 and float16, beside the roofline, which doctor measures once.
TIMES := forward_kernel,forward_interval,forward_roofline,backward_kernel,backward_roofline,memory
run: $(VENV)/.run
	-$(VENV)/bin/autoperf doctor
	$(VENV)/bin/autoperf run --category well_known --dtype float32,float16 --input-profile common --draws 0 --columns $(TIMES)

# Run the tests. Those of another framework are skipped where it can't be installed.
test: $(VENV)/.test
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist worksteal

# Run everything that CI checks: style, types, import directions, links of the documentation, tests, and that their
# coverage of lines and branches doesn't fall below that of pyproject.toml. With --quiet, mkdocs
# would count no warnings.
check: $(VENV)/.test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report=

# Run the tests and list the lines and branches that they leave out.
coverage: $(VENV)/.test
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report=term

# Update the coverage ledgers of both releases and the generated parts of the documents; tests compare the program with
# them. NEXT: a version, or a path.
NEXT ?= 2.0.0b1
ledgers: export AUTOPERF_RELEASES = $(VENV)/releases
ledgers: $(VENV)/.test
	$(VENV)/bin/autoperf discover --write-ledger ledgers/mxnet-1.9.1.json
	$(VENV)/bin/autoperf discover --mxnet $(NEXT) --write-ledger ledgers/mxnet-2.0.0b1.json
	$(VENV)/bin/python tools/coverage_page.py --next $(NEXT)
	$(VENV)/bin/python benches/front_end_names.py --page
	$(VENV)/bin/python tools/implementation_page.py

# Write the pages of examples/ from their stored files, and the pictures of docs/images; needs Chromium.
examples: $(VENV)/.test
	$(VENV)/bin/python -m tools.example_pages

clean:
	rm -rf $(VENV)

$(VENV)/.run: pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 10) <= v <= (3, 12) else "autoperf needs Python 3.10, 3.11 or 3.12, but $(PYTHON) is %d.%d; name another: make PYTHON=python3.11" % v)'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) can't make virtual environments; on Debian: apt-get install python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --disable-pip-version-check --editable '.[mxnet,history]'
	@touch $@

$(VENV)/.test: $(VENV)/.run
	$(VENV)/bin/python -m pip install --disable-pip-version-check --editable '.[dev]'
	AUTOPERF_RELEASES=$(VENV)/releases $(VENV)/bin/autoperf releases install 2.0.0b1
	-AUTOPERF_FRAMEWORKS=$(VENV)/frameworks $(VENV)/bin/autoperf frameworks install torch jax
	@touch $@
