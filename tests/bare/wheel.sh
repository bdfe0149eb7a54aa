#!/bin/sh
# From nothing to the first finding by the Python wheel: what docs/user/install.md says, in the root that `run wheel` makes.
# The wheel lies in the current folder; how long each step takes is printed.
set -eu
begun=$(date +%s)

step() {
	echo "wheel: $1 after $(($(date +%s) - begun)) s"
}

export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null
apt-get install -q -y --no-install-recommends python3-venv >/dev/null 2>&1
step "Python is installed"
python3 -m venv /opt/streamcheck
/opt/streamcheck/bin/pip install --quiet --no-index streamcheck-*.whl
step "streamcheck is installed"
code=0
/opt/streamcheck/bin/python -m streamcheck run --device=sim --html=no tests/e2e/wheel/program.py >said 2>&1 || code=$?
step "the first finding is there"
grep -q 'SC-106' said && grep -q 'program.py:' said && [ "$code" = 66 ] || {
	cat said
	echo "wheel: ended with $code, not with the finding" >&2
	exit 1
}
