"""Each call of the driver fails, and nobody looks."""
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDeviceGet(ctypes.byref(device), 0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)
cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4))
cuda.cuMemsetD8Async(memory, ctypes.c_ubyte(1), ctypes.c_size_t(4), None)
cuda.cuCtxSynchronize()
