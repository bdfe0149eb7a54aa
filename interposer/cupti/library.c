/* CUPTI, found at run time: beside the driver, loaded, in the loader's path, toolkit or Python. */
#include "interposer/cupti/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "interposer/driver/entry.h"
#include "base/sys.h"

/* What the simulated driver puts before the names of its own CUPTI functions. */
#define SIMULATED "simulated_"

/* Newest first; each works with programs of older toolkits, as long as the driver is as new. */
static const char *const sonames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};
static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"};
static const char *const folders[] = {"lib64", "lib", "extras/CUPTI/lib64"};
static const char *const packages[] = {"cu13/lib", "cuda_cupti/lib"}; /* of Python, under nvidia/ */

#define SONAMES (sizeof(sonames) / sizeof(sonames[0]))

struct search {
	struct sc_cupti_calls *calls;
	sc_cupti_accept *accept;
	void *context;
};

static void *symbol_of(void *library, const char *prefix, const char *symbol)
{
	char name[96];

	snprintf(name, sizeof(name), "%s%s", prefix, symbol);
	return sc_real_dlsym()(library, name);
}

static bool try_library(const struct search *s, void *library, const char *prefix)
{
	struct sc_cupti_calls *calls = s->calls;

#define FIND(name, symbol) calls->name = symbol_of(library, prefix, #symbol);
	SC_CUPTI_FUNCTIONS(FIND)
#undef FIND
	return calls->Subscribe && calls->Unsubscribe && calls->EnableDomain &&
	       s->accept(calls, s->context);
}

/* `home`/`folder`/libcupti.so.N; both empty: as the loader finds it. */
static bool try_in(const struct search *s, const char *home, const char *folder, int mode)
{
	char path[SC_PATH_BYTES];

	for (unsigned i = 0; i < SONAMES; i++) {
		int n = snprintf(path, sizeof(path), "%s%s%s%s%s", home, *home ? "/" : "", folder,
				 *folder ? "/" : "", sonames[i]);
		void *library = NULL;

		if (n < (int)sizeof(path) && (!*home || !sc_sys_access(path, R_OK)))
			library = SC_REAL(dlopen)(path, mode | RTLD_LAZY | RTLD_LOCAL);
		if (library && try_library(s, library, ""))
			return true;
	}
	return false;
}

static bool try_under(const struct search *s, const char *home, const char *const *list,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (try_in(s, home, list[i], 0))
			return true;
	}
	return false;
}

/* Python packages put NVIDIA's libraries side by side under site-packages/nvidia. */
static int find_package(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *at = info->dlpi_name ? strstr(info->dlpi_name, "/nvidia/") : NULL;
	char *home = data;
	size_t length;

	(void)size;
	if (!at)
		return 0;
	length = (size_t)(at - info->dlpi_name) + strlen("/nvidia");
	if (length >= SC_PATH_BYTES)
		return 0;
	memcpy(home, info->dlpi_name, length);
	home[length] = '\0';
	return 1;
}

static bool try_homes(const struct search *s)
{
	const size_t count = sizeof(folders) / sizeof(folders[0]);

	for (unsigned i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
		const char *home = getenv(homes[i]);

		if (home && *home && try_under(s, home, folders, count))
			return true;
	}
	return try_under(s, "/usr/local/cuda", folders, count);
}

static bool try_packages(const struct search *s)
{
	char home[SC_PATH_BYTES] = "";

	return dl_iterate_phdr(find_package, home) &&
	       try_under(s, home, packages, sizeof(packages) / sizeof(packages[0]));
}

/* CUPTI talks to NVIDIA's kernel driver; where that is not, neither is a use for it. */
static bool is_genuine(void)
{
	return !sc_sys_access("/dev/nvidiactl", F_OK) || !sc_sys_access("/dev/dxg", F_OK);
}

bool sc_cupti_is_simulated(void)
{
	void *driver = sc_entry_library();

	return driver && symbol_of(driver, SIMULATED, "cuptiSubscribe");
}

bool sc_cupti_find(struct sc_cupti_calls *calls, sc_cupti_accept *accept, void *context)
{
	struct search s = {calls, accept, context};
	void *driver = sc_entry_library();

	if (sc_cupti_is_simulated())
		return try_library(&s, driver, SIMULATED);
	if (!is_genuine())
		return false;
	return try_in(&s, "", "", RTLD_NOLOAD) || try_in(&s, "", "", 0) || try_packages(&s) ||
	       try_homes(&s);
}

void *sc_cupti_loaded(const char *symbol)
{
	void *library, *found = NULL;

	sc_self.busy++;
	for (unsigned i = 0; !found && i < SONAMES; i++) {
		library = SC_REAL(dlopen)(sonames[i], RTLD_NOLOAD | RTLD_LAZY);
		if (library)
			found = sc_real_dlsym()(library, symbol);
	}
	if (!found)
		found = sc_real_dlsym()(RTLD_NEXT, symbol);
	sc_self.busy--;
	return found;
}
