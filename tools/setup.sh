#!/bin/sh
# Installs what streamcheck needs, and says what, how much, and how far it is; quick if nothing is missing.
#
# usage: setup.sh [tests|all]     `tests`: also what ./test.sh uses; `all`: also what only `./test.sh all` uses
#                                 (clang's tools, a browser, MPI, Slurm, shells)
# What apt and pip say is kept in build/setup.log.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

packages="ca-certificates cmake ninja-build gcc g++ patch python3 python3-venv
uthash-dev libdw-dev libelf-dev libzstd-dev liblz4-dev node-d3"
wheels="nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cupti nvidia-cuda-crt nvidia-nvvm
nvidia-cuda-cccl nvidia-cuda-profiler-api nvidia-nvtx"
toolkit_size="115 MB to fetch, 340 MB on the disk"
case ${1:-} in
tests | all) packages="$packages git libcmocka-dev libvulkan-dev" ;;
esac
case ${1:-} in
all)
	packages="$packages make pkg-config clang clang-tidy clang-format cppcheck ccache
chromium python3-yaml python3-dask valgrind debootstrap curl rpm lintian
libtcmalloc-minimal4 libjemalloc2 libmimalloc-dev libfaketime libgtest-dev
libopenmpi-dev openmpi-bin libmpich-dev mpich libucx-dev
slurmctld slurmd slurm-client munge"
	wheels="$wheels nvidia-curand"
	toolkit_size="175 MB to fetch, 500 MB on the disk"
	;;
"" | tests) ;;
*)
	echo "setup: unknown argument \"$1\"; use tests, all, or none" >&2
	exit 2
	;;
esac
# The versions of wheels that belong to one toolkit; a library may have a count of its own.
cuda_version="13.0.*"
curand_version="10.4.0.*"
log=$root/build/setup.log

say() {
	echo "setup: $*"
}

die() {
	echo "setup: $*" >&2
	exit 1
}

# Says every 20 seconds what the log ends with, until it is ended or the set-up is.
pulse() {
	trap 'kill $!; exit 0' TERM
	while sleep 20 & wait $! && kill -0 $$ 2>/dev/null; do
		say "  … $(tail -n 1 "$log" | cut -c 1-90)"
	done
}

# logged FILTER COMMAND...: runs the command; every line goes to the log, and through FILTER to the
# screen. Its last lines are shown if it fails.
logged() {
	filter=$1
	shift
	echo "== $*" >>"$log"
	pulse &
	pulse=$!
	code=0
	{
		LC_ALL=C "$@" </dev/null 2>&1 || echo "setup failed: $?"
	} | {
		while IFS= read -r line; do
			echo "$line" >>"$log"
			case $line in
			"setup failed: "*) code=1 ;;
			*) "$filter" "$line" ;;
			esac
		done
		return "$code"
	} || code=1
	kill "$pulse"
	[ "$code" = 0 ] || {
		tail -n 15 "$log" >&2
		die "this failed: $1 $2"
	}
}

quiet() {
	:
}

# The packages of the list that are not installed; Debian 13 calls some NAMEt64.
missing_packages() {
	for package in $packages; do
		dpkg-query -W -f='${db:Status-Status}\n' "$package" "${package}t64" 2>/dev/null |
			grep -qx installed || printf '%s ' "$package"
	done
}

# One line for every twentieth package, which is unpacked first and set up later.
show_apt() {
	case $1 in
	"Setting up "*) ready=$((ready + 1)) ;;
	"Unpacking "*) unpacked=$((unpacked + 1)) ;;
	*) return 0 ;;
	esac
	[ $(((ready + unpacked) % 40)) != 0 ] || say "  $unpacked packages unpacked, $ready ready"
}

install_packages() {
	command -v dpkg-query >/dev/null || {
		say "this is no Debian; the packages $(echo $packages) are up to you"
		return 0
	}
	missing=$(missing_packages)
	[ -n "$missing" ] || return 0
	[ "$(id -u)" = 0 ] || die "only root can install what is missing: $missing"
	say "installing with apt: $missing"
	export DEBIAN_FRONTEND=noninteractive
	logged quiet apt-get update -q
	# shellcheck disable=SC2086
	say "  $(LC_ALL=C apt-get install --assume-no --no-install-recommends $missing 2>&1 |
		sed -n -e 's/^.* upgraded, \([0-9]*\) newly.*/\1 packages, /p' \
			-e 's/^Need to get \(.*\) of archives.*/\1 to fetch, /p' \
			-e 's/^After this operation, \(.*\) of additional.*/\1 on the disk/p' | tr -d '\n')"
	ready=0
	unpacked=0
	# shellcheck disable=SC2086
	logged show_apt apt-get install -q -y --no-install-recommends $missing
}

