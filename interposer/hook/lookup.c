/* The hooks of dlsym, dlopen and cuGetProcAddress. */
#include "interposer/hook/lookup.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>
#include "interposer/library/library.h"
#include "interposer/object/embedded.h"
#include "interposer/core/code_range.h"
#include "interposer/core/absent.h"
#include "interposer/core/reference.h"
#include "extensions/agents/agent.h"
#include "interposer/hook/export_table.h"
#include "interposer/hook/unknown.h"
#include "interposer/hook/wrapper.h"
#include "interposer/runtime/runtime.h"
#include "interposer/core/message.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/python/python.h"
#include "interposer/cupti/cupti.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "interposer/driver/entry.h"
#include "interposer/driver/driver.h"
#include "interposer/call/api.h"

#define EXPORT __attribute__((visibility("default")))

#define VERSION_2_SINCE 12000 /* cuGetProcAddress_v2 under the name cuGetProcAddress */

static struct {
	atomic_uint deep_binds; /* libraries loaded with RTLD_DEEPBIND: their calls escape */
	int driver_version;
} lookups;

enum { PLAIN_GET, SECOND_GET, NO_GET };

static int get_of(const char *name)
{
	if (!strcmp(name, "cuGetProcAddress"))
		return PLAIN_GET;
	return strcmp(name, "cuGetProcAddress_v2") ? NO_GET : SECOND_GET;
}

static void *get_wrapper(int get)
{
	return get == PLAIN_GET ? (void *)cuGetProcAddress : (void *)cuGetProcAddress_v2;
}

/* The real look-up. This library is found before the real ones in the global scope, so the look-up
 * there goes on after it; a program that only asks whether there is a driver must get the true
 * answer. */
static void *look_up(void *handle, const char *name)
{
	void *found = sc_real_dlsym()(handle, name);

	return found && sc_code_range_file_kind(found) == SC_CODE_OWN
		       ? sc_real_dlsym()(RTLD_NEXT, name)
		       : found;
}

/* A runtime's name is looked up in the global scope: our wrappers are there in three versions, but
 * the look-up names no version. The true answer is the function itself. */
static struct sc_lookup_answer look_up_runtime(void *handle, const char *name)
{
	struct sc_lookup_answer answer = {NULL, NULL};

	if (handle != RTLD_DEFAULT)
		answer.result = sc_real_dlsym()(handle, name);
	if (!answer.result && handle != RTLD_DEFAULT)
		return answer;
	if (!answer.result || sc_code_range_file_kind(answer.result) == SC_CODE_OWN)
		answer.result = sc_runtime_find(name);
	return answer;
}

/* A program that looks CUPTI's functions up goes through ours, if the real ones are there. */
static struct sc_lookup_answer look_up_cupti(void *handle, const char *name)
{
	struct sc_lookup_answer pass = {NULL, (void *)sc_real_dlsym()}, served = {NULL, NULL};

	served.result = sc_cupti_wrapper(name);
	if (!served.result)
		return pass;
	return sc_real_dlsym()(handle, name) ? served : pass;
}

/* The libraries' functions: where they are looked up in the global scope, ours are found first. */
static struct sc_lookup_answer look_up_library(void *handle, const char *name)
{
	struct sc_lookup_answer answer = {NULL, (void *)sc_real_dlsym()};
	struct sc_named_function found = sc_library_function(name);

	if (!found.function)
		return answer;
	answer = (struct sc_lookup_answer){look_up(handle, name), NULL};
	if (answer.result && sc_code_range_file_kind(answer.result) == SC_CODE_LIBRARY)
		answer.result = sc_library_serve(found, answer.result);
	return answer;
}

/* The first letters of the libraries' names that are not CUDA's: of OpenMP's runtime and NVIDIA's.
 */
static bool may_be_library(const char *name)
{
	return name[0] == 'G' || name[0] == 'o' || !strncmp(name, "nv", 2) ||
	       !strncmp(name, "nccl", 4) || !strncmp(name, "__nv", 4);
}

/* UCX writes jumps into the first instructions of the driver's functions, so that it learns of
 * memory that they make and free. It must be given those functions: where it cannot write, as in
 * ours, it works without its caches, and sends twice as slowly. Our calls go through its jumps,
 * too. */
static bool patches_code(const void *caller)
{
	Dl_info info;
	const char *slash;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	return !strncmp(slash ? slash + 1 : info.dli_fname, "libucm", strlen("libucm"));
}

/* A function of the driver that came after this version, if it is one of the driver. */
static struct sc_lookup_answer look_up_unknown(void *handle, const char *name, const void *caller)
{
	void *found = look_up(handle, name);

