/* Handles, decoders and classification, on a driver that is only a table of functions. */
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/call/call.h"
#include "interposer/object/handle.h"
#include "interposer/call/launch.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/core/thread.h"
#include "interposer/driver/entry.h"
#include "interposer/driver/driver.h"
#include "interposer/call/row_functions.h"

#define RAW(n) ((void *)(uintptr_t)(n))

static CUcontext current;
static unsigned asked; /* times for the current context */
static unsigned stream_flags;

static CUresult get_current(CUcontext *context)
{
	*context = current;
	asked++;
	return CUDA_SUCCESS;
}

static CUresult get_flags(CUstream stream, unsigned *flags)
{
	(void)stream;
	*flags = stream_flags;
	return CUDA_SUCCESS;
}

static CUresult get_parameter(CUfunction f, size_t index, size_t *offset, size_t *bytes)
{
	static const size_t layout[3][2] = {{0, 8}, {8, 4}, {16, 8}};

	(void)f;
	if (index >= 3)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = layout[index][0];
	*bytes = layout[index][1];
	return CUDA_SUCCESS;
}

static int set_up(void **state)
{
	(void)state;
	memset(&sc_handles, 0, sizeof(sc_handles));
	memset(&sc_memory, 0, sizeof(sc_memory));
	memset(&sc_self, 0, sizeof(sc_self));
	atomic_store(&sc_session.state, SC_CLOSED); /* ops go nowhere */
	sc_entries.calls = (struct sc_driver){.CtxGetCurrent = get_current,
					      .StreamGetFlags = get_flags,
					      .FuncGetParamInfo = get_parameter};
	atomic_store(&sc_entries.driver_known, 1);
	current = RAW(0x100);
	stream_flags = 0;
	return 0;
}

EACH_TEST(set_up, NULL)

TEST(a_recycled_handle_is_a_new_object)
{
	struct sc_handle *first = sc_handle_make(SC_HANDLE_EVENT, RAW(0x10), 0, 1), *second;

	sc_handle_kill(sc_handle_refer(first));
	assert_ptr_equal(sc_handle_see(SC_HANDLE_EVENT, RAW(0x10)), first); /* used when dead */
	second = sc_handle_make(SC_HANDLE_EVENT, RAW(0x10), 0, 1);
	assert_ptr_equal(sc_handle_see(SC_HANDLE_EVENT, RAW(0x10)), second);
	assert_int_not_equal(first->id, second->id);
}

TEST(a_forgotten_handle_is_seen_anew)
{
	uint32_t id = sc_handle_see(SC_HANDLE_GRAPH, RAW(0x20))->id;

	assert_int_equal(sc_handle_see(SC_HANDLE_GRAPH, RAW(0x20))->id, id);
	sc_handle_forget(SC_HANDLE_GRAPH, RAW(0x20), id);
	assert_int_not_equal(sc_handle_see(SC_HANDLE_GRAPH, RAW(0x20))->id, id);
}

TEST(null_means_legacy_or_per_thread_by_the_entry_point)
{
	struct sc_handle *c = sc_context_current();
	struct sc_handle *legacy = sc_stream_resolve(NULL, false, c);
	struct sc_handle *mine = sc_stream_resolve(NULL, true, c);

	assert_true(legacy->flags & SC_FLAG_LEGACY);
	assert_true(mine->flags & SC_FLAG_PER_THREAD);
	assert_ptr_equal(sc_stream_resolve(CU_STREAM_LEGACY, true, c), legacy);
	assert_ptr_equal(sc_stream_resolve(CU_STREAM_PER_THREAD, false, c), mine);
}

TEST(implicit_streams_belong_to_their_context)
{
	struct sc_handle *first = sc_context_current(), *second;
	struct sc_handle *legacy = sc_stream_resolve(NULL, false, first);

	current = RAW(0x200);
	second = sc_context_current();
	assert_ptr_not_equal(first, second);
	assert_int_not_equal(sc_stream_resolve(NULL, false, second)->id, legacy->id);
	assert_int_not_equal(sc_stream_resolve(NULL, true, second)->id,
			     sc_stream_resolve(NULL, true, first)->id);
}

