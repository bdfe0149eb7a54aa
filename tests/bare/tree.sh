#!/bin/sh
# The command, the preload library and the simulated device of the wheel on an old system, whose Python may be too old for the
# wheel: its files are unpacked, and check a race. In the root that `run tree` makes; the wheel lies in the current folder.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null
apt-get install -q -y --no-install-recommends python3 >/dev/null 2>&1
python3 -m zipfile -e streamcheck-*.whl /opt/wheel
command=/opt/wheel/streamcheck/tree/bin/streamcheck
chmod +x "$command"
echo "tree: $(basename streamcheck-*.whl), $(ldd --version | head -n 1)"
code=0
PYTHONPATH=/opt/wheel "$command" run --device=sim --html=no -- python3 tests/e2e/wheel/program.py >said 2>&1 || code=$?
grep -q 'SC-106' said && grep -q 'stream 1 "copy"' said && [ "$code" = 66 ] || {
	cat said
	echo "tree: ended with $code, not with the finding" >&2
	exit 1
}
