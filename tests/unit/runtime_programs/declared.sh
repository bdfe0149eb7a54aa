#!/bin/sh
# Prints the runtime functions that the toolkit's headers declare, as C strings.
# Usage: declared.sh COMPILER INCLUDE-DIRECTORY
set -e
names() {
	printf '#include <cuda_runtime_api.h>\n#include <cuda_profiler_api.h>\n' |
		"$@" -E -P -x c - | tr -s '\n\t ' ' ' | tr ';{}' '\n\n\n' |
		sed -n 's/__attribute__ *((deprecated))//
			s/^ *extern [^(]*[* ]\(cuda[A-Za-z0-9_]*\) *(.*/\1/p'
}
{
	names "$1" -I"$2"
	names "$1" -I"$2" -DCUDA_API_PER_THREAD_DEFAULT_STREAM
} | sort -u | sed 's/.*/"&",/'
