/* Program: what the file to run says about its CUDA runtime. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct sc_program {
	char path[PATH_MAX];
	int unread;		/* errno: why it could not be looked into; 0: it was */
	bool has_static_cudart; /* NVIDIA's runtime is inside the file */
	bool has_shared_cudart; /* asks the loader for libcudart.so */
	bool has_rpath;		/* DT_RPATH: goes before LD_LIBRARY_PATH */
	char runtime[32];	/* the name of that libcudart.so, with its version */
	char genuine[PATH_MAX]; /* NVIDIA's libcudart.so that the DT_RPATH finds; empty: none */
};

/* Finds the file as the shell would and looks into it; a file that is no ELF file (a script) sets
 * no flag. Returns 0, or -errno if there is no such program. */
int sc_program_find(struct sc_program *program, const char *name);

/* Why sc_program_find() failed, and what to type instead, if that is clear. */
void sc_program_describe_failure(char *out, size_t bytes, const char *name, int err);
