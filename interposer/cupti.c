/* CUPTI's runtime domain: found, subscribed to, and its callbacks turned into ops. */
#include "interposer/cupti.h"

/* before CUPTI's header, which includes cuda.h its own way */
#include "interposer/cuda.h"
#include <cupti_callbacks.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "interposer/runtime.h"
#include "interposer/session.h"

enum { NOT_TRIED, TRIED };

/* Newest first; each works with programs of older toolkits, as long as the driver is as new. */
static const char *const sonames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};
static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDAToolkit_ROOT"};
static const char *const folders[] = {"lib64", "lib", "extras/CUPTI/lib64"};
static const char *const packages[] = {"cu13/lib", "cuda_cupti/lib"}; /* of Python, under nvidia/ */

/* ---- finding the library ---- */

static void *open_in(const char *home, const char *folder)
{
	char path[SC_PATH_BYTES];
	void *library = NULL;

	for (unsigned i = 0; !library && i < sizeof(sonames) / sizeof(sonames[0]); i++) {
		int n = snprintf(path, sizeof(path), "%s%s%s%s%s", home, *home ? "/" : "", folder,
				 *folder ? "/" : "", sonames[i]);

		if (n < (int)sizeof(path) && (!*home || !access(path, R_OK)))
			library = SC_REAL(dlopen)(path, RTLD_LAZY | RTLD_LOCAL);
	}
	return library;
}

static void *open_under(const char *home)
{
	void *library = NULL;

	for (unsigned i = 0; !library && i < sizeof(folders) / sizeof(folders[0]); i++)
		library = open_in(home, folders[i]);
	return library;
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

static void *open_library(void)
{
	char package[SC_PATH_BYTES] = "";
	void *library = open_in("", "");

	for (unsigned i = 0; !library && i < sizeof(homes) / sizeof(homes[0]); i++) {
		const char *home = getenv(homes[i]);

		if (home && *home)
			library = open_under(home);
	}
	if (!library && dl_iterate_phdr(find_package, package)) {
		for (unsigned i = 0; !library && i < sizeof(packages) / sizeof(packages[0]); i++)
			library = open_in(package, packages[i]);
	}
	return library ? library : open_under("/usr/local/cuda");
}

/* ---- listening ---- */

/* "cudaMemcpyAsync_ptsz_v7000" is the program's cudaMemcpyAsync. */
static void note(const char *name)
{
	const char *version = strstr(name, "_v");
	size_t length = version ? (size_t)(version - name) : strlen(name);
	char plain[96];

	if (!strncmp(name, "cudaGetErrorName", 16) || !strncmp(name, "cudaGetErrorString", 18))
		return;
	if (length > 5 && !strncmp(name + length - 5, "_pts", 4))
		length -= 5;
	if (length >= sizeof(plain))
		length = sizeof(plain) - 1;
	memcpy(plain, name, length);
	plain[length] = '\0';
	sc_runtime_note(plain);
}

static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const void *data)
{
	const CUpti_CallbackData *call = data;
	int saved = errno;

	(void)unused;
	(void)id;
	if (!sc_self.callback || sc_self.busy || domain != CUPTI_CB_DOMAIN_RUNTIME_API)
		return;
	if (call->callbackSite == CUPTI_API_ENTER) {
		if (!sc_self.in_runtime++ && call->functionName && sc_session_is_live())
			note(call->functionName);
	} else if (sc_self.in_runtime) {
		sc_self.in_runtime--;
	}
	errno = saved;
}

static bool subscribe(void *library)
{
	typeof(&cuptiSubscribe) subscribe_to = sc_real_dlsym()(library, "cuptiSubscribe");
	typeof(&cuptiEnableDomain) enable = sc_real_dlsym()(library, "cuptiEnableDomain");
	CUpti_SubscriberHandle subscriber;

	if (!subscribe_to || !enable)
		return false;
	if (subscribe_to(&subscriber, on_call, NULL) != CUPTI_SUCCESS)
		return false;
	return enable(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API) == CUPTI_SUCCESS;
}

/* CUPTI talks to NVIDIA's kernel driver; where that is not, neither is a use for it. */
static bool is_genuine(void)
{
	return !access("/dev/nvidiactl", F_OK) || !access("/dev/dxg", F_OK);
}

void sc_cupti_want(void)
{
	unsigned none = NOT_TRIED;
	void *library;
	bool works;
	int saved = errno;

	if (!atomic_compare_exchange_strong(&sc_session.cupti, &none, TRIED))
		return;
	if (sc_runtime_is_seen()) {
		sc_session_source("runtime calls inside host functions", true);
		return;
	}
	sc_self.busy++;
	library = is_genuine() ? open_library() : NULL;
	works = library && subscribe(library);
	sc_self.busy--;
	sc_session_source(works ? "runtime calls inside host functions (CUPTI)"
				: "runtime calls inside host functions (needs CUPTI)",
			  works);
	errno = saved;
}
