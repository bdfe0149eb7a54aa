#!/bin/sh
# From nothing to the files of a release, by tools/release.sh, in the root that `run release` makes.
set -eu
root=$PWD
tools/setup.sh tests
apt-get install -q -y --no-install-recommends rpm >/dev/null 2>&1
. tools/environment.sh
cmake --preset release >/dev/null
tools/release.sh build/release /tmp/release
cd /tmp/release
sha256sum --check --quiet SHA256SUMS
for file in streamcheck-*.whl streamcheck_*.deb streamcheck-*.rpm streamcheck-*-linux-*.tar.gz streamcheck-*.spdx.json; do
	[ -s "$file" ] || { echo "release: there is no $file" >&2; exit 1; }
done
