/* The real driver, as the recorder itself calls it: questions only, nothing that enqueues or waits
 * (appendix A, "own CUDA calls"). A function that this driver lacks is NULL.
 *
 * The driver believes what it is given: asked about a stream or an event that was destroyed, it
 * crashes. So each question must know why its handle lives at that moment:
 *
 *	about			asked in	why it lives
 *	nothing, a device	several		it is no handle
 *	an address		classify.c	any address may be asked about
 *	new memory		tracking.c,
 *				import.c	a call that just succeeded returned it
 *	a stream's kind		handle.c	it was never seen, and the call that names it is
 *						about to be made, or made it
 *	what a stream captures	handle.c,
 *				graph.c		sc_handle_may_ask: neither the stream nor its
 *						context was destroyed; not before its own end
 *	a function's name,
 *	module, parameters	launch.c	it was just found; or was never seen, and is about
 *						to be launched; or is a node's, and its module was
 *						not unloaded (sc_handle_may_ask)
 *	how many kernels
 *	a module has	launch.c	the call that just succeeded listed them
 *	an array's shape	array.c		an operand of the call, whose handle was never freed
 *						(nodes keep theirs)
 *	a graph's nodes		graph_read.c	the call that just succeeded got it; or it is inside
 *						of one, by the driver's own word; or the body of a
 *						node (sc_handle_may_ask: handles of nodes come back)
 *	a node			graph*.c	the driver just named it as one of such a graph
 *
 * Events, executable graphs, pools and contexts are asked about nothing.
 */
#pragma once

#include "interposer/driver/cuda.h"

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
	F(ModuleGetFunctionCount, cuModuleGetFunctionCount)             \
	F(LibraryGetKernelCount, cuLibraryGetKernelCount)               \
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
	F(GraphGetId, cuGraphGetId)                                     \
	F(GraphNodeGetLocalId, cuGraphNodeGetLocalId)                   \
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
	F(GraphNodeGetParams, cuGraphNodeGetParams)                     \
	F(StreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2)           \
	F(StreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3)

struct sc_driver {
#define MEMBER(name, symbol) typeof(symbol) *name;
	SC_DRIVER_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* The table; filled on the first call after libcuda was loaded. Never NULL. */
const struct sc_driver *sc_driver(void);
