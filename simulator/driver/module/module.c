/* Loading images and instantiating them in contexts. */
#include "simulator/driver/module/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "image/fatbin.h"
#include "image/text.h"
#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/module/program.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/tool/tool.h"

#define MOST_TEXT_BYTES ((size_t)256 << 20) /* of one text */
#define MOST_PARTS	4096		    /* of a device link */

static CUresult result_of(int err)
{
	if (err == -ENOMEM)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return err ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
}

/* The architecture that a text was compiled for, as in `.target sm_90`: 90; 0: it says none. */
static uint32_t target_of(const char *text, size_t size)
{
	static const char directive[] = ".target sm_";
	const char *at = memmem(text, size, directive, sizeof(directive) - 1);
	uint32_t arch = 0;

	if (!at)
		return 0;
	for (at += sizeof(directive) - 1; at < text + size && *at >= '0' && *at <= '9'; at++)
		if (arch < 10000)
			arch = arch * 10 + (uint32_t)(*at - '0');
	return arch;
}

static void take_text(void *context, const char *bytes, size_t size)
{
	struct sim_code *code = context;
	struct sim_text *text = malloc(sizeof(*text) + size);

	if (!text)
		return;
	if (!code->texts)
		code->arch = target_of(bytes, size);
	text->next = code->texts;
	text->size_bytes = size;
	memcpy(text->bytes, bytes, size);
	code->texts = text;
}

static void take_texts(struct sim_code *code, const void *data, size_t size)
{
	const struct sim_text_request request = {SIM_ARCH, MOST_TEXT_BYTES, take_text, code};
	bool is_sure;

	if (sim_program_is_on())
		sim_image_texts(data, size, &request, &is_sure);
}

/* Code of the image of `size` bytes, with one reference. */
static CUresult read_code(const void *data, size_t size, struct sim_code **code)
{
	struct sim_image *image = NULL;
	int err = sim_image_parse(data, size, &image);

	if (err)
		return result_of(err);
	*code = malloc(sizeof(**code));
	if (!*code) {
		sim_image_free(image);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	**code = (struct sim_code){.refs = 1, .image = image, .arch = image->arch};
	take_texts(*code, data, size);
	return CUDA_SUCCESS;
}

void simulated_giveText(void *handle, const void *image, size_t bytes)
{
	struct sim_code *code = NULL;

	sim_lock();
	if (sim_handle_is(handle, SIM_KIND_MODULE))
		code = ((CUmodule)handle)->code;
	else if (sim_handle_is(handle, SIM_KIND_LIBRARY))
		code = ((CUlibrary)handle)->code;
	if (code && (!code->texts || code->is_given)) {
		code->is_given = true;
		take_texts(code, image, bytes);
		if (sim_handle_is(handle, SIM_KIND_MODULE))
			sim_program_change(handle);
	}
	sim_unlock();
}

/* A device link has kept the machine code only; the texts are in the parts that were linked. */
static void take_parts(struct sim_code *code, const struct sim_fatbin_wrapper *wrapper)
{
	const void *const *parts = wrapper->linked;
	const void *bytes;
	size_t size;

	if (wrapper->magic != SIM_WRAPPER_MAGIC || wrapper->version != 2 || !parts)
		return;
	for (unsigned i = 0; i < MOST_PARTS && parts[i]; i++)
		if (!sim_image_locate(parts[i], &bytes, &size))
			take_texts(code, bytes, size);
}

CUresult sim_code_load(const void *data, struct sim_code **code)
{
	const void *bytes;
	CUresult result;
	size_t size;

	if (!data)
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_image_locate(data, &bytes, &size))
		return CUDA_ERROR_INVALID_IMAGE;
	result = read_code(bytes, size, code);
	if (result == CUDA_SUCCESS && bytes != data)
		take_parts(*code, data);
	return result;
}

CUresult sim_code_read(const void *data, size_t size, struct sim_code **code)
{
	uint32_t magic = 0;

	if (size >= sizeof(struct sim_fatbin_wrapper))
		memcpy(&magic, data, sizeof(magic));
	if (magic == SIM_WRAPPER_MAGIC)
		return sim_code_load(data, code);
	return read_code(data, size, code);
}

CUresult sim_code_load_file(const char *path, struct sim_code **code)
{
	CUresult result = CUDA_ERROR_FILE_NOT_FOUND;
	struct stat status;
	void *data;
	int fd;

	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return result;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		goto out;
	result = CUDA_ERROR_INVALID_IMAGE;
	if (status.st_size <= 0 || (size_t)status.st_size > SIM_IMAGE_MAX_BYTES)
		goto out;
	data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		goto out;
	result = read_code(data, (size_t)status.st_size, code);
	munmap(data, (size_t)status.st_size);
out:
	close(fd);
	return result;
}

