/* The CUDA driver that libcuda.so.1 is, for programs that run kernels of PTX texts on it; a GPU's
 * or the simulated one, as the search path says. Whatever fails ends the program with a message. */
#pragma once

#include <cuda.h>
#include <stddef.h>

/* Driver functions: their types are those of cuda.h. */
#define EACH_FUNCTION(DO)                             \
	DO(init, cuInit)                              \
	DO(device_get, cuDeviceGet)                   \
	DO(retain, cuDevicePrimaryCtxRetain)          \
	DO(set_current, cuCtxSetCurrent)              \
	DO(synchronize, cuCtxSynchronize)             \
	DO(load, cuModuleLoadData)                    \
	DO(get_function, cuModuleGetFunction)         \
	DO(allocate, cuMemAlloc_v2)                   \
	DO(to_device, cuMemcpyHtoD_v2)                \
	DO(to_host, cuMemcpyDtoH_v2)                  \
	DO(fill, cuMemsetD8_v2)                       \
	DO(release, cuMemFree_v2)                     \
	DO(launch, cuLaunchKernel)                    \
	DO(new_array, cuArray3DCreate_v2)             \
	DO(free_array, cuArrayDestroy)                \
	DO(new_mipmap, cuMipmappedArrayCreate)        \
	DO(level_of_mipmap, cuMipmappedArrayGetLevel) \
	DO(copy_box, cuMemcpy3D_v2)                   \
	DO(new_texture, cuTexObjectCreate)            \
	DO(free_texture, cuTexObjectDestroy)          \
	DO(new_surface, cuSurfObjectCreate)           \
	DO(encode_tiled, cuTensorMapEncodeTiled)      \
	DO(encode_im2col, cuTensorMapEncodeIm2col)    \
	DO(error_name, cuGetErrorName)

/* All functions by their short names. */
struct driver {
#define MEMBER(id, name) __typeof__(name) *id;
	EACH_FUNCTION(MEMBER)
#undef MEMBER
};

extern struct driver cuda;

/* Opens the driver, and a context on its first device. No driver: exit code 77. */
void driver_open(void);
void driver_check(CUresult result, const char *what);
/* The whole file, with a zero after it; the caller frees it. */
char *driver_read_file(const char *path, size_t *bytes);
/* The file's bytes in memory of the device. */
CUdeviceptr driver_upload_file(const char *path);
CUmodule driver_load_file(const char *path);
