#!/bin/sh
# The wheel, its pytest plugin and the lines of Python with the CPython of this release, in the root that `run python` makes.
# The wheel and the libraries of tests/e2e/python lie in the current folder.
set -eu
export DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$PWD/tests/e2e:$PWD/tests/e2e/python"
apt-get update -q >/dev/null
apt-get install -q -y --no-install-recommends python3-venv python3-pip libgomp1 binutils >/dev/null 2>&1
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir -p /opt/wheels
cp streamcheck-*.whl /opt/wheels
python3 -m venv /opt/streamcheck
/opt/streamcheck/bin/pip install --quiet --no-index streamcheck-*.whl
tree=$(/opt/streamcheck/bin/python -c 'import streamcheck; print(streamcheck.prefix())')
failed=0

# check TEST ARGUMENT...: 77 is a test that cannot be made here.
check() {
	test=$1
	code=0
	shift
	python3 "tests/e2e/$test" "$version" "$@" >said 2>&1 || code=$?
	case $code in
	0) echo "python: $(python3 -V): $test passed" ;;
	77) echo "python: $(python3 -V): $test SKIPPED: $(tail -n 1 said)" ;;
	*)
		cat said
		echo "python: $(python3 -V): $test FAILED"
		failed=1
		;;
	esac
}

check wheel/test_installed.py /opt/wheels /opt/fetched
check wheel/test_pytest.py /opt/wheels /opt/fetched
check python/test_tables.py ./liblines_of.so
check python/test_python.py "$tree" ./libregion.so
check python/test_bindings.py "$tree" ./liblooked_up.so
check python/test_bindings.py "$tree" /opt/fetched
exit "$failed"