void sim_texts_free(struct sim_text *texts)
{
	struct sim_text *text;

	while ((text = texts)) {
		texts = text->next;
		free(text);
	}
}

void sim_code_put(struct sim_code *code)
{
	sc_assert(code->refs > 0);
	if (--code->refs)
		return;
	sim_texts_free(code->texts);
	sim_image_free(code->image);
	free(code);
}

/* A managed variable is managed memory; any other is device memory of the context's device. */
static struct sim_alloc *new_variable(CUcontext context, struct sim_device *device,
				      const struct sim_image_global *global)
{
	size_t size = global->size_bytes ? global->size_bytes : 1;
	struct sim_backing *backing;
	struct sim_alloc *alloc = NULL;

	if (!global->is_managed) {
		if (sim_memory_new_device(device, size, &alloc) != CUDA_SUCCESS)
			return NULL;
	} else {
		backing = sim_backing_new_shared(size, NULL);
		if (backing)
			alloc = sim_memory_add((struct sim_alloc){.place = SIM_PLACE_MANAGED,
								  .base = (uintptr_t)backing->host,
								  .size_bytes = size,
								  .device = device,
								  .backing = backing});
	}
	if (!alloc)
		return NULL;
	alloc->context = context;
	alloc->is_module = true;
	if (global->initial_bytes)
		memcpy(alloc->backing->bytes, global->initial, global->initial_bytes);
	return alloc;
}

bool sim_module_make_managed(CUlibrary library)
{
	const struct sim_image *image = library->code->image;

	library->managed = calloc(image->global_count + 1, sizeof(struct sim_alloc *));
	if (!library->managed)
		return false;
	for (size_t i = 0; i < image->global_count; i++) {
		if (!image->globals[i].is_managed)
			continue;
		library->managed[i] = new_variable(NULL, sim_device_get(0), &image->globals[i]);
		if (!library->managed[i])
			return false;
	}
	return true;
}

void sim_module_free_managed(CUlibrary library)
{
	for (size_t i = 0; library->managed && i < library->code->image->global_count; i++)
		if (library->managed[i])
			sim_memory_remove(library->managed[i]);
	free(library->managed);
}

/* The library's own, if the variable is managed; NULL: the module has one of its own. */
static struct sim_alloc *of_library(CUmodule module, size_t i)
{
	return module->library ? module->library->managed[i] : NULL;
}

static bool make_globals(CUmodule module)
{
	const struct sim_image *image = module->code->image;
	size_t i;

	module->globals = calloc(image->global_count + 1, sizeof(struct sim_alloc *));
	if (!module->globals)
		return false;
	for (i = 0; i < image->global_count; i++) {
		module->globals[i] = of_library(module, i);
		if (!module->globals[i])
			module->globals[i] = new_variable(module->context, module->context->device,
							  &image->globals[i]);
		if (!module->globals[i])
			return false;
	}
	return true;
}

static bool make_functions(CUmodule module)
{
	const struct sim_image *image = module->code->image;
	size_t i;

	module->functions = calloc(image->kernel_count + 1, sizeof(*module->functions));
	if (!module->functions)
		return false;
	for (i = 0; i < image->kernel_count; i++) {
		module->functions[i] = (struct CUfunc_st){
			.module = module,
			.image = &image->kernels[i],
			.kernel = module->library ? &module->library->kernels[i] : NULL,
			.settings = {.carveout = -1}};
		if (!sim_handle_add(&module->functions[i], SIM_KIND_FUNCTION))
			return false;
	}
	return true;
}

static void destroy(CUmodule module)
{
	const struct sim_image *image = module->code->image;
	size_t i;

	sim_handle_remove(module);
	sim_program_end_module(module);
	for (i = 0; module->functions && i < image->kernel_count; i++) {
		sim_handle_remove(&module->functions[i]);
		free(module->functions[i].old);
	}
	for (i = 0; module->globals && i < image->global_count; i++)
		if (module->globals[i] && !of_library(module, i))
			sim_memory_remove(module->globals[i]);
	sim_code_put(module->code);
	sim_texts_free(module->changed);
	free(module->functions);
	free(module->globals);
	free(module);
}

CUresult sim_module_new(CUcontext context, struct sim_code *code, CUlibrary library,
			CUmodule *module)
{
	*module = sim_handle_new(SIM_KIND_MODULE, sizeof(**module));
	if (!*module)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*module)->context = context;
	(*module)->library = library;
	(*module)->code = code;
	code->refs++;
	if (!make_functions(*module) || !make_globals(*module)) {
		destroy(*module);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	sim_program_start_module(*module);
	(*module)->next = context->modules;
	context->modules = *module;
	sim_tool_add();
	return CUDA_SUCCESS;
}

CUresult sim_module_of_library(CUlibrary library, CUcontext context, CUmodule *module)
{
	for (*module = context->modules; *module; *module = (*module)->next)
		if ((*module)->library == library)
			return CUDA_SUCCESS;
	return sim_module_new(context, library->code, library, module);
}

