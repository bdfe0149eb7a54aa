/* libsanitizer-public.so: the places where it may be, in the order in which they are tried. */
#include "interposer/sanitizer/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "interposer/core/real.h"
#include "interposer/core/session.h"
#include "base/sys.h"

#define NAME "libsanitizer-public.so"

static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"};
static const char *const folders[] = {"compute-sanitizer", "extras/compute-sanitizer", "lib64",
				      "lib"};
/* of Python, under nvidia/ */
static const char *const packages[] = {"cu13/lib", "cuda_sanitizer_api/lib",
				       "cuda_sanitizer_api/compute-sanitizer", "compute_sanitizer"};
/* from a folder of PATH */
static const char *const beside[] = {".", "../compute-sanitizer", "../lib"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool take(struct sc_sanitizer_calls *calls, void *library)
{
	bool has_all = library != NULL;

	if (!library)
		return false;
#define FIND(name, symbol, parameters)                                        \
	calls->name = (typeof(calls->name))sc_real_dlsym()(library, #symbol); \
	has_all &= calls->name != NULL;
	SC_SANITIZER_FUNCTIONS(FIND)
#undef FIND
	return has_all;
}

static bool try_path(struct sc_sanitizer_calls *calls, const char *path, int mode)
{
	return take(calls, SC_REAL(dlopen)(path, mode | RTLD_LAZY | RTLD_LOCAL));
}

static bool try_in(struct sc_sanitizer_calls *calls, const char *home, size_t length,
		   const char *folder)
{
	char path[SC_PATH_BYTES];
	int n = snprintf(path, sizeof(path), "%.*s/%s/" NAME, (int)length, home, folder);

	return n < (int)sizeof(path) && !sc_sys_access(path, R_OK) && try_path(calls, path, 0);
}

static bool try_home(struct sc_sanitizer_calls *calls, const char *home)
{
	for (unsigned i = 0; home && *home && i < COUNT(folders); i++) {
		if (try_in(calls, home, strlen(home), folders[i]))
			return true;
	}
	return false;
}

static bool try_homes(struct sc_sanitizer_calls *calls)
{
	for (unsigned i = 0; i < COUNT(homes); i++) {
		if (try_home(calls, getenv(homes[i])))
			return true;
	}
	return try_home(calls, "/usr/local/cuda") || try_home(calls, "/opt/cuda");
}

/* Beside the first `compute-sanitizer` of PATH, or in the toolkit of which that is a part. */
static bool try_path_variable(struct sc_sanitizer_calls *calls)
{
	const char *at = getenv("PATH"), *end;
	char path[SC_PATH_BYTES];

	for (; at && *at; at = *end ? end + 1 : end) {
		int n;

		end = strchrnul(at, ':');
		n = snprintf(path, sizeof(path), "%.*s/compute-sanitizer", (int)(end - at), at);
		if (end == at || n >= (int)sizeof(path) || sc_sys_access(path, X_OK))
			continue;
		for (unsigned i = 0; i < COUNT(beside); i++) {
			if (try_in(calls, at, (size_t)(end - at), beside[i]))
				return true;
		}
	}
	return false;
}

/* Python packages put NVIDIA's libraries side by side under site-packages/nvidia. */
static int find_package(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *at = info->dlpi_name ? strstr(info->dlpi_name, "/nvidia/") : NULL;
	size_t *length = data;
	char *home = (char *)(length + 1);

	(void)size;
	*length = at ? (size_t)(at - info->dlpi_name) + strlen("/nvidia") : 0;
	if (!at || *length >= SC_PATH_BYTES)
		return 0;
	memcpy(home, info->dlpi_name, *length);
	return 1;
}

static bool try_packages(struct sc_sanitizer_calls *calls)
{
	struct {
		size_t length;
		char home[SC_PATH_BYTES];
	} found;

	if (!dl_iterate_phdr(find_package, &found))
		return false;
	for (unsigned i = 0; i < COUNT(packages); i++) {
		if (try_in(calls, found.home, found.length, packages[i]))
			return true;
	}
	return false;
}

bool sc_sanitizer_find(struct sc_sanitizer_calls *calls, const char *named)
{
	if (*named)
		return try_path(calls, named, 0);
	return try_path(calls, NAME, RTLD_NOLOAD) || try_path(calls, NAME, 0) || try_homes(calls) ||
	       try_path_variable(calls) || try_packages(calls);
}