	if (!found || sc_code_range_file_kind(found) != SC_CODE_DRIVER || patches_code(caller) ||
	    !strcmp(name, "cuGetExportTable"))
		return (struct sc_lookup_answer){NULL, (void *)sc_real_dlsym()};
	sc_session_start();
	return (struct sc_lookup_answer){sc_unknown_serve(name, found), NULL};
}

/* What this thread loaded is complete. */
static void settle_loads(void)
{
	if (!sc_self.busy)
		sc_references_settle();
}

/* The global scope: the handle of the program itself is the first of the loader's list. */
static bool is_global(const void *handle)
{
	return handle == RTLD_DEFAULT || handle == RTLD_NEXT || handle == _r_debug.r_map;
}

/* Whether the look-up would find ours alone: nothing comes after it in the global scope, nor in
 * that of the caller. Leaves the loader's error for the program if so. */
static bool is_absent(const char *name, const void *caller)
{
	void *found;

	if (!sc_absent_may_be(name) || sc_real_dlsym()(RTLD_NEXT, name))
		return false;
	found = sc_function_of_caller(name, caller);
	if (found && sc_code_range_file_kind(found) != SC_CODE_OWN)
		return false;
	sc_real_dlsym()(RTLD_NEXT, name);
	return true;
}

/* The wrapper of an agent's function where the global scope has the library's, and nobody's before
 * it. What the caller was linked with alone is found by the caller. */
static void *look_up_agent(void *handle, const char *name, const void *caller)
{
	void *behind_us, *wrapper = sc_agent_may_be(name) ? sc_agent_called(name) : NULL;

	if (!wrapper)
		return NULL;
	behind_us = sc_real_dlsym()(RTLD_NEXT, name);
	if (handle == RTLD_NEXT)
		return behind_us && sc_references_is_next(name, caller) ? wrapper : NULL;
	if (sc_real_dlsym()(RTLD_DEFAULT, name) != behind_us)
		return NULL;
	return behind_us || sc_function_of_caller(name, caller) ? wrapper : NULL;
}

struct sc_lookup_answer sc_lookup_dlsym(void *handle, const char *name, const void *caller)
{
	struct sc_lookup_answer pass = {NULL, (void *)sc_real_dlsym()}, served = {NULL, NULL};
	bool per_thread = false;
	int row = -1, get = NO_GET;

	sc_python_compare(); /* the interpreter looks functions up inside its lock */
	settle_loads();
	if (name && !sc_self.busy && is_global(handle) && is_absent(name, caller))
		return served;
	if (!name || sc_self.busy)
		return pass;
	if (handle == RTLD_NEXT || (is_global(handle) && !may_be_library(name) && name[0] != 'c'))
		served.result = look_up_agent(handle, name, caller);
	if (served.result)
		return served;
	if (handle == RTLD_NEXT)
		return pass;
	if (may_be_library(name))
		return look_up_library(handle, name);
	if (name[0] != 'c' || name[1] != 'u')
		return pass;
	if (!strncmp(name, "cuda", 4))
		return look_up_runtime(handle, name);
	if (!strncmp(name, "cupti", 5))
		return look_up_cupti(handle, name);
	get = get_of(name);
	if (get == NO_GET)
		row = sc_api_symbol(name, &per_thread);
	if (get == NO_GET && row < 0)
		return isupper((unsigned char)name[2]) ? look_up_unknown(handle, name, caller)
						       : look_up_library(handle, name);
	served.result = look_up(handle, name);
	if (!served.result || sc_code_range_file_kind(served.result) != SC_CODE_DRIVER ||
	    patches_code(caller))
		return served;
	sc_session_start();
	if (get != NO_GET) {
		atomic_store(&sc_entries.get_proc_address[get], served.result);
		served.result = get_wrapper(get);
	} else {
		sc_entry_learn(row, per_thread, served.result);
		served.result = sc_wrapper_of(row, per_thread);
	}
	return served;
}

/* Whether there is one is seen at the end: only the loader knows where this caller's is. */
static void note_driver(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (file && !strcmp(slash ? slash + 1 : file, "libcuda.so.1"))
		atomic_store(&sc_entries.asker, getpid());
}

/* True if who loads it does not matter: the loader asks for its run path only where it searches. */
static bool is_anybodys(const char *file)
{
	return file && strchr(file, '/') && !strchr(file, '$') && !sc_references_have_rpath();
}

struct sc_lookup_answer sc_lookup_dlopen(const char *file, int mode)
{
	void *real = sc_real_find(SC_REAL_dlopen);

