/* cuGetExportTable of the simulated driver: records that NVIDIA's own runtime was refused. */
#include "interposer/hook/export_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "interposer/driver/cuda.h"
#include "interposer/cupti/cupti.h"
#include "interposer/cupti/library.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/driver/entry.h"

static atomic_bool is_refused; /* the trace says that the runtime was refused */

#define REFUSES "refuses the simulated device, so no CUDA call of it ran; "
#define STATIC                                                                       \
	"all calls of %.*s: it carries NVIDIA's static CUDA runtime, which " REFUSES \
	"rebuild it with the shared runtime: nvcc --cudart shared"
#define PYTHON                                                                         \
	"all calls of %.*s: it carries NVIDIA's static CUDA runtime, which " REFUSES   \
	"check it on a GPU; what calls the driver (cuda.bindings.driver) or a shared " \
	"runtime (ctypes, libcudart.so) runs without one"
#define SHARED                                                                         \
	"all calls through %.*s: it is NVIDIA's own CUDA runtime, which " REFUSES      \
	"let the loader find streamcheck's: load the library by its name, not by its " \
	"path, and link with -Wl,--enable-new-dtags instead of a DT_RPATH"
#define PACKAGE                                                                    \
	"all calls through %.*s: it is NVIDIA's own CUDA runtime, which " REFUSES  \
	"the loader takes streamcheck's in its place if that is there first: run " \
	"with LD_PRELOAD=%.*s%s"

static bool is_shared_runtime(const char *file)
{
	const char *slash = strrchr(file, '/');

	return !strncmp(slash ? slash + 1 : file, "libcudart.so", strlen("libcudart.so"));
}

/* A library of a package, which nobody builds again. */
static bool is_in_package(const char *file)
{
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

/* The folder of the simulated driver, with the slash; its runtimes lie there too. */
static int folder_of_ours(const char **path)
{
	Dl_info info;
	const char *slash = NULL;

	if (dladdr((void *)atomic_load(&sc_entries.export_table), &info) && info.dli_fname)
		slash = strrchr(info.dli_fname, '/');
	*path = slash ? info.dli_fname : "";
	return slash ? (int)(slash + 1 - info.dli_fname) : 0;
}

static void report(const void *caller)
{
	Dl_info info;
	const char *file = dladdr(caller, &info) && info.dli_fname ? info.dli_fname : "a library";
	struct sc_op lost = sc_put_new(SC_OP_LOST);
	char text[2 * SC_PATH_BYTES + 256];
	const char *ours;
	int length = folder_of_ours(&ours);

	if (is_shared_runtime(file) && is_in_package(file) && length)
		snprintf(text, sizeof(text), PACKAGE, SC_PATH_BYTES, file, length, ours,
			 strrchr(file, '/') + 1);
	else
		snprintf(text, sizeof(text),
			 is_shared_runtime(file) ? SHARED
			 : is_in_package(file)	 ? PYTHON
						 : STATIC,
			 SC_PATH_BYTES, file);
	sc_put_source(text, false);
	lost.value = 1; /* at least */
	sc_put_op(&lost, NULL, 0);
	atomic_store(&sc_session.recorded, 1);
}

static CUresult CUDAAPI get_table(const void **table, const CUuuid *id)
{
	typeof(&cuGetExportTable) real =
		(typeof(&cuGetExportTable))atomic_load(&sc_entries.export_table);
	CUresult result = real(table, id);
	int saved = errno;

	if (result == CUDA_ERROR_NOT_SUPPORTED && !atomic_exchange(&is_refused, true))
		report(__builtin_return_address(0));
	errno = saved;
	return result;
}

void *sc_export_table_serve(const char *symbol, void *found)
{
	if (!found || strcmp(symbol, "cuGetExportTable") != 0)
		return found;
	atomic_store(&sc_cupti.has_runtime, true);
	if (!sc_cupti_is_simulated())
		return found;
	atomic_store(&sc_entries.export_table, found);
	return (void *)get_table;
}

const struct sc_module sc_module_export_table = {SC_MODULE_STATE(is_refused)};
