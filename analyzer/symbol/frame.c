/* Whose code a frame is, by beginnings of modules and functions and by parts of paths. */
#include "analyzer/symbol/frame.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "analyzer/symbol/callsite.h"
#include "analyzer/symbol/stub.h"

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Base names of mapped files. */
static const char *const modules[] = {
	"libcudart.", "libcudart-",  "libcuda.",     "libcuda-",    "libcupti.",      "libcublas",
	"libcudnn",   "libcufft",    "libcurand",    "libcusolver", "libcusparse",    "libnccl",
	"libnvrtc",   "libnvjpeg",   "libnvJitLink", "libnpp",	    "libstreamcheck", "libc.so",
	"libc-2",     "libpthread.", "libpthread-",  "ld-linux",    "ld-2",	      "libstdc++.",
	"libgomp.",   "linux-vdso",  "libffi.",	     "_ctypes.",
};

/* Parts of source paths: headers of CUDA and of this tool whose functions are the call itself. */
static const char *const wrappers[] = {
	"/cuda_runtime.h",
	"/include/crt/",
	"/crt/link.stub",
	"/cudafe1.stub.c",
	".cudafe1.stub.c",
	"/nvtx3/",
	"/streamcheck/streamcheck.h",
	"/streamcheck/simulator/runtime/",
};

/* Others that come with compilers and with CUDA. */
static const char *const libraries[] = {
	"/include/c++/",  "-linux-gnu/c++/",  "/lib/gcc/",     "/lib/clang/",
	"/include/cccl/", "/include/thrust/", "/include/cub/", "/include/cuda/std/",
};

/* Folders of packages that a system installs, and parts of paths of those that a user installs. */
static const char *const package_roots[] = {
	"/usr/include/",   "/usr/local/include/", "/usr/lib/",
	"/usr/lib32/",	   "/usr/lib64/",	  "/lib/",
	"/lib64/",	   "/usr/share/",	  "/usr/src/googletest/",
	"/usr/src/gtest/", "/usr/src/gmock/",	  "/nix/store/",
};
static const char *const package_parts[] = {
	"/site-packages/",   "/dist-packages/", "/_deps/",
	"/vcpkg_installed/", "/.conan/",	"/.conan2/",
};

/* Functions of a program that belong to its start or to CUDA code linked into it. */
static const char *const functions[] = {
	"_start",	 "__libc_start_main", "__libc_start_call_main", "libcudart_static_",
	"__cudart",	 "__cudaRegister",    "__cudaLaunch",		"__cudaPushCall",
	"__cudaPopCall",
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

static bool has_part(const char *path, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(path, parts[i]))
			return 1;
	return 0;
}

/* Where the component of a path begins that ends before `end`. */
static const char *component(const char *path, const char *end)
{
	while (end > path && end[-1] != '/')
		end--;
	return end;
}

/* True for PREFIX/include/… where `owns` says so of the last component of PREFIX and of the one
 * before it. */
static bool has_include(const char *path, bool (*owns)(const char *last, const char *before))
{
	const char *include = path;

	while ((include = strstr(include, "/include/"))) {
		const char *last = component(path, include);

		if (last > path && owns(last, component(path, last - 1)))
			return 1;
		include++;
	}
	return 0;
}

/* cuda-13.0/include, local/cuda/include, targets/x86_64-linux/include, nvidia/cu13/include. */
static bool is_of_toolkit(const char *last, const char *before)
{
	const char *arch = strstr(last, "-linux/");

	if (begins(before, "targets/"))
		return arch && arch < strchr(last, '/');
	if (begins(last, "cuda-"))
		return last[5] >= '0' && last[5] <= '9';
	return (begins(last, "cuda/") && (begins(before, "local/") || begins(before, "opt/"))) ||
	       (begins(last, "cu") && begins(before, "nvidia/"));
}

/* miniconda3/include, envs/NAME/include, pkgs/NAME/include. */
static bool is_of_conda(const char *last, const char *before)
{
	static const char *const folders[] = {"conda/", "miniconda", "anaconda", "miniforge",
					      "mambaforge"};

	for (size_t i = 0; i < COUNT(folders); i++)
		if (begins(last, folders[i]))
			return 1;
	return begins(before, "envs/") || begins(before, "pkgs/");
}

