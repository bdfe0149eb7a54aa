/* Keeps the registered modules, kernels and variables, and loads modules when first used. */
#include "simulator/runtime/register.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "simulator/runtime/api.h"
#include "simulator/runtime/entry.h"
#include "simulator/runtime/lock.h"

#define SYMBOL_MAGIC 0x73696d72u
#define BUCKETS	     1024

enum kind { KERNEL, VARIABLE, MANAGED };

struct rt_symbol {
	uint32_t magic; /* SYMBOL_MAGIC: a stub's handle, no stray pointer */
	enum kind kind;
	const void *host;	   /* the address by which the program names it */
	const char *name;	   /* borrowed from the program's image */
	size_t size_bytes;	   /* of a variable, as the compiler says */
	struct module *module;	   /* borrowed */
	struct rt_symbol *next;	   /* owned by the bucket */
	struct rt_symbol *sibling; /* next of the same module */
	_Atomic(CUkernel) kernel;  /* borrowed from the driver, NULL until first use */
};

struct module {
	const void *image;	   /* borrowed: the compiler's wrapper of the fat binary */
	CUlibrary library;	   /* owned, NULL until loaded */
	struct rt_symbol *symbols; /* borrowed, the buckets own them */
	struct module *next;
};

/* Everything below is written under the lock. */
static struct rt_symbol *buckets[BUCKETS];
static struct module *modules; /* owned */

static struct rt_symbol **bucket_of(const void *host)
{
	uintptr_t bits = (uintptr_t)host >> 2;

	return &buckets[(bits ^ (bits >> 10) ^ (bits >> 20)) % BUCKETS];
}

static struct rt_symbol *find(const void *host)
{
	struct rt_symbol *symbol = *bucket_of(host);

	while (symbol && symbol->host != host)
		symbol = symbol->next;
	return symbol;
}

static struct rt_symbol *add(struct module *module, enum kind kind, const void *host,
			     const char *name, size_t size_bytes)
{
	struct rt_symbol **bucket = bucket_of(host);
	struct rt_symbol *symbol = calloc(1, sizeof(*symbol));

	if (!symbol)
		return NULL;
	symbol->magic = SYMBOL_MAGIC;
	symbol->kind = kind;
	symbol->host = host;
	symbol->name = name;
	symbol->size_bytes = size_bytes;
	symbol->module = module;
	symbol->next = *bucket;
	*bucket = symbol;
	symbol->sibling = module->symbols;
	module->symbols = symbol;
	return symbol;
}

static void drop(struct rt_symbol *symbol)
{
	struct rt_symbol **link = bucket_of(symbol->host);

	while (*link != symbol)
		link = &(*link)->next;
	*link = symbol->next;
	symbol->magic = 0;
	free(symbol);
}

/* A managed variable is reached through a pointer of the program, which is set here. */
static CUresult set_managed(const struct rt_calls *cu, struct module *module)
{
	for (struct rt_symbol *s = module->symbols; s; s = s->sibling) {
		CUdeviceptr address = 0;
		CUresult err;

		if (s->kind != MANAGED)
			continue;
		err = cu->cuLibraryGetManaged(&address, NULL, module->library, s->name);
		if (err)
			return err;
		*(CUdeviceptr *)s->host = address;
	}
	return CUDA_SUCCESS;
}

static bool is_leaving; /* the program runs its exit handlers */

static void leave(void)
{
	is_leaving = true;
}

/* Runs under the lock. A failure is not remembered: the next use tries again. Exit handlers run in
 * reverse order: ours before the one that the module was registered with. */
static CUresult load(struct module *module)
{
	const struct rt_calls *cu = rt_driver_calls(RT_LEGACY);
	CUresult err;

	if (module->library)
		return CUDA_SUCCESS;
	(void)atexit(leave);
	err = cu->cuLibraryLoadData(&module->library, module->image, NULL, NULL, 0, NULL, NULL, 0);
	if (err) {
		module->library = NULL;
		return err;
	}
	return set_managed(cu, module);
}

/* The host may use a managed variable at any time, so its module never waits for a first use. */
static bool has_managed(const struct module *module)
{
	const struct rt_symbol *s = module->symbols;

	while (s && s->kind != MANAGED)
		s = s->sibling;
	return s;
}

