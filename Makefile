# The two commands: `make demo` and `make test`. Everything they make lies in .venv and in $(PREFER_HOME).
PYTHON ?= python3
PREFER_HOME ?= .prefer
export PREFER_HOME

BIN := .venv/bin
READY := .venv/ready
TESTS_READY := .venv/tests-ready
LLAMA := .venv/llama-tried

SESSIONS ?= 20
SECONDS ?= 180

.PHONY: setup demo test lint bench load llama clean

setup: $(READY) $(LLAMA)

$(READY): requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "PREFER needs Python 3.11 or newer; name one: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=23.1"
	grep -v '^llama-cpp-python' requirements.txt > .venv/requirements-first.txt
	$(BIN)/python -m pip install --quiet -r .venv/requirements-first.txt
	touch $@

# The last line compiles llama.cpp: minutes the first time, seconds from pip's cache.
$(LLAMA): $(READY)
	@echo "Installing llama.cpp (the first time it is compiled, which takes 5 to 15 minutes)..."
	@grep '^llama-cpp-python' requirements.txt > .venv/requirements-llama.txt
	@$(BIN)/python -m pip install --quiet -r .venv/requirements-llama.txt \
		|| echo "llama.cpp could not be compiled: the app runs without a model and says so. With a C++ compiler and CMake installed, run: make llama"
	@touch $@

llama: $(READY)
	rm -f $(LLAMA)
	$(MAKE) $(LLAMA)

$(TESTS_READY): $(READY) tests/requirements.txt
	$(BIN)/python -m pip install --quiet -r tests/requirements.txt
	touch $@

$(PREFER_HOME)/sample/manifest.json: | $(READY)
	$(BIN)/python precompute.py --source sample --out $(PREFER_HOME)/sample --aspects 8 --calibrate

demo: setup $(PREFER_HOME)/sample/manifest.json
	$(BIN)/streamlit run app.py

# Two workers share the tests file by file; a browser and a model want the machine for themselves. What fails in a browser is
# run once more and counted as such: on a busy machine a click now and then comes before the page is there.
test: setup $(TESTS_READY)
	$(BIN)/python -m pytest -m "not browser and not model" -n 2
	$(BIN)/python -m pytest -m "browser or model" -n 0 --reruns 1

lint: setup $(TESTS_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks

# Many readers at once, each rating every few seconds: make load SESSIONS=20 SECONDS=180
load: setup $(TESTS_READY) $(PREFER_HOME)/sample/manifest.json
	$(BIN)/python -m benchmarks.load --sessions $(SESSIONS) --seconds $(SECONDS) --corpus $(PREFER_HOME)/sample

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
