/* Functions: attributes, parameters, names. */
#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/module/program.h"

const struct sim_image_kernel *sim_function_image(CUfunction function)
{
	const struct sim_image_kernel *image = NULL;

	if (sim_handle_is(function, SIM_KIND_FUNCTION))
		image = function->image;
	else if (sim_handle_is(function, SIM_KIND_KERNEL))
		image = ((CUkernel)function)->image;
	if (image && !image->register_count && !image->is_measured)
		sim_program_measure(function);
	return image;
}

/* The device compiles the text that a kernel has: libraries (CUB) choose their settings by the
 * architecture that the text was made for, which is older than the device as a rule; a newer one
 * runs, too. */
static int ptx_version(const struct sim_code *code)
{
	return code->arch ? (int)code->arch : SIM_ARCH;
}

#define USUAL_REGISTERS 32

unsigned int sim_function_registers(const struct sim_image_kernel *image)
{
	return image->register_count ? image->register_count : USUAL_REGISTERS;
}

static int default_dynamic(const struct sim_image_kernel *image)
{
	return image->shared_bytes < SIM_DEFAULT_SHARED
		       ? SIM_DEFAULT_SHARED - (int)image->shared_bytes
		       : 0;
}

unsigned int sim_function_most_dynamic(CUfunction function)
{
	CUkernel kernel = (CUkernel)function;
	int most = default_dynamic(sim_function_image(function));

	if (sim_handle_is(function, SIM_KIND_FUNCTION)) {
		if (function->settings.max_dynamic_shared > most)
			most = function->settings.max_dynamic_shared;
		kernel = function->kernel;
	}
	if (kernel && kernel->settings.max_dynamic_shared > most)
		most = kernel->settings.max_dynamic_shared;
	return (unsigned int)most;
}

CUresult sim_function_attribute(const struct sim_code *code, const struct sim_image_kernel *image,
				CUfunction_attribute attribute, const struct sim_settings *settings,
				int *value)
{
	switch ((int)attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)image->max_threads; break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)image->shared_bytes; break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)image->const_bytes; break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)image->local_bytes; break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)sim_function_registers(image); break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = ptx_version(code); break;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = SIM_ARCH; break;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = settings->max_dynamic_shared ? settings->max_dynamic_shared
						      : default_dynamic(image);
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = settings->carveout; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = (int)image->cluster[0]; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = (int)image->cluster[1]; break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = (int)image->cluster[2]; break;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = settings->is_any_cluster;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *value = 0; break;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult sim_function_set(CUfunction_attribute attribute, int value,
			  const struct sim_image_kernel *image, struct sim_settings *settings)
{
	switch ((int)attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || value + (int64_t)image->shared_bytes > SIM_MAX_SHARED)
			return CUDA_ERROR_INVALID_VALUE;
		settings->max_dynamic_shared = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		settings->carveout = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		settings->is_any_cluster = value != 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

bool sim_function_has_any_cluster(CUfunction function)
{
	if (sim_handle_is(function, SIM_KIND_KERNEL))
		return ((CUkernel)function)->settings.is_any_cluster;
	return function->settings.is_any_cluster ||
	       (function->kernel && function->kernel->settings.is_any_cluster);
}

CUresult sim_function_param(const struct sim_image_kernel *image, size_t index, size_t *offset,
			    size_t *size)
{
	if (!offset || index >= image->param_count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = image->params[index].offset_bytes;
	if (size)
		*size = image->params[index].size_bytes;
	return CUDA_SUCCESS;
}

/* A kernel stands in for the function of the current context (CUkernel passed as CUfunction). */
static CUresult get_function(CUfunction handle, CUfunction *function)
{
	*function = handle;
	if (sim_handle_is(handle, SIM_KIND_FUNCTION))
		return CUDA_SUCCESS;
	if (!sim_handle_is(handle, SIM_KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	return sim_cuKernelGetFunction(function, (CUkernel)handle);
}

CUresult sim_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
	CUfunction function;
	CUresult result = get_function(hfunc, &function);

	if (result != CUDA_SUCCESS)
		return result;
	if (!pi)
		return CUDA_ERROR_INVALID_VALUE;
	return sim_function_attribute(function->module->code, sim_function_image(function), attrib,
				      &function->settings, pi);
}

CUresult sim_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
	CUfunction function;
	CUresult result = get_function(hfunc, &function);

	if (result != CUDA_SUCCESS)
		return result;
	return sim_function_set(attrib, value, sim_function_image(function), &function->settings);
}

CUresult sim_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
	if (!sim_function_image(hfunc))
		return CUDA_ERROR_INVALID_HANDLE;
	return config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
	if (!sim_function_image(hfunc))
		return CUDA_ERROR_INVALID_HANDLE;
	return config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_SUCCESS
								   : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
	CUfunction function;
	CUresult result = get_function(hfunc, &function);

	if (result != CUDA_SUCCESS)
		return result;
	if (!hmod)
		return CUDA_ERROR_INVALID_VALUE;
	*hmod = function->module;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncGetName(const char **name, CUfunction hfunc)
{
	const struct sim_image_kernel *image = sim_function_image(hfunc);

	if (!name || !hfunc)
		return CUDA_ERROR_INVALID_VALUE;
	if (!image)
		return CUDA_ERROR_INVALID_HANDLE;
	*name = image->name;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
				size_t *paramSize)
{
	const struct sim_image_kernel *image = sim_function_image(func);

	if (!image)
		return CUDA_ERROR_INVALID_HANDLE;
	return sim_function_param(image, paramIndex, paramOffset, paramSize);
}

CUresult sim_cuFuncGetParamCount(CUfunction func, size_t *paramCount)
{
	const struct sim_image_kernel *image = sim_function_image(func);

	if (!image)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!paramCount)
		return CUDA_ERROR_INVALID_VALUE;
	*paramCount = image->param_count;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	if (!sim_function_image(function))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncLoad(CUfunction function)
{
	return sim_function_image(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