	settle_loads();
	if (!sc_self.busy) {
		note_driver(file);
		sc_references_load(mode & RTLD_DEEPBIND);
	}
	/* Such a library binds to its own libc first; its look-ups of the driver escape us. */
	if ((mode & RTLD_DEEPBIND) && !sc_self.busy && !atomic_fetch_add(&lookups.deep_binds, 1) &&
	    sc_session_is_live())
		sc_put_source("libraries loaded with RTLD_DEEPBIND", false);
	return is_anybodys(file) && !sc_self.busy ? (struct sc_lookup_answer){real, NULL}
						  : (struct sc_lookup_answer){NULL, real};
}

void sc_lookup_dlopened(void *handle)
{
	if (!sc_self.busy)
		sc_references_loaded(handle); /* the loader's handles are its objects */
}

/* What a library's destructors launch is looked at again, too. */
void *sc_lookup_dlclose(void *handle)
{
	(void)handle;
	settle_loads();
	sc_lookup_dlclosed();
	return sc_real_find(SC_REAL_dlclose);
}

/* Device code of a library goes with it, unseen where it was loaded so. */
void sc_lookup_dlclosed(void)
{
	if (!sc_self.busy)
		sc_embedded_changed();
}

/* ---- cuGetProcAddress ---- */

/* The driver never hands out a newer version than its own. */
static int cap_version(int version)
{
	const struct sc_driver *d = sc_driver();
	int own = 0;

	if (!lookups.driver_version && d->DriverGetVersion && !d->DriverGetVersion(&own))
		lookups.driver_version = own;
	own = lookups.driver_version;
	return own && own < version ? own : version;
}

static void *real_get(int get, const char *name)
{
	void *_Atomic *slot = &sc_entries.get_proc_address[get];
	void *found = atomic_load(slot);

	if (found || !sc_entry_library())
		return found;
	found = sc_real_dlsym()(sc_entry_library(), name);
	atomic_store(slot, found);
	return found;
}

/* Whether what was found is a form that came after the headers: then they find another one. */
static bool is_newer_form(const char *symbol, void *found, int version, cuuint64_t flags)
{
	typeof(&cuGetProcAddress_v2) real = real_get(SECOND_GET, "cuGetProcAddress_v2");
	CUdriverProcAddressQueryResult status;
	void *known = NULL;

	return cap_version(version) > CUDA_VERSION && real &&
	       !real(symbol, &known, CUDA_VERSION, flags, &status) && known != found;
}

/* Replaces a pointer that the real function found. */
static void serve(const char *symbol, void **function, int version, cuuint64_t flags)
{
	bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	int row, get = get_of(symbol);

	if (get == PLAIN_GET) {
		get = cap_version(version) >= VERSION_2_SINCE ? SECOND_GET : PLAIN_GET;
		if (!sc_code_range_is_own(&sc_code_ranges, (uint64_t)*function))
			atomic_store(&sc_entries.get_proc_address[get], *function);
		*function = get_wrapper(get);
		return;
	}
	row = sc_api_choose(symbol, cap_version(version), &per_thread);
	if (row < 0 && !strcmp(symbol, "cuGetExportTable")) {
		*function = sc_export_table_serve(symbol, *function);
		return;
	}
	if (row < 0 || is_newer_form(symbol, *function, version, flags)) {
		*function = *symbol ? sc_unknown_serve(symbol, *function) : *function;
		return;
	}
	/* A driver whose own names can be preempted finds us; the real one is looked up when
	 * needed. */
	if (!sc_code_range_is_own(&sc_code_ranges, (uint64_t)*function))
		sc_entry_learn(row, per_thread, *function);
	*function = sc_wrapper_of(row, per_thread);
}

EXPORT CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
	typeof(&cuGetProcAddress) real = real_get(PLAIN_GET, "cuGetProcAddress");
	CUresult result;
	int saved;

	if (!real)
		return CUDA_ERROR_NOT_INITIALIZED;
	sc_session_start();
	sc_python_compare(); /* bindings look functions up inside the lock, and call them outside */
	result = real(symbol, function, version, flags);
	saved = errno;
	if (!result && symbol && function && *function)
		serve(symbol, function, version, flags);
	errno = saved;
	return result;
}

EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version,
				    cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
	typeof(&cuGetProcAddress_v2) real = real_get(SECOND_GET, "cuGetProcAddress_v2");
	CUresult result;
	int saved;

	if (!real)
		return CUDA_ERROR_NOT_INITIALIZED;
	sc_session_start();
	sc_python_compare();
	result = real(symbol, function, version, flags, status);
	saved = errno;
	if (!result && symbol && function && *function)
		serve(symbol, function, version, flags);
	errno = saved;
	return result;
}

/* ---- the module ---- */

static void begin(void)
{
	if (atomic_load(&lookups.deep_binds))
		sc_put_source("libraries loaded with RTLD_DEEPBIND", false);
}

const struct sc_module sc_module_lookup = {.begin = begin, SC_MODULE_STATE(lookups)};
