/* Libraries and their kernels. */
#include <stdlib.h>
#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/tool/tool.h"

static bool make_kernels(CUlibrary library)
{
	const struct sim_image *image = library->code->image;
	size_t i;

	library->kernels = calloc(image->kernel_count + 1, sizeof(*library->kernels));
	if (!library->kernels)
		return false;
	for (i = 0; i < image->kernel_count; i++) {
		library->kernels[i] = (struct CUkern_st){.library = library,
							 .image = &image->kernels[i],
							 .settings = {.carveout = -1}};
		if (!sim_handle_add(&library->kernels[i], SIM_KIND_KERNEL))
			return false;
	}
	return true;
}

static void destroy(CUlibrary library)
{
	size_t i;

	sim_handle_remove(library);
	for (i = 0; library->kernels && i < library->code->image->kernel_count; i++)
		sim_handle_remove(&library->kernels[i]);
	sim_module_free_managed(library);
	sim_code_put(library->code);
	free(library->kernels);
	free(library);
}

/* Takes the code over. */
static CUresult new_library(struct sim_code *code, CUlibrary *library)
{
	*library = sim_handle_new(SIM_KIND_LIBRARY, sizeof(**library));
	if (!*library) {
		sim_code_put(code);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*library)->code = code;
	if (make_kernels(*library) && sim_module_make_managed(*library))
		return CUDA_SUCCESS;
	destroy(*library);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* A library is whatever is given, and has no kernels if it is no code, or code that a linker takes
 * (an H200 says so of LTO-IR, objects, archives, and of bytes without a meaning). */
static CUresult load_empty(struct sim_code **code)
{
	*code = calloc(1, sizeof(**code));
	if (!*code)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*code)->refs = 1;
	(*code)->image = calloc(1, sizeof(*(*code)->image));
	if ((*code)->image)
		return CUDA_SUCCESS;
	free(*code);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
			       void **jitOptionsValues, unsigned int numJitOptions,
			       CUlibraryOption *libraryOptions, void **libraryOptionValues,
			       unsigned int numLibraryOptions)
{
	struct sim_code *loaded;
	CUresult result;

	if (!library || (numJitOptions && (!jitOptions || !jitOptionsValues)) ||
	    (numLibraryOptions && (!libraryOptions || !libraryOptionValues)))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_code_load(code, &loaded);
	if (result == CUDA_ERROR_INVALID_IMAGE)
		result = load_empty(&loaded);
	return result == CUDA_SUCCESS ? new_library(loaded, library) : result;
}

CUresult sim_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
				   CUjit_option *jitOptions, void **jitOptionsValues,
				   unsigned int numJitOptions, CUlibraryOption *libraryOptions,
				   void **libraryOptionValues, unsigned int numLibraryOptions)
{
	struct sim_code *loaded;
	CUresult result;

	if (!library || (numJitOptions && (!jitOptions || !jitOptionsValues)) ||
	    (numLibraryOptions && (!libraryOptions || !libraryOptionValues)))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_code_load_file(fileName, &loaded);
	return result == CUDA_SUCCESS ? new_library(loaded, library) : result;
}

CUresult sim_cuLibraryUnload(CUlibrary library)
{
	if (!sim_handle_is(library, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	if (sim_tool())
		sim_tool()->end_library(library);
	if (!sim_handle_is(library, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	sim_module_free_library(library);
	destroy(library);
	return CUDA_SUCCESS;
}

CUresult sim_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
	size_t i;

	if (!pKernel || !name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(library, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 0; i < library->code->image->kernel_count; i++)
		if (strcmp(library->kernels[i].image->name, name) == 0) {
			*pKernel = &library->kernels[i];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

CUresult sim_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(lib, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	*count = (unsigned int)lib->code->image->kernel_count;
	return CUDA_SUCCESS;
}

CUresult sim_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
	unsigned int i;

	if (!kernels)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(lib, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 0; i < numKernels && i < lib->code->image->kernel_count; i++)
		kernels[i] = &lib->kernels[i];
	return CUDA_SUCCESS;
}

CUresult sim_cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
	if (!pMod)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(library, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	return sim_module_of_library(library, sim_thread_context(), pMod);
}

CUresult sim_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
				const char *name)
{
	CUmodule module;
	CUresult result;

	if (!sim_handle_is(library, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	result = sim_module_of_library(library, sim_thread_context(), &module);
	if (result != CUDA_SUCCESS)
		return result;
	return sim_module_global(module, name, dptr, bytes);
}

CUresult sim_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
				 const char *name)
{
	if (!sim_handle_is(library, SIM_KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	return sim_module_managed(library, name, dptr, bytes);
}

CUresult sim_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
	CUmodule module;
	CUresult result;

	if (!pFunc)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(kernel, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	result = sim_module_of_library(kernel->library, sim_thread_context(), &module);
	if (result == CUDA_SUCCESS)
		*pFunc = &module->functions[kernel - kernel->library->kernels];
	return result;
}

CUresult sim_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
	if (!pLib)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(kernel, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	*pLib = kernel->library;
	return CUDA_SUCCESS;
}

CUresult sim_cuKernelGetName(const char **name, CUkernel hfunc)
{
	if (!name || !hfunc)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(hfunc, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	*name = hfunc->image->name;
	return CUDA_SUCCESS;
}

CUresult sim_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
				  size_t *paramSize)
{
	if (!sim_handle_is(kernel, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	return sim_function_param(kernel->image, paramIndex, paramOffset, paramSize);
}

CUresult sim_cuKernelGetParamCount(CUkernel kernel, size_t *paramCount)
{
	if (!sim_handle_is(kernel, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!paramCount)
		return CUDA_ERROR_INVALID_VALUE;
	*paramCount = kernel->image->param_count;
	return CUDA_SUCCESS;
}

CUresult sim_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel,
				  CUdevice dev)
{
	if (!pi)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_handle_is(kernel, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!sim_device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	return sim_function_attribute(kernel->library->code, sim_function_image((CUfunction)kernel),
				      attrib, &kernel->settings, pi);
}

CUresult sim_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel,
				  CUdevice dev)
{
	if (!sim_handle_is(kernel, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!sim_device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	return sim_function_set(attrib, val, sim_function_image((CUfunction)kernel),
				&kernel->settings);
}

CUresult sim_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
	if (!sim_handle_is(kernel, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!sim_device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	return config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