void rt_register_load(void)
{
	rt_lock();
	for (struct module *m = modules; m; m = m->next)
		if (rt_driver_is_eager() || has_managed(m))
			(void)load(m);
	rt_unlock();
}

/* Runs under the lock. */
static CUresult fetch(struct rt_symbol *symbol, CUkernel *kernel)
{
	const struct rt_calls *cu = rt_driver_calls(RT_LEGACY);
	CUresult err = load(symbol->module);

	if (!err)
		err = cu->cuLibraryGetKernel(kernel, symbol->module->library, symbol->name);
	if (err)
		return err == CUDA_ERROR_NOT_FOUND ? rt_fail(cudaErrorInvalidDeviceFunction) : err;
	/* Pairs with the acquire in resolve(). */
	atomic_store_explicit(&symbol->kernel, *kernel, memory_order_release);
	return CUDA_SUCCESS;
}

static CUresult resolve(struct rt_symbol *symbol, CUkernel *kernel)
{
	CUresult err = CUDA_SUCCESS;

	/* Pairs with the release in fetch(). */
	*kernel = atomic_load_explicit(&symbol->kernel, memory_order_acquire);
	if (*kernel)
		return CUDA_SUCCESS;
	rt_lock();
	err = fetch(symbol, kernel);
	rt_unlock();
	return err;
}

CUresult rt_kernel(const void *function, CUkernel *kernel)
{
	struct rt_symbol *symbol;

	rt_lock();
	symbol = find(function);
	rt_unlock();
	if (symbol && symbol->kind == KERNEL)
		return resolve(symbol, kernel);
	*kernel = (CUkernel)function;
	return function ? CUDA_SUCCESS : rt_fail(cudaErrorInvalidDeviceFunction);
}

CUresult rt_kernel_of_stub(const void *handle, CUkernel *kernel)
{
	struct rt_symbol *symbol = (struct rt_symbol *)handle;

	if (!symbol || symbol->magic != SYMBOL_MAGIC)
		return rt_fail(cudaErrorInvalidDeviceFunction);
	return resolve(symbol, kernel);
}

static const void *find_host(CUkernel kernel)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct rt_symbol *s = buckets[i]; s; s = s->next) {
			if (s->kind == KERNEL && atomic_load(&s->kernel) == kernel)
				return s->host;
		}
	}
	return kernel;
}

const void *rt_kernel_host(CUkernel kernel)
{
	const void *host;

	rt_lock();
	host = find_host(kernel);
	rt_unlock();
	return host;
}

/* Runs under the lock. */
static CUresult locate(const struct rt_symbol *symbol, CUdeviceptr *address)
{
	const struct rt_calls *cu = rt_driver_calls(RT_LEGACY);
	CUresult err = load(symbol->module);

	if (err)
		return err;
	if (symbol->kind == MANAGED)
		err = cu->cuLibraryGetManaged(address, NULL, symbol->module->library, symbol->name);
	else
		err = cu->cuLibraryGetGlobal(address, NULL, symbol->module->library, symbol->name);
	return err == CUDA_ERROR_NOT_FOUND ? rt_fail(cudaErrorInvalidSymbol) : err;
}

/* A managed variable is also known by the address that the program's pointer to it holds. */
static const struct rt_symbol *find_managed(const void *address)
{
	for (const struct module *m = modules; m; m = m->next) {
		for (const struct rt_symbol *s = m->symbols; m->library && s; s = s->sibling) {
			if (s->kind == MANAGED && *(void **)s->host == address)
				return s;
		}
	}
	return NULL;
}

CUresult rt_variable(const void *host, CUdeviceptr *address, size_t *size)
{
	CUresult err = rt_fail(cudaErrorInvalidSymbol);
	const struct rt_symbol *symbol;

	rt_lock();
	symbol = find(host);
	if (!symbol)
		symbol = find_managed(host);
	if (symbol && symbol->kind != KERNEL) {
		err = locate(symbol, address);
		*size = symbol->size_bytes;
	}
	rt_unlock();
	return err;
}