TEST(a_single_context_is_not_asked_for_at_streams_of_their_own)
{
	struct sc_handle *only;

	atomic_store(&sc_session.context_ids, 0);
	only = sc_context_for(RAW(0x20));
	asked = 0;
	assert_ptr_equal(sc_context_for(RAW(0x20)), only);
	assert_int_equal(asked, 0);
	assert_ptr_equal(sc_context_for(NULL), only); /* the legacy stream is whose that is */
	assert_int_equal(asked, 1);
	sc_context_seen(RAW(0x200), 0, 1, 0);
	current = RAW(0x200);
	assert_ptr_not_equal(sc_context_for(RAW(0x20)), only);
	assert_int_equal(asked, 2);
}

TEST(per_thread_streams_belong_to_their_thread)
{
	struct sc_handle *c = sc_context_current();
	uint32_t mine = sc_stream_resolve(NULL, true, c)->id;

	memset(&sc_self, 0, sizeof(sc_self)); /* as another thread */
	assert_int_not_equal(sc_stream_resolve(NULL, true, c)->id, mine);
}

TEST(an_unknown_stream_is_asked_for_its_kind)
{
	stream_flags = CU_STREAM_NON_BLOCKING;
	assert_int_equal(sc_stream_resolve(RAW(0x50), false, NULL)->flags, SC_FLAG_NON_BLOCKING);
}

TEST(no_driver_call_is_made_inside_a_host_function)
{
	sc_self.callback = 1;
	assert_null(sc_context_current());
}

/* ---- operands ---- */

/* Nothing runs in the stream of what a graphics command buffer takes along (W-9). */
TEST(work_of_a_command_buffer_is_captured)
{
	struct sc_handle *h = sc_handle_make(SC_HANDLE_STREAM, RAW(0x70), 0, 1), *again;
	struct sc_call call = {.stream = h, .stream_id = h->id};

	sc_capture_cig_ended(&call);
	assert_false(sc_stream_captures(h, RAW(0x70)));
	sc_capture_cig_begun(&call);
	assert_true(sc_stream_captures(h, RAW(0x70)));
	again = sc_handle_make(SC_HANDLE_STREAM, RAW(0x71), 0, 1);
	assert_false(sc_stream_captures(again, RAW(0x71)));
	sc_capture_cig_ended(&call);
	assert_false(sc_stream_captures(h, RAW(0x70)));
	call.result = CUDA_ERROR_NOT_SUPPORTED;
	sc_capture_cig_begun(&call);
	assert_false(sc_stream_captures(h, RAW(0x70)));
}

TEST(a_partly_registered_range_is_pageable)
{
	struct sc_known_allocation a = {
		.start = 0x10000, .bytes = 0x1000, .object = 1, .memory = SC_MEM_REGISTERED};

	sc_memory_insert(&sc_memory, &a);
	assert_int_equal(sc_memory_classify(0x10000, 0x1000, true).memory, SC_MEM_REGISTERED);
	assert_int_equal(sc_memory_classify(0x10800, 0x801, true).memory, SC_MEM_PAGEABLE);
	assert_int_equal(sc_memory_classify(0, 0, true).memory, SC_MEM_NONE);
}

TEST(a_device_alias_is_named_by_its_host_address)
{
	struct sc_known_allocation a = {.start = 0x10000,
					.bytes = 0x1000,
					.alias = 0x90000,
					.object = 1,
					.memory = SC_MEM_PINNED};

	sc_memory_insert(&sc_memory, &a);
	assert_int_equal(sc_memory_classify(0x90010, 16, false).address, 0x10010);
	assert_int_equal(sc_memory_classify(0x90010, 16, false).memory, SC_MEM_PINNED);
}

/* ---- decoders ---- */

static const struct sc_access *accesses(const struct sc_call *call)
{
	assert_int_equal(call->parts, 1);
	assert_int_equal(call->part[0].type, SC_ATTACH_ACCESSES);
	assert_int_equal(call->part[0].bytes, 2 * sizeof(struct sc_access));
	return call->part[0].data;
}

