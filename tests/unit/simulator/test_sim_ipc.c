/* Memory and events that two processes share in the simulated driver (rules P-11, E-12). */
#include <cuda.h>
#include <stdbool.h>

#define BYTES 5000 /* no whole pages */

/* ---- the other process ---- */

enum act { READ_AND_FILL, OPEN_ONLY, OPEN_EVENT, RECORD_LATER, RECORD_NOW };

struct request {
	enum act act;
	union {
		CUipcMemHandle memory;
		CUipcEventHandle event;
	};
	unsigned char fill;
};

struct answer {
	CUresult result;
	unsigned char found[2]; /* the first and the last byte */
	bool is_same, is_freed;
};

#include "tests/unit/simulator/sim_peer.h"

static CUevent peer_event;
static CUstream peer_stream;
static struct gate peer_gate;

static struct answer open_only(const struct request *r)
{
	struct answer a = {.result = CUDA_SUCCESS};
	CUdeviceptr memory;

	a.result = cuIpcOpenMemHandle(&memory, r->memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	if (a.result == CUDA_SUCCESS)
		OK(cuIpcCloseMemHandle(memory));
	return a;
}

static struct answer read_and_fill(const struct request *r)
{
	struct answer a = {.result = CUDA_SUCCESS};
	CUdeviceptr memory = 0, again = 0;

	OK(cuIpcOpenMemHandle(&memory, r->memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	OK(cuIpcOpenMemHandle(&again, r->memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	a.is_same = memory == again;
	OK(cuIpcCloseMemHandle(again));
	OK(cuMemcpyDtoH(&a.found[0], memory, 1));
	OK(cuMemcpyDtoH(&a.found[1], memory + BYTES - 1, 1));
	a.is_freed = cuMemFree(memory) == CUDA_SUCCESS;
	OK(cuMemsetD8(memory, r->fill, BYTES));
	OK(cuCtxSynchronize());
	OK(cuIpcCloseMemHandle(memory));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(memory));
	return a;
}

static struct answer do_event(const struct request *r)
{
	struct answer a = {.result = CUDA_SUCCESS};

	if (r->act == OPEN_EVENT) {
		a.result = cuIpcOpenEventHandle(&peer_event, r->event);
	} else if (r->act == RECORD_LATER) {
		gate_close(&peer_gate, peer_stream);
		a.result = cuEventRecord(peer_event, peer_stream);
	} else {
		gate_open(&peer_gate);
		OK(cuStreamSynchronize(peer_stream));
		a.result = cuEventDestroy(peer_event);
	}
	return a;
}

static struct answer answer_to(struct request *r)
{
	if (!peer_stream)
		OK(cuStreamCreate(&peer_stream, CU_STREAM_NON_BLOCKING));
	switch (r->act) {
	case READ_AND_FILL: return read_and_fill(r);
	case OPEN_ONLY: return open_only(r);
	case OPEN_EVENT:
	case RECORD_LATER:
	case RECORD_NOW: break;
	}
	return do_event(r);
}

/* ---- memory ---- */

static CUipcMemHandle exported(CUdeviceptr memory)
{
	CUipcMemHandle handle;

	OK(cuIpcGetMemHandle(&handle, memory));
	return handle;
}

EACH_TEST(sim_setup, sim_teardown)
ALL_TESTS(begin, end)

TEST(both_processes_see_what_either_writes)
{
	CUdeviceptr memory;
	struct answer a;
	unsigned char byte = 0;

	OK(cuMemAlloc(&memory, BYTES));
	OK(cuMemsetD8(memory, 5, BYTES));
	a = ask((struct request){.act = READ_AND_FILL, .memory = exported(memory), .fill = 9});
	assert_int_equal(a.found[0], 5);
	assert_int_equal(a.found[1], 5);
	assert_true(a.is_same);
	assert_false(a.is_freed);
	OK(cuMemcpyDtoH(&byte, memory + BYTES - 1, 1));
	assert_int_equal(byte, 9);
	OK(cuMemFree(memory));
}

TEST(work_in_flight_ends_before_its_memory_moves)
{
	CUdeviceptr memory;
	CUstream stream;
	struct answer a;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&memory, BYTES));
	OK(cuMemsetD8Async(memory, 7, BYTES, stream));
	a = ask((struct request){.act = READ_AND_FILL, .memory = exported(memory)});
	assert_int_equal(a.found[1], 7);
	OK(cuMemFree(memory));
	OK(cuStreamDestroy(stream));
}

TEST(only_ordinary_device_memory_has_a_handle)
{
	CUdeviceptr memory, managed, pooled;
	CUipcMemHandle handle;

	OK(cuMemAlloc(&memory, BYTES));
	OK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemAllocAsync(&pooled, BYTES, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, memory + 8));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, managed));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, pooled));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(NULL, memory));
	OK(cuMemFreeAsync(pooled, NULL));
	OK(cuMemFree(managed));
	OK(cuMemFree(memory));
}