# nvcc and CMake want names that the wheels do not have.
link_toolkit() {
	toolkit=$(echo "$1"/lib/python3*/site-packages/nvidia/cu13)
	[ -x "$toolkit/bin/nvcc" ] || die "the CUDA wheels have no nvcc at $toolkit"
	for library in "$toolkit"/lib/*.so.*; do
		ln -sf "$(basename "$library")" "${library%.so.*}.so"
	done
	ln -sfn lib "$toolkit/lib64"
	ln -sfn "$toolkit" "$root/out/cuda/toolkit"
}

show_pip() {
	case $1 in
	*Downloading\ nvidia*) say "  fetching${1#*Downloading}" ;;
	"Installing "*) say "  unpacking" ;;
	esac
}

# The wheels that out/cuda lacks, with their versions.
missing_wheels() {
	for wheel in $wheels; do
		version=$cuda_version
		[ "$wheel" != nvidia-curand ] || version=$curand_version
		grep -qsxF "$wheel==$version" "$root/out/cuda/wheels" || printf '%s ' "$wheel==$version"
	done
}

# Into out/cuda, unless the machine has an nvcc of its own.
install_toolkit() {
	. "$root/tools/environment.sh"
	case $(command -v nvcc) in
	"") rm -rf "$root/out/cuda/venv" "$root/out/cuda/wheels" ;;
	"$root"/*) ;;
	*) return 0 ;;
	esac
	missing=$(missing_wheels)
	[ -n "$missing" ] || return 0
	say "installing the CUDA $cuda_version toolkit with pip into out/cuda: $toolkit_size"
	mkdir -p "$root/out/cuda"
	[ -x "$root/out/cuda/venv/bin/pip" ] || logged quiet python3 -m venv "$root/out/cuda/venv"
	# shellcheck disable=SC2086
	logged show_pip "$root/out/cuda/venv/bin/pip" install --disable-pip-version-check \
		--progress-bar off $missing
	link_toolkit "$root/out/cuda/venv"
	printf '%s\n' $missing >>"$root/out/cuda/wheels"
}

# Into out/cuda/headers: the headers of the newest CUDA, from the packages that tools/headers.txt names. Of each only
# include/ stays.
install_headers() {
	headers=$root/out/cuda/headers
	! cmp -s "$root/tools/headers.txt" "$headers/packages" || return 0
	say "fetching the headers of CUDA 13.5 with pip into out/cuda/headers: 16 MB, 8 MB on the disk"
	rm -rf "$headers"
	mkdir -p "$headers/part"
	logged quiet python3 -m venv "$headers/part/venv"
	logged show_pip "$headers/part/venv/bin/pip" download --disable-pip-version-check --progress-bar off \
		--no-deps --only-binary :all: --require-hashes --dest "$headers/part" --requirement "$root/tools/headers.txt"
	for wheel in "$headers"/part/*.whl; do
		logged quiet python3 -m zipfile -e "$wheel" "$headers/part/unpacked"
	done
	mv "$headers"/part/unpacked/nvidia/cu13/include "$headers/include"
	rm -rf "$headers/part"
	cp "$root/tools/headers.txt" "$headers/packages"
}

# axe-core, which checks the accessibility of the HTML report, comes in a wheel.
install_axe() {
	[ ! -f "$root/out/axe/axe_playwright_python/axe.min.js" ] || return 0
	say "installing axe-core with pip into out/axe: 1 MB"
	rm -rf "$root/out/axe"
	logged quiet python3 -m venv "$root/out/axe/venv"
	logged show_pip "$root/out/axe/venv/bin/pip" install --disable-pip-version-check --progress-bar off \
		--no-deps --target "$root/out/axe" axe-playwright-python==0.1.8
}

# The parsers that the writer of patches uses (packaging/python/wheel.py has their versions), for the Python that tests run.
install_parsers() {
	parsers=$(sed -n 's/^PATCH = (\(.*\))$/\1/p' "$root/packaging/python/wheel.py" | tr -d '",')
	[ "$parsers" != "$(cat "$root/out/patch/parsers" 2>/dev/null)" ] || return 0
	say "installing tree-sitter with pip into out/patch: 3 MB"
	rm -rf "$root/out/patch"
	logged quiet python3 -m venv "$root/out/patch/venv"
	# shellcheck disable=SC2086
	logged show_pip "$root/out/patch/venv/bin/pip" install --disable-pip-version-check --progress-bar off \
		--only-binary :all: --no-deps --target "$root/out/patch" $parsers
	echo "$parsers" >"$root/out/patch/parsers"
}

# The official client and server of the Model Context Protocol, with which the server for agents is tested.
install_mcp() {
	list=$root/tests/e2e/agents/mcp.txt
	! cmp -s "$list" "$root/out/mcp/mcp.txt" || return 0
	say "installing the package mcp with pip into out/mcp: 12 MB"
	rm -rf "$root/out/mcp"
	logged quiet python3 -m venv "$root/out/mcp/venv"
	logged show_pip "$root/out/mcp/venv/bin/pip" install --disable-pip-version-check --progress-bar off \
		--require-hashes --only-binary :all: --no-deps --target "$root/out/mcp" -r "$list"
	cp "$list" "$root/out/mcp/mcp.txt"
}

mkdir -p "$root/build"
: >"$log"
install_packages
install_toolkit
install_headers
[ -z "${1:-}" ] || (install_parsers) || say "without tree-sitter the tests of patches are skipped"
[ -z "${1:-}" ] || (install_mcp) || say "without the package mcp the tests of the server for agents are skipped"
[ "${1:-}" != all ] || install_axe
