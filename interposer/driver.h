/* The real driver, as the recorder itself calls it: questions only, nothing that enqueues or waits
 * (appendix A, "own CUDA calls"). A function that this driver lacks is NULL.
 */
#ifndef SC_INTERPOSER_DRIVER_H
#define SC_INTERPOSER_DRIVER_H

#include "interposer/cuda.h"

/* Member name, exported symbol. The compiler checks the symbol against cuda.h. */
#define SC_DRIVER_FUNCTIONS(F)                                          \
	F(CtxGetCurrent, cuCtxGetCurrent)                               \
	F(CtxGetDevice, cuCtxGetDevice)                                 \
	F(PointerGetAttributes, cuPointerGetAttributes)                 \
	F(MemHostGetDevicePointer, cuMemHostGetDevicePointer_v2)        \
	F(MemGetAddressRange, cuMemGetAddressRange_v2)                  \
	F(StreamGetFlags, cuStreamGetFlags)                             \
	F(StreamGetCtx, cuStreamGetCtx)                                 \
	F(StreamIsCapturing, cuStreamIsCapturing)                       \
	F(FuncGetName, cuFuncGetName)                                   \
	F(FuncGetModule, cuFuncGetModule)                               \
	F(FuncGetParamInfo, cuFuncGetParamInfo)                         \
	F(KernelGetName, cuKernelGetName)                               \
	F(KernelGetParamInfo, cuKernelGetParamInfo)                     \
	F(ModuleGetGlobal, cuModuleGetGlobal_v2)                        \
	F(LibraryGetGlobal, cuLibraryGetGlobal)                         \
	F(LibraryGetManaged, cuLibraryGetManaged)                       \
	F(DevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState)         \
	F(DeviceGetCount, cuDeviceGetCount)                             \
	F(DeviceGet, cuDeviceGet)                                       \
	F(DeviceGetName, cuDeviceGetName)                               \
	F(DeviceGetAttribute, cuDeviceGetAttribute)                     \
	F(DriverGetVersion, cuDriverGetVersion)                         \
	F(ArrayGetDescriptor, cuArray3DGetDescriptor_v2)                \
	F(GraphGetNodes, cuGraphGetNodes)                               \
	F(GraphGetEdges, cuGraphGetEdges)                               \
	F(GraphGetEdges_v2, cuGraphGetEdges_v2)                         \
	F(GraphNodeGetType, cuGraphNodeGetType)                         \
	F(GraphNodeFindInClone, cuGraphNodeFindInClone)                 \
	F(GraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph)   \
	F(GraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2)      \
	F(GraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams)         \
	F(GraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams)         \
	F(GraphHostNodeGetParams, cuGraphHostNodeGetParams)             \
	F(GraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent) \
	F(GraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent)     \
	F(GraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams)     \
	F(GraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams)       \
	F(GraphBatchMemOpNodeGetParams, cuGraphBatchMemOpNodeGetParams) \
	F(StreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2)           \
	F(StreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3)

struct sc_driver {
#define MEMBER(name, symbol) typeof(symbol) *name;
	SC_DRIVER_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* The table; filled on the first call after libcuda was loaded. Never NULL. */
const struct sc_driver *sc_driver(void);

#endif