bool sc_frame_is_package(const char *path)
{
	for (size_t i = 0; i < COUNT(package_roots); i++)
		if (begins(path, package_roots[i]))
			return 1;
	return has_part(path, package_parts, COUNT(package_parts)) ||
	       has_include(path, is_of_conda);
}

static bool is_runtime(const char *module)
{
	const char *name = base_name(module);

	for (size_t i = 0; i < COUNT(modules); i++)
		if (begins(name, modules[i]))
			return 1;
	return 0;
}

bool sc_frame_is_cuda(const char *module)
{
	return begins(base_name(module), "libcuda.") || begins(base_name(module), "libcudart");
}

bool sc_frame_may_own(const char *module)
{
	return !is_runtime(module) && !sc_frame_is_package(module) &&
	       !sc_callsite_is_interpreter(module);
}

/* Judged without the source file. */
static bool is_machinery(const struct sc_frame *frame)
{
	if (is_runtime(frame->module))
		return 1;
	if (!frame->is_named)
		return 0;
	for (size_t i = 0; i < COUNT(functions); i++)
		if (begins(frame->function, functions[i]))
			return 1;
	return sc_stub_is(frame->function) || (!*frame->file && is_cuda_name(frame->function));
}

enum sc_frame_owner sc_frame_owner_of(const struct sc_frame *frame)
{
	if (is_machinery(frame) || has_part(frame->file, wrappers, COUNT(wrappers)) ||
	    has_part(frame->file, libraries, COUNT(libraries)) ||
	    has_include(frame->file, is_of_toolkit))
		return SC_OWNER_SYSTEM;
	return sc_frame_is_package(frame->file) || sc_frame_is_package(frame->module)
		       ? SC_OWNER_PACKAGE
		       : SC_OWNER_USER;
}

bool sc_frame_is_of_header(const struct sc_frame *frame)
{
	return frame->line && *frame->file && frame->owner > SC_OWNER_NAMED &&
	       !is_machinery(frame) && !has_part(frame->file, wrappers, COUNT(wrappers));
}

void sc_frames_judge(struct sc_frame *frames, size_t count)
{
	bool has_user = 0, has_line = 0;

	for (size_t i = 0; i < count; i++) {
		has_user |= frames[i].owner <= SC_OWNER_NAMED;
		has_line |= frames[i].owner == SC_OWNER_PACKAGE && frames[i].line;
	}
	for (size_t i = 0; i < count; i++)
		frames[i].is_internal = frames[i].owner == SC_OWNER_SYSTEM ||
					(frames[i].owner == SC_OWNER_PACKAGE &&
					 (has_user || (has_line && !frames[i].line)));
}

static bool matches(const struct sc_frame *frame, const struct sc_option_list *patterns,
		    const char *directory)
{
	size_t bytes = strlen(directory);
	bool is_below =
		bytes && !strncmp(frame->file, directory, bytes) && frame->file[bytes] == '/';

	if (!*frame->file || !frame->line || is_machinery(frame))
		return 0;
	for (unsigned i = 0; i < patterns->count; i++)
		if (!fnmatch(patterns->text[i], frame->file, 0) ||
		    (is_below && !fnmatch(patterns->text[i], frame->file + bytes + 1, 0)))
			return 1;
	return 0;
}

void sc_frames_own(struct sc_frame *frames, size_t count, const struct sc_option_list *patterns,
		   const char *directory)
{
	bool is_any = 0;

	for (size_t i = 0; i < count && !is_any; i++)
		is_any = matches(&frames[i], patterns, directory);
	for (size_t i = 0; i < count && is_any; i++)
		if (matches(&frames[i], patterns, directory))
			frames[i].owner = SC_OWNER_NAMED;
		else if (frames[i].owner == SC_OWNER_USER)
			frames[i].owner = SC_OWNER_PACKAGE;
}
