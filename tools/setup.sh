#!/bin/sh
# Installs what streamcheck needs, and says what; quick if nothing is missing.
#
# usage: setup.sh [tests]     `tests`: also what only the tests use (a browser, shells, valgrind)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

packages="ca-certificates cmake ninja-build gcc g++ make pkg-config git
clang clang-tidy clang-format cppcheck
libcmocka-dev libvulkan-dev uthash-dev libdw-dev libelf-dev libunwind-dev libjansson-dev
libzstd-dev liblz4-dev liblzma-dev libbz2-dev zlib1g-dev node-d3 python3 python3-venv"
[ "${1:-}" != tests ] || packages="$packages chromium zsh fish python3-yaml valgrind libomp-dev"
wheels="nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cupti nvidia-cuda-crt nvidia-nvvm
nvidia-cuda-cccl"
cuda_version="13.0.*"

say() {
	echo "setup: $*"
}

die() {
	echo "setup: $*" >&2
	exit 1
}

# The packages of the list that are not installed.
missing_packages() {
	for package in $packages; do
		state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$state" = installed ] || printf '%s ' "$package"
	done
}

install_packages() {
	command -v dpkg-query >/dev/null || {
		say "this is no Debian; the packages $(echo $packages) are up to you"
		return 0
	}
	missing=$(missing_packages)
	[ -n "$missing" ] || return 0
	say "installing with apt: $missing"
	[ "$(id -u)" = 0 ] || die "that needs root"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q >/dev/null || die "apt-get update failed"
	# shellcheck disable=SC2086
	apt-get install -q -y --no-install-recommends $missing >/dev/null ||
		die "apt-get install failed"
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

install_toolkit() {
	. "$root/tools/environment.sh"
	command -v nvcc >/dev/null && return 0
	say "installing the CUDA $cuda_version toolkit with pip into out/cuda"
	mkdir -p "$root/out/cuda"
	rm -rf "$root/out/cuda/venv"
	python3 -m venv "$root/out/cuda/venv" || die "cannot make a Python environment"
	for wheel in $wheels; do
		set -- "$@" "$wheel==$cuda_version"
	done
	"$root/out/cuda/venv/bin/pip" install -q --disable-pip-version-check "$@" ||
		die "pip install failed"
	link_toolkit "$root/out/cuda/venv"
}

install_packages
install_toolkit