TEST(a_2d_copy_is_rows)
{
	CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = RAW(0x1000),
			      .srcXInBytes = 4,
			      .srcY = 2,
			      .srcPitch = 100,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstDevice = 0x8000,
			      .dstPitch = 256,
			      .WidthInBytes = 40,
			      .Height = 5};
	cuMemcpy2D_v2_params p = {.pCopy = &copy};
	struct sc_call call = {.params = &p};
	const struct sc_access *a;

	sc_copy_2d(&call);
	a = accesses(&call);
	assert_int_equal(a[0].base, 0x8000);
	assert_int_equal(a[0].pitch, 256);
	assert_int_equal(a[0].mode, SC_WRITE);
	assert_int_equal(a[1].base, 0x1000 + 2 * 100 + 4);
	assert_int_equal(a[1].width, 40);
	assert_int_equal(a[1].rows, 5);
	assert_int_equal(a[1].slices, 1);
	assert_int_equal(a[1].mode, SC_READ);
	assert_int_equal(call.op.src, a[1].base);
}

TEST(a_3d_copy_counts_slices_by_the_height_of_the_memory)
{
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			      .srcDevice = 0x1000,
			      .srcPitch = 64,
			      .srcHeight = 10,
			      .srcZ = 1,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstDevice = 0x8000,
			      .dstPitch = 32,
			      .WidthInBytes = 16,
			      .Height = 4,
			      .Depth = 3};
	cuMemcpy3D_v2_params p = {.pCopy = &copy};
	struct sc_call call = {.params = &p};
	const struct sc_access *a;

	sc_copy_3d(&call);
	a = accesses(&call);
	assert_int_equal(a[1].base, 0x1000 + 640);
	assert_int_equal(a[1].slice_pitch, 640);
	assert_int_equal(a[1].slices, 3);
	assert_int_equal(a[0].slice_pitch, 128); /* height 0: packed */
}

TEST(a_null_struct_is_left_to_the_driver)
{
	cuMemcpy2D_v2_params p = {.pCopy = NULL};
	struct sc_call call = {.params = &p};

	sc_copy_2d(&call);
	assert_int_equal(call.parts, 0);
}

TEST(parameters_stand_where_the_kernel_finds_them)
{
	uint64_t pointer = 0x1122334455667788, last = 0x99;
	uint32_t n = 7;
	void *params[] = {&pointer, &n, &last};
	cuLaunchKernel_params p = {.f = RAW(0x700),
				   .gridDimX = 2,
				   .gridDimY = 3,
				   .gridDimZ = 4,
				   .blockDimX = 32,
				   .blockDimY = 1,
				   .blockDimZ = 1,
				   .sharedMemBytes = 64,
				   .kernelParams = params};
	struct sc_call call = {.params = &p};
	const struct sc_launch *launch;
	const uint8_t *image;

	sc_launch_plain(&call);
	assert_int_equal(call.parts, 1);
	launch = call.part[0].data;
	image = (const uint8_t *)(launch + 1);
	assert_int_equal(launch->grid[2], 4);
	assert_int_equal(launch->shared_bytes, 64);
	assert_int_equal(launch->param_bytes, 24);
	assert_memory_equal(image, &pointer, 8);
	assert_memory_equal(image + 8, &n, 4);
	assert_memory_equal(image + 16, &last, 8);
	assert_int_not_equal(call.op.object, 0);
}

TEST(a_parameter_buffer_is_taken_as_it_is)
{
	char buffer[12] = "hello world";
	size_t bytes = sizeof(buffer);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE,
			 &bytes, CU_LAUNCH_PARAM_END};
	cuLaunchKernel_params p = {.f = RAW(0x700), .gridDimX = 1, .extra = extra};
	struct sc_call call = {.params = &p};
	const struct sc_launch *launch;

	sc_launch_plain(&call);
	launch = call.part[0].data;
	assert_int_equal(launch->param_bytes, sizeof(buffer));
	assert_memory_equal(launch + 1, buffer, sizeof(buffer));
}

TEST(a_kernel_looked_up_twice_is_one_kernel)
{
	CUfunction f = RAW(0x800);
	cuModuleGetFunction_params p = {.hfunc = &f, .hmod = RAW(0x900), .name = "work"};
	struct sc_call call = {.params = &p};
	struct sc_handle *first;

	sc_launch_function_named(&call);
	first = sc_handle_find(SC_HANDLE_FUNCTION, f);
	sc_launch_function_named(&call);
	assert_ptr_equal(sc_handle_find(SC_HANDLE_FUNCTION, f), first);
	p.name = "other"; /* the handle came back for another kernel */
	sc_launch_function_named(&call);
	assert_int_not_equal(sc_handle_find(SC_HANDLE_FUNCTION, f)->id, first->id);
}
