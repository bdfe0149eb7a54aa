/* Finds the driver library, fetches every entry point of driver.def and starts the driver. */
#include "simulator/runtime/driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "simulator/runtime/lock.h"
#include "simulator/runtime/properties.h"
#include "simulator/runtime/register.h"
#include "simulator/runtime/version.h"

enum state { CLOSED, OPENING, OPEN, FAILED };

static const struct row {
	const char *name;
	int version;		/* least API version that has the wanted signature */
	int per_thread_version; /* the same for the per-thread form, 0 if there is none */
	size_t offset;
} rows[] = {
#define DRIVER(name, version, per_thread_version) \
	{#name, version, per_thread_version, offsetof(struct rt_calls, name)},
#include "simulator/runtime/driver.def"
#undef DRIVER
};

static struct rt_calls calls[2]; /* indexed by enum rt_flavour, constant once open */
static __typeof__(&cuGetProcAddress) get_proc_address;
static bool (*has_tool)(void); /* NULL: another driver, which has none */
static cudaError_t failure;
static bool is_eager;
static _Atomic enum state state; /* written under the lock; OPEN releases calls[] */

/* Stands in for what the driver lacks; the true argument list does not matter to it. */
static CUresult missing(void)
{
	return rt_fail(cudaErrorCallRequiresNewerDriver);
}

static void *find(const struct row *row, int version, cuuint64_t flags)
{
	void *function = NULL;

	if (get_proc_address(row->name, &function, version, flags, NULL) != CUDA_SUCCESS)
		return NULL;
	return function;
}

static void put(enum rt_flavour flavour, const struct row *row, void *function)
{
	void *const stand_in = (void *)missing;
	char *const table = (char *)&calls[flavour];

	memcpy(table + row->offset, function ? &function : &stand_in, sizeof(function));
}

static void resolve(void)
{
	void *ignored = NULL;

	get_proc_address("", &ignored, 0, CU_GET_PROC_ADDRESS_DEFAULT, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		void *legacy = find(row, row->version, CU_GET_PROC_ADDRESS_DEFAULT);
		void *per_thread = legacy;

		if (row->per_thread_version)
			per_thread = find(row, row->per_thread_version,
					  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
		put(RT_LEGACY, row, legacy);
		put(RT_PER_THREAD, row, per_thread);
	}
}

static CUresult start(void)
{
	const struct rt_calls *cu = &calls[RT_LEGACY];
	CUmoduleLoadingMode mode = CU_MODULE_LAZY_LOADING;
	int version = 0;
	CUresult err = cu->cuDriverGetVersion(&version);

	if (err || version < RT_VERSION)
		return rt_fail(cudaErrorInsufficientDriver);
	err = cu->cuInit(0);
	if (err)
		return err;
	if (!cu->cuModuleGetLoadingMode(&mode))
		is_eager = mode == CU_MODULE_EAGER_LOADING;
	return rt_properties_read(cu);
}

static cudaError_t load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (library) {
		*(void **)&get_proc_address = dlsym(library, "cuGetProcAddress_v2");
		*(void **)&has_tool = dlsym(library, "simulated_hasTool");
	}
	if (!get_proc_address)
		return cudaErrorInsufficientDriver;
	resolve();
	return (cudaError_t)start();
}

/* Runs under the lock. A call that arrives while the driver is being opened comes from within. */
static void open_once(void)
{
	if (atomic_load_explicit(&state, memory_order_relaxed) != CLOSED)
		return;
	atomic_store_explicit(&state, OPENING, memory_order_relaxed);
	failure = load();
	/* Pairs with the acquire in rt_driver_open(). */
	atomic_store_explicit(&state, failure ? FAILED : OPEN, memory_order_release);
	if (!failure)
		rt_register_load();
}

cudaError_t rt_driver_open(void)
{
	/* Pairs with the release in open_once(). */
	enum state seen = atomic_load_explicit(&state, memory_order_acquire);

	if (seen == OPEN)
		return cudaSuccess;
	rt_lock();
	open_once();
	seen = atomic_load_explicit(&state, memory_order_relaxed);
	rt_unlock();
	if (seen == OPENING)
		return cudaErrorInitializationError;
	return seen == OPEN ? cudaSuccess : failure;
}

bool rt_driver_is_open(void)
{
	return atomic_load_explicit(&state, memory_order_acquire) == OPEN;
}

const struct rt_calls *rt_driver_calls(enum rt_flavour flavour)
{
	return &calls[flavour];
}

bool rt_driver_is_eager(void)
{
	return is_eager;
}

bool rt_driver_has_tool(void)
{
	return has_tool && has_tool();
}

CUresult rt_driver_find(const char *name, void **function, int version, cuuint64_t flags,
			CUdriverProcAddressQueryResult *status)
{
	return get_proc_address(name, function, version, flags, status);
}