void sim_module_free(CUmodule module)
{
	CUmodule *link = &module->context->modules;

	while (*link && *link != module)
		link = &(*link)->next;
	if (*link)
		*link = module->next;
	destroy(module);
}

void sim_module_free_all(CUcontext context)
{
	while (context->modules)
		sim_module_free(context->modules);
}

void sim_module_free_library(CUlibrary library)
{
	CUcontext context;
	CUmodule module, next;

	for (context = sim_context_first(); context; context = context->next)
		for (module = context->modules; module; module = next) {
			next = module->next;
			if (module->library == library)
				sim_module_free(module);
		}
}

static CUresult load(CUmodule *module, const void *image)
{
	struct sim_code *code;
	CUresult result;

	if (!module)
		return CUDA_ERROR_INVALID_VALUE;
	sim_context_print(sim_thread_context());
	result = sim_code_load(image, &code);
	if (result != CUDA_SUCCESS)
		return result;
	result = sim_module_new(sim_thread_context(), code, NULL, module);
	sim_code_put(code);
	return result;
}

CUresult sim_cuModuleLoadData(CUmodule *module, const void *image)
{
	return load(module, image);
}

/* The options concern a translation that does not take place. */
CUresult sim_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
				CUjit_option *options, void **optionValues)
{
	if (numOptions && (!options || !optionValues))
		return CUDA_ERROR_INVALID_VALUE;
	return load(module, image);
}

CUresult sim_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
	return load(module, fatCubin);
}

CUresult sim_cuModuleLoad(CUmodule *module, const char *fname)
{
	struct sim_code *code;
	CUresult result;

	if (!module)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_code_load_file(fname, &code);
	if (result != CUDA_SUCCESS)
		return result;
	result = sim_module_new(sim_thread_context(), code, NULL, module);
	sim_code_put(code);
	return result;
}

CUresult sim_cuModuleUnload(CUmodule hmod)
{
	sim_context_print(sim_thread_context());
	if (!sim_handle_is(hmod, SIM_KIND_MODULE) || hmod->library)
		return CUDA_ERROR_INVALID_HANDLE;
	if (sim_tool())
		sim_tool()->end_module(hmod);
	if (!sim_handle_is(hmod, SIM_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_module_free(hmod);
	return CUDA_SUCCESS;
}

CUresult sim_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
	size_t i;

	if (!hfunc || !name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(hmod, SIM_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 0; i < hmod->code->image->kernel_count; i++)
		if (strcmp(hmod->functions[i].image->name, name) == 0) {
			*hfunc = &hmod->functions[i];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

CUresult sim_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(mod, SIM_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	*count = (unsigned int)mod->code->image->kernel_count;
	return CUDA_SUCCESS;
}

CUresult sim_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
					CUmodule mod)
{
	unsigned int i;

	if (!functions)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(mod, SIM_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 0; i < numFunctions && i < mod->code->image->kernel_count; i++)
		functions[i] = &mod->functions[i];
	return CUDA_SUCCESS;
}

/* Of the variables that have memory in this list. */
static CUresult find_global(const struct sim_image *image, struct sim_alloc *const *memory,
			    const char *name, CUdeviceptr *dptr, size_t *bytes)
{
	if (!name || (!dptr && !bytes))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < image->global_count; i++) {
		if (!memory[i] || strcmp(image->globals[i].name, name) != 0)
			continue;
		if (dptr)
			*dptr = memory[i]->base;
		if (bytes)
			*bytes = image->globals[i].size_bytes;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_NOT_FOUND;
}

struct sim_alloc *sim_module_own_global(CUmodule module, const char *name)
{
	const struct sim_image *image = module->code->image;

	for (size_t i = 0; i < image->global_count; i++)
		if (strcmp(image->globals[i].name, name) == 0)
			return of_library(module, i) ? NULL : module->globals[i];
	return NULL;
}

CUresult sim_module_global(CUmodule module, const char *name, CUdeviceptr *dptr, size_t *bytes)
{
	return find_global(module->code->image, module->globals, name, dptr, bytes);
}

CUresult sim_module_managed(CUlibrary library, const char *name, CUdeviceptr *dptr, size_t *bytes)
{
	return find_global(library->code->image, library->managed, name, dptr, bytes);
}

CUresult sim_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
	if (!sim_handle_is(hmod, SIM_KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	return sim_module_global(hmod, name, dptr, bytes);
}

/* CUDA_MODULE_LOADING as on a device: lazy unless EAGER is asked for. */
CUresult sim_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	const char *text = getenv("CUDA_MODULE_LOADING");

	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = text && strcmp(text, "EAGER") == 0 ? CU_MODULE_EAGER_LOADING
						   : CU_MODULE_LAZY_LOADING;
	return CUDA_SUCCESS;
}