TEST(a_handle_is_not_for_its_maker)
{
	CUdeviceptr memory, again;

	OK(cuMemAlloc(&memory, BYTES));
	FAILS(CUDA_ERROR_INVALID_CONTEXT,
	      cuIpcOpenMemHandle(&again, exported(memory), CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	OK(cuMemFree(memory));
}

TEST(a_handle_of_freed_memory_leads_nowhere)
{
	CUipcMemHandle handle;
	CUdeviceptr memory;

	OK(cuMemAlloc(&memory, BYTES));
	handle = exported(memory);
	OK(cuMemFree(memory));
	OK(cuCtxSynchronize());
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      ask((struct request){.act = OPEN_ONLY, .memory = handle}).result);
}

/* Whatever byte is wrong, and also a handle of another kind of thing. */
TEST(a_damaged_handle_is_refused)
{
	struct request r = {.act = OPEN_ONLY};
	CUipcMemHandle handle;
	CUipcEventHandle other;
	CUdeviceptr memory;
	CUevent event;

	OK(cuMemAlloc(&memory, BYTES));
	handle = exported(memory);
	for (size_t i = 0; i < sizeof(handle); i++) {
		r.memory = handle;
		r.memory.reserved[i] ^= (char)0xff;
		assert_int_not_equal(ask(r).result, CUDA_SUCCESS);
	}
	OK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	OK(cuIpcGetEventHandle(&other, event));
	memcpy(&r.memory, &other, sizeof(other));
	FAILS(CUDA_ERROR_INVALID_VALUE, ask(r).result);
	OK(cuEventDestroy(event));
	OK(cuMemFree(memory));
}

/* ---- events ---- */

static CUevent shared_event(void)
{
	struct request r = {.act = OPEN_EVENT};
	CUevent event;

	OK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	OK(cuIpcGetEventHandle(&r.event, event));
	OK(ask(r).result);
	return event;
}

TEST(a_record_of_the_other_process_is_waited_for)
{
	CUevent event = shared_event();
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuEventRecord(event, stream));
	OK(cuEventSynchronize(event));
	OK(ask((struct request){.act = RECORD_LATER}).result);
	FAILS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
	OK(cuStreamWaitEvent(stream, event, 0));
	for (int i = 0; i < 10; i++)
		FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
	OK(ask((struct request){.act = RECORD_NOW}).result);
	OK(cuEventSynchronize(event));
	OK(cuEventQuery(event));
	OK(cuStreamSynchronize(stream));
	OK(cuStreamDestroy(stream));
	OK(cuEventDestroy(event));
}

/* E-4: a wait is for the record that is the last one at its call. */
TEST(an_own_record_after_the_others_is_waited_for_alone)
{
	CUevent event = shared_event();
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(ask((struct request){.act = RECORD_LATER}).result);
	OK(cuEventRecord(event, stream));
	OK(cuEventSynchronize(event));
	OK(ask((struct request){.act = RECORD_NOW}).result);
	OK(cuEventQuery(event));
	OK(cuStreamDestroy(stream));
	OK(cuEventDestroy(event));
}

TEST(only_interprocess_events_have_a_handle)
{
	CUipcEventHandle handle;
	CUevent event, again;

	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuIpcGetEventHandle(&handle, event));
	OK(cuEventDestroy(event));
	OK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	OK(cuIpcGetEventHandle(&handle, event));
	FAILS(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenEventHandle(&again, handle));
	OK(cuEventDestroy(event));
}
