/* Which frames are not the user's code, by prefixes of modules, source files and functions. */
#include "analyzer/symbol/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Base names of mapped files. */
static const char *const modules[] = {
	"libcudart.", "libcudart-",  "libcuda.",     "libcuda-",    "libcupti.",      "libcublas",
	"libcudnn",   "libcufft",    "libcurand",    "libcusolver", "libcusparse",    "libnccl",
	"libnvrtc",   "libnvjpeg",   "libnvJitLink", "libnpp",	    "libstreamcheck", "libc.so",
	"libc-2",     "libpthread.", "libpthread-",  "ld-linux",    "ld-2",	      "libstdc++.",
	"libgomp.",   "linux-vdso",  "libffi.",	     "_ctypes.",
};

/* Parts of source paths: headers that come with compilers, with CUDA and with this tool. */
static const char *const sources[] = {
	"/cuda_runtime.h",
	"/crt/host_runtime.h",
	"/cudafe1.stub.c",
	".cudafe1.stub.c",
	"/include/c++/",
	"/include/thrust/",
	"/include/cub/",
	"/include/cuda/std/",
	"/nvtx3/",
	"/streamcheck/streamcheck.h",
	"/streamcheck/simulator/runtime/",
};

/* Functions of a program that belong to its start or to CUDA code linked into it. */
static const char *const functions[] = {
	"_start",
	"__libc_start_main",
	"__libc_start_call_main",
	"libcudart_static_",
	"__cudart",
	"__cudaRegister",
	"__cudaLaunch",
	"__cudaPushCall",
	"__cudaPopCall",
	"__device_stub__",
	"__wrapper__device_stub_",
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Entry points of CUDA: cudaMalloc, cuMemAlloc_v2; in a program linked with the static runtime they
 * are functions without source. */
static bool is_cuda_name(const char *name)
{
	if (!begins(name, "cu"))
		return 0;
	name += begins(name, "cuda") ? 4 : 2;
	return *name >= 'A' && *name <= 'Z';
}

/* NVIDIA's libraries say nothing of source files; those of the simulated device do. */
bool sc_frame_is_ours(const struct sc_frame *frame)
{
	const char *module = base_name(frame->module);

	return begins(module, "libstreamcheck") ||
	       (*frame->file && (begins(module, "libcuda.") || begins(module, "libcudart.")));
}

bool sc_frame_is_internal(const struct sc_frame *frame)
{
	const char *module = base_name(frame->module);

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (begins(module, modules[i]))
			return 1;
	for (size_t i = 0; *frame->file && i < sizeof(sources) / sizeof(*sources); i++)
		if (strstr(frame->file, sources[i]))
			return 1;
	if (!frame->is_named)
		return 0;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (begins(frame->function, functions[i]))
			return 1;
	return !*frame->file && is_cuda_name(frame->function);
}
