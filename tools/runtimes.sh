#!/bin/sh
# Fetches the packages of tools/runtimes.txt into out/cuda/runtimes/VERSION, each with include/ and lib/.
# What cannot be fetched is left out: its tests are skipped. What pip says is kept in build/setup.log.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$root/out/cuda/runtimes

# pip of the system, or of an environment of its own where there is none.
pip() {
	if python3 -m pip --version >/dev/null 2>&1; then
		python3 -m pip "$@"
	else
		[ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv"
		"$folder/venv/bin/pip" "$@"
	fi
}

fetch() {
	target=$folder/$1
	rm -rf "$target.part"
	mkdir -p "$target.part"
	pip download --disable-pip-version-check --no-deps --only-binary :all: \
		--platform manylinux2014_x86_64 --platform manylinux1_x86_64 --platform manylinux_2_17_x86_64 \
		-d "$target.part" "$2==$1" >>"$root/build/setup.log" 2>&1 || return 1
	python3 -m zipfile -e "$target.part"/*.whl "$target.part/wheel" || return 1
	mv "$target.part"/wheel/nvidia/cu* "$target"
}

[ "$(uname -m)" = x86_64 ] || exit 0
mkdir -p "$root/build" "$folder"
said=
while read -r version package; do
	case $version in
	\#* | "") continue ;;
	esac
	[ ! -e "$folder/$version/include" ] || continue
	[ -n "$said" ] || echo "setup: fetching CUDA runtimes 11.8 to 13.5 for tests into out/cuda: 10 MB, 40 MB on the disk"
	said=yes
	fetch "$version" "$package" ||
		echo "setup: $package $version was not fetched; its tests are skipped"
	rm -rf "$folder/$version.part"
done <"$root/tools/runtimes.txt"