static void register_symbol(void **handle, enum kind kind, const void *host, const char *name,
			    size_t size_bytes)
{
	int saved_errno = errno;

	rt_lock();
	(void)add((struct module *)handle, kind, host, name, size_bytes);
	rt_unlock();
	errno = saved_errno;
}

RT_EXPORT void **__cudaRegisterFatBinary(void *image)
{
	int saved_errno = errno;
	struct module *module = calloc(1, sizeof(*module));

	if (module) {
		module->image = image;
		rt_lock();
		module->next = modules;
		modules = module;
		rt_unlock();
	}
	errno = saved_errno;
	return (void **)module;
}

/* Of a library that is opened late: what is not left to the first use is loaded now. */
RT_EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
	if (handle && rt_driver_is_open())
		rt_register_load();
}

static void unlink_module(const struct module *module)
{
	struct module **link = &modules;

	while (*link && *link != module)
		link = &(*link)->next;
	if (*link)
		*link = module->next;
}

/* Runs from the program's exit handlers too: there the device's work and the code that it runs are
 * the driver's to end. A module that goes before, with its library, is unloaded. */
RT_EXPORT void __cudaUnregisterFatBinary(void **handle)
{
	struct module *module = (struct module *)handle;
	int saved_errno = errno;

	if (!module)
		return;
	rt_lock();
	unlink_module(module);
	while (module->symbols) {
		struct rt_symbol *symbol = module->symbols;

		module->symbols = symbol->sibling;
		drop(symbol);
	}
	if (module->library && !is_leaving)
		(void)rt_driver_calls(RT_LEGACY)->cuLibraryUnload(module->library);
	rt_unlock();
	free(module);
	errno = saved_errno;
}

RT_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
				      const char *name, int thread_limit, uint3 *thread,
				      uint3 *block, dim3 *block_dim, dim3 *grid_dim, int *warp_size)
{
	(void)device, (void)thread_limit, (void)thread, (void)block;
	(void)block_dim, (void)grid_dim, (void)warp_size;
	if (handle)
		register_symbol(handle, KERNEL, host, name, 0);
}

RT_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
				 size_t size, int constant, int global)
{
	(void)device, (void)ext, (void)constant, (void)global;
	if (handle)
		register_symbol(handle, VARIABLE, host, name, size);
}

RT_EXPORT void __cudaRegisterManagedVar(void **handle, void **slot, char *device, const char *name,
					int ext, size_t size, int constant, int global)
{
	(void)device, (void)ext, (void)constant, (void)global;
	if (handle)
		register_symbol(handle, MANAGED, slot, name, size);
}

/* Host variables and tables matter only to code that a device executes; none runs here. */
RT_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
	(void)handle, (void)name, (void)host, (void)size;
}

#if RT_MAJOR >= 12
RT_EXPORT void __cudaRegisterUnifiedTable(void **handle, void *table)
{
	(void)handle, (void)table;
}
#else
/* References are refused where a program binds one. */
RT_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device,
				     const char *name, int dimensions, int normalized, int ext)
{
	(void)handle, (void)host, (void)device, (void)name;
	(void)dimensions, (void)normalized, (void)ext;
}

RT_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device,
				     const char *name, int dimensions, int ext)
{
	(void)handle, (void)host, (void)device, (void)name, (void)dimensions, (void)ext;
}
#endif

/* The compiler's code calls this before it touches a managed variable of the module. */
RT_EXPORT char __cudaInitModule(void **handle)
{
	struct rt_entry entry = rt_enter(RT_LEGACY, RT_CONTEXT);

	if (!entry.error && handle) {
		rt_lock();
		entry.error = (cudaError_t)load((struct module *)handle);
		rt_unlock();
	}
	return rt_leave(&entry) == cudaSuccess;
}

#if RT_MAJOR >= 12
RT_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *function)
{
	struct rt_symbol *symbol;

	rt_lock();
	symbol = find(function);
	rt_unlock();
	if (!handle || !symbol || symbol->kind != KERNEL)
		return cudaErrorInvalidDeviceFunction;
	*handle = (cudaKernel_t)symbol;
	return cudaSuccess;
}
#endif
