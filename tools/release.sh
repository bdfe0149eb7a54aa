#!/bin/sh
# Makes what a release consists of: wheel, deb, rpm, tarball, sources, bill of materials, checksums.
#
# usage: tools/release.sh BUILD FOLDER		BUILD is configured; FOLDER is new or empty
#
# Sources are those of the commit at hand, and times are its time. With RELEASE_KEY, the id of a key of gpg, the
# checksums are signed; with DEBEMAIL and DEBFULLNAME the packages name who answers for them. For an older glibc make the
# wheel by packaging/manylinux/build instead.
set -eu
[ $# -eq 2 ] || { sed -n '4p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
[ -z "$(ls -A "$out")" ] || { echo "release.sh: $out is not empty" >&2; exit 2; }
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

cmake --build "$build" --target tool wheel >/dev/null
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
kinds="DEB;TGZ"
command -v rpmbuild >/dev/null && kinds="$kinds;RPM" || echo "release.sh: no rpmbuild, no rpm" >&2
set --
[ -z "${DEBEMAIL:-}" ] || set -- -D "CPACK_PACKAGE_CONTACT=${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>"
cpack "$@" -G "$kinds" --config "$build/CPackConfig.cmake" -B "$out" >/dev/null
rm -rf "$out/_CPack_Packages"
cp "$build/packages/streamcheck-$version-"*.whl "$out"
git -C "$root" archive --format=tar.gz --prefix="streamcheck-$version/" -o "$out/streamcheck-$version.tar.gz" HEAD
tar -xzOf "$out/streamcheck-$version-linux-"*.tar.gz --wildcards '*/streamcheck.spdx.json' >"$out/streamcheck-$version.spdx.json"
cd "$out"
sha256sum streamcheck* >SHA256SUMS
[ -z "${RELEASE_KEY:-}" ] || gpg --local-user "$RELEASE_KEY" --armor --detach-sign SHA256SUMS
cat SHA256SUMS
