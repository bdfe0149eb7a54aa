#!/bin/sh
# The first hour, literally, on a machine that has nothing: docs/user/first-hour.md after `./demo.sh`, in the root that `run hour`
# makes. Its lines that set PATH count as typed, so that the compiler is found only if they name it.
set -eu
page=docs/user/first-hour.md
./demo.sh testcases/seeds/seed001_example1.cu || [ $? = 1 ] # it has errors
eval "$(sed -n 's/^    \(PATH=.*\)/\1/p' "$page")"
export PATH
streamcheck doctor
python3 tests/gates/first_hour.py out "$(dirname "$(command -v nvcc)")" "$page"
echo "hour: every command of $page printed what the page says"
