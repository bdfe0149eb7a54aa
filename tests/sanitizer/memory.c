/* The stand-in's memory and copies: in the stream that is given, or in one of its own, which waits
 * for nothing of the program's. */
#include "tests/sanitizer/api.h"

enum { DONE, INVALID_PARAMETER, OUT_OF_MEMORY = 7, UNKNOWN = 999 };

#define CONTEXTS 64

/* Member, name of the driver's function, type. */
#define FUNCTIONS(F)                                                                        \
	F(push, "cuCtxPushCurrent", cuCtxPushCurrent_v2)                                    \
	F(pop, "cuCtxPopCurrent", cuCtxPopCurrent_v2)                                       \
	F(exchange, "cuThreadExchangeStreamCaptureMode", cuThreadExchangeStreamCaptureMode) \
	F(allocate, "cuMemAlloc", cuMemAlloc_v2)                                            \
	F(release, "cuMemFree", cuMemFree_v2)                                               \
	F(allocate_host, "cuMemHostAlloc", cuMemHostAlloc)                                  \
	F(release_host, "cuMemFreeHost", cuMemFreeHost)                                     \
	F(fill, "cuMemsetD8Async", cuMemsetD8Async)                                         \
	F(copy, "cuMemcpyHtoDAsync", cuMemcpyHtoDAsync_v2)                                  \
	F(context_of, "cuPointerGetAttribute", cuPointerGetAttribute)                       \
	F(new_stream, "cuStreamCreate", cuStreamCreate)                                     \
	F(synchronize, "cuStreamSynchronize", cuStreamSynchronize)

static struct {
#define MEMBER(name, text, function) typeof(function) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} driver;

/* Streams of its own, by context; callbacks make them one at a time. */
static struct {
	CUcontext context;
	CUstream stream;
} own[CONTEXTS];

bool standin_memory_find(void *entry)
{
	void *(*find)(const char *name) = (void *(*)(const char *))entry;
	bool has_all = entry != NULL;

	if (!entry)
		return false;
#define FIND(name, text, function)                     \
	driver.name = (typeof(driver.name))find(text); \
	has_all &= driver.name != NULL;
	FUNCTIONS(FIND)
#undef FIND
	return has_all;
}

bool standin_is_stream(const void *handle)
{
	return handle && ((const struct standin_stream *)handle)->magic == STANDIN_STREAM;
}

static __thread CUcontext refused;

void standin_memory_refuse(CUcontext context)
{
	refused = context;
}

/* What the program has as its context, and whether captures allow the call, are out of the way. */
static bool enter(CUcontext context, CUstreamCaptureMode *mode)
{
	*mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	return context != refused && !driver.push(context) && !driver.exchange(mode);
}

static void leave(CUstreamCaptureMode *mode)
{
	CUcontext popped;

	driver.exchange(mode);
	driver.pop(&popped);
}

static int result_of(CUresult result)
{
	switch ((int)result) {
	case CUDA_SUCCESS: return DONE;
	case CUDA_ERROR_INVALID_VALUE: return INVALID_PARAMETER;
	case CUDA_ERROR_OUT_OF_MEMORY: return OUT_OF_MEMORY;
	}
	return UNKNOWN;
}

#define CALL(context, call)                       \
	do {                                      \
		CUstreamCaptureMode mode;         \
		CUresult called;                  \
		if (!enter(context, &mode))       \
			return INVALID_PARAMETER; \
		called = call;                    \
		leave(&mode);                     \
		return result_of(called);         \
	} while (0)

STANDIN int sanitizerAlloc(CUcontext context, void **to, size_t bytes)
{
	CALL(context, driver.allocate((CUdeviceptr *)to, bytes));
}

STANDIN int sanitizerFree(CUcontext context, void *memory)
{
	CALL(context, driver.release((CUdeviceptr)memory));
}

STANDIN int sanitizerAllocHost(CUcontext context, void **to, size_t bytes)
{
	CALL(context,
	     driver.allocate_host(to, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
}

STANDIN int sanitizerFreeHost(CUcontext context, void *memory)
{
	CALL(context, driver.release_host(memory));
}

/* The place of the context in the list, or a free one; CONTEXTS: there is none. */
static unsigned place_of(CUcontext context)
{
	unsigned free_place = CONTEXTS;

	for (unsigned i = 0; i < CONTEXTS; i++) {
		if (own[i].context == context)
			return i;
		if (!own[i].context && free_place == CONTEXTS)
			free_place = i;
	}
	return free_place;
}

void standin_memory_forget(CUcontext context)
{
	unsigned i = place_of(context);

	if (i < CONTEXTS)
		own[i].context = NULL;
}

/* The stream of a handle; without one, that of the memory's context. */
static bool find_stream(const struct standin_stream *handle, CUdeviceptr memory,
			struct standin_stream *found)
{
	unsigned i;

	*found = (struct standin_stream){.magic = STANDIN_STREAM};
	if (handle) {
		*found = *handle;
		return standin_is_stream(handle);
	}
	if (driver.context_of(&found->context, CU_POINTER_ATTRIBUTE_CONTEXT, memory))
		return false;
	i = place_of(found->context);
	if (i == CONTEXTS)
		return false;
	if (!own[i].context) {
		CUstreamCaptureMode mode;
		bool works = enter(found->context, &mode);

		works = works && !driver.new_stream(&own[i].stream, CU_STREAM_NON_BLOCKING);
		leave(&mode);
		if (!works)
			return false;
		own[i].context = found->context;
	}
	found->stream = own[i].stream;
	return true;
}

STANDIN int sanitizerMemset(void *memory, int value, size_t bytes, void *handle)
{
	struct standin_stream s;

	if (!find_stream(handle, (CUdeviceptr)memory, &s))
		return INVALID_PARAMETER;
	CALL(s.context, driver.fill((CUdeviceptr)memory, (unsigned char)value, bytes, s.stream));
}

STANDIN int sanitizerMemcpyHostToDeviceAsync(void *to, void *from, size_t bytes, void *handle)
{
	struct standin_stream s;

	if (!find_stream(handle, (CUdeviceptr)to, &s))
		return INVALID_PARAMETER;
	CALL(s.context, driver.copy((CUdeviceptr)to, from, bytes, s.stream));
}

#ifndef STANDIN_IS_OLD
/* Without a handle: all streams of its own. */
STANDIN int sanitizerStreamSynchronize(void *handle)
{
	const struct standin_stream *s = handle;
	int result = DONE;

	if (handle && !standin_is_stream(handle))
		return INVALID_PARAMETER;
	if (handle)
		CALL(s->context, driver.synchronize(s->stream));
	for (unsigned i = 0; i < CONTEXTS && result == DONE; i++)
		if (own[i].context)
			result = result_of(driver.synchronize(own[i].stream));
	return result;
}
#endif
