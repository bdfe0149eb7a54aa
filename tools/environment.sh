# Finds the CUDA toolkit; to be sourced, with $root set to the root of the sources.
for sc_folder in /usr/local/cuda/bin "$root/out/cuda/toolkit/bin"; do
	command -v nvcc >/dev/null 2>&1 && break
	[ ! -x "$sc_folder/nvcc" ] || PATH=$sc_folder:$PATH
done
export PATH
