/* Records of handles that are used again: what keeps a record, what notices that it is another
 * object's, and that memory does not grow with what a program creates and destroys. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include <pthread.h>
#include "interposer/call/api.h"
#include "interposer/call/launch.h"
#include "interposer/call/tracking.h"
#include "interposer/core/arena.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/driver/driver.h"
#include "interposer/driver/entry.h"
#include "interposer/object/handle.h"
#include "interposer/object/param_layout.h"
#include "interposer/call/row_functions.h"

#define RAW(n) ((void *)(uintptr_t)(n))

static int set_up(void **state)
{
	(void)state;
	memset(&sc_handles, 0, sizeof(sc_handles));
	memset(&sc_handle_records, 0, sizeof(sc_handle_records));
	atomic_store(&sc_session.state, SC_CLOSED); /* ops go nowhere */
	atomic_store(&sc_session.changes, 0);
	sc_entries.calls = (struct sc_driver){0};
	atomic_store(&sc_entries.driver_known, 1);
	return 0;
}

static struct sc_handle *make(enum sc_handle_type type, uintptr_t raw)
{
	return sc_handle_make(type, RAW(raw), 0, 1);
}

static void destroy(struct sc_handle *h)
{
	sc_handle_kill(sc_handle_refer(h));
}

/* ---- one object after the other ---- */

EACH_TEST(set_up, NULL)

TEST(a_record_is_used_again_when_its_handle_comes_back)
{
	struct sc_handle *first = make(SC_HANDLE_EVENT, 0x10);
	uint32_t id = first->id;

	destroy(first);
	assert_ptr_not_equal(make(SC_HANDLE_EVENT, 0x10), first);
	assert_ptr_equal(make(SC_HANDLE_EVENT, 0x20), first);
	assert_true(first->id > id);
	assert_int_equal(first->alive, first->id);
	assert_ptr_equal(first->raw, RAW(0x20));
}

TEST(a_dead_handle_is_known_until_it_comes_back)
{
	struct sc_handle *dead = make(SC_HANDLE_STREAM, 0x10);
	uint32_t id = dead->id;

	destroy(dead);
	for (unsigned i = 0; i < 1000; i++)
		destroy(make(SC_HANDLE_STREAM, 0x20 + 0x10 * (i % 7)));
	assert_ptr_equal(sc_handle_see(SC_HANDLE_STREAM, RAW(0x10)), dead);
	assert_int_equal(dead->id, id);
	assert_true(sc_handle_is_dead(dead));
}

TEST(records_are_used_again_for_the_same_type_only)
{
	struct sc_handle *stream = make(SC_HANDLE_STREAM, 0x10);

	make(SC_HANDLE_STREAM, 0x10);
	assert_ptr_not_equal(make(SC_HANDLE_EVENT, 0x20), stream);
	assert_ptr_equal(make(SC_HANDLE_STREAM, 0x20), stream);
}

/* The driver has given the event's handle to another thread before the destroying call returns. */
TEST(a_late_destruction_spares_the_successor)
{
	struct sc_handle *event = make(SC_HANDLE_EVENT, 0x10);
	struct sc_handle_ref before = sc_handle_refer(event);

	make(SC_HANDLE_EVENT, 0x10);
	assert_ptr_equal(make(SC_HANDLE_EVENT, 0x20), event);
	assert_false(sc_handle_kill(before));
	assert_false(sc_handle_is_dead(event));
	assert_null(sc_handle_of(before));
	assert_ptr_equal(sc_handle_of(sc_handle_refer(event)), event);
}

/* The same where the destroying call frees the handle for what comes next. */
TEST(a_late_end_spares_the_successor_of_the_handle)
{
	uint32_t before = make(SC_HANDLE_GRAPH, 0x10)->id;
	struct sc_handle *graph = make(SC_HANDLE_GRAPH, 0x10);

	sc_handle_forget(SC_HANDLE_GRAPH, RAW(0x10), before);
	assert_ptr_equal(sc_handle_find(SC_HANDLE_GRAPH, RAW(0x10)), graph);
	assert_false(sc_handle_is_dead(graph));
	sc_handle_forget(SC_HANDLE_GRAPH, RAW(0x10), graph->id);
	assert_null(sc_handle_find(SC_HANDLE_GRAPH, RAW(0x10)));
	assert_true(sc_handle_is_dead(graph));
}

TEST(a_second_destruction_says_so)
{
	struct sc_handle_ref event = sc_handle_refer(make(SC_HANDLE_EVENT, 0x10));

	assert_true(sc_handle_kill(event));
	assert_false(sc_handle_kill(event));
	assert_false(sc_handle_kill((struct sc_handle_ref){0}));
}

TEST(sites_hear_of_a_handle_whose_end_was_not_seen)
{
	struct sc_handle *event = make(SC_HANDLE_EVENT, 0x10);

	event->is_kept = true;
	make(SC_HANDLE_EVENT, 0x10);
	assert_int_equal(sc_session.changes, 1);
	assert_ptr_equal(make(SC_HANDLE_EVENT, 0x20), event);
	assert_false(event->is_kept);
}

TEST(nothing_stays_of_what_the_record_was)
{
	struct sc_handle *array = make(SC_HANDLE_ARRAY, 0x10);

	array->was_freed = true;
	array->row_bytes = array->row_count = 5;
	array->flags = 1;
	array->memory = 3;
	array->opens = 2;
	sc_handle_set_outer(array, array);
	sc_handle_forget(SC_HANDLE_ARRAY, RAW(0x10), array->id);
	assert_ptr_equal(make(SC_HANDLE_ARRAY, 0x20), array);
	assert_false(array->was_freed);
	assert_int_equal(array->row_bytes + array->row_count + array->flags, 0);
	assert_int_equal(array->memory + array->opens + array->outer_id, 0);
	assert_null(array->outer);
}

/* The end of the first one was not seen; where the second one was made neither. */
TEST(nodes_of_an_earlier_graph_are_not_a_later_ones)
{
	struct sc_handle *exec = make(SC_HANDLE_EXEC, 0x10);

	exec->nodes = RAW(0x1000);
	exec->nodes_of = exec->id;
	assert_ptr_equal(sc_handle_nodes(exec), RAW(0x1000));
	make(SC_HANDLE_EXEC, 0x10);
	assert_ptr_equal(sc_handle_see(SC_HANDLE_EXEC, RAW(0x20)), exec);
	assert_null(sc_handle_nodes(exec));
}

TEST(contexts_keep_their_records)
{
	struct sc_handle *context = sc_context_seen(RAW(0x10), 0, 0, 0);

	destroy(context);
	assert_ptr_not_equal(sc_context_seen(RAW(0x10), 0, 0, 0), context);
	assert_ptr_not_equal(sc_context_seen(RAW(0x20), 0, 0, 0), context);
}

TEST(a_late_end_spares_the_context_that_has_the_handle)
{
	struct sc_handle *first = sc_context_seen(RAW(0x10), 0, 0, 0), *next;
	struct sc_call end = {.facts.context = RAW(0x10), .op.context = first->id};

	destroy(first);
	next = sc_context_seen(RAW(0x10), 0, 0, 0);
	sc_tracking_of(SC_OP_CONTEXT_DESTROY)->finish(&end);
	assert_false(sc_handle_is_dead(next));
	end.op.context = next->id;
	sc_tracking_of(SC_OP_CONTEXT_DESTROY)->finish(&end);
	assert_true(sc_handle_is_dead(next));
}

TEST(a_late_end_spares_the_array_that_has_the_handle)
{
	struct sc_call end = {.facts.dst_array = RAW(0x10)};
	struct sc_handle *next;

	end.op.object = make(SC_HANDLE_ARRAY, 0x10)->id;
	next = make(SC_HANDLE_ARRAY, 0x10);
	sc_tracking_of(SC_OP_FREE)->finish(&end);
	assert_ptr_equal(sc_handle_find(SC_HANDLE_ARRAY, RAW(0x10)), next);
	end.op.object = next->id;
	sc_tracking_of(SC_OP_FREE)->finish(&end);
	assert_true(sc_handle_find(SC_HANDLE_ARRAY, RAW(0x10))->was_freed);
}

/* ---- several handles, and what is inside of what ---- */

TEST(a_second_handle_keeps_the_record)
{
	struct sc_handle *module = make(SC_HANDLE_MODULE, 0x10);

	sc_handle_alias(SC_HANDLE_MODULE, RAW(0x20), module);
	sc_handle_alias(SC_HANDLE_MODULE, RAW(0x20), module);
	make(SC_HANDLE_MODULE, 0x10);
	assert_ptr_not_equal(make(SC_HANDLE_MODULE, 0x30), module);
	assert_false(sc_handle_is_dead(module));
	make(SC_HANDLE_MODULE, 0x20);
	assert_true(sc_handle_is_dead(module));
	assert_ptr_equal(make(SC_HANDLE_MODULE, 0x40), module);
}

TEST(a_pool_of_a_device_keeps_its_record)
{
	struct sc_handle *pool = make(SC_HANDLE_POOL, 0x10);

	sc_pool_set_device(0, pool);
	sc_handle_forget(SC_HANDLE_POOL, RAW(0x10), pool->id);
	assert_ptr_not_equal(make(SC_HANDLE_POOL, 0x20), pool);
	assert_ptr_equal(sc_pool_of_device(0), pool);
	sc_pool_set_device(0, NULL);
	assert_ptr_equal(make(SC_HANDLE_POOL, 0x30), pool);
}

/* The driver crashes if it is asked about what is gone. */
TEST(what_was_in_a_record_that_is_used_again_is_gone)
{
	struct sc_handle *graph = make(SC_HANDLE_GRAPH, 0x10), *body = make(SC_HANDLE_GRAPH, 0x20);

	sc_handle_set_outer(body, graph);
	assert_true(sc_handle_may_ask(body));
	sc_handle_forget(SC_HANDLE_GRAPH, RAW(0x10), graph->id);
	assert_false(sc_handle_may_ask(body));
	assert_ptr_equal(make(SC_HANDLE_GRAPH, 0x30), graph);
	assert_true(sc_handle_may_ask(graph));
	assert_false(sc_handle_may_ask(body));
}

/* ---- kernels ---- */

static size_t parameters; /* each of 8 bytes */

static CUresult get_parameter(CUfunction f, size_t index, size_t *offset, size_t *bytes)
{
	(void)f;
	*offset = 8 * index;
	*bytes = 8;
	return index < parameters ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static struct sc_handle *look_up_now(uintptr_t function, const char *name)
{
	CUfunction f = RAW(function);
	cuModuleGetFunction_params p = {.hfunc = &f, .hmod = RAW(0x900), .name = name};

	sc_launch_function_named(&(struct sc_call){.params = &p});
	return sc_handle_find(SC_HANDLE_FUNCTION, f);
}

static struct sc_handle *look_up(uintptr_t function, const char *name)
{
	sc_entries.calls.FuncGetParamInfo = get_parameter;
	return look_up_now(function, name);
}

/* By another thread meanwhile. */
static struct {
	struct sc_handle *function;
	uint32_t parameters;
} found;

static void *look_up_too(void *unused)
{
	found.function = look_up_now(0x10, "a");
	found.parameters = sc_param_layout_of(found.function)->count;
	return unused;
}

static CUresult get_parameter_of_both(CUfunction f, size_t index, size_t *offset, size_t *bytes)
{
	static bool is_other;
	pthread_t other;

	if (!is_other) {
		is_other = true;
		assert_int_equal(pthread_create(&other, NULL, look_up_too, NULL), 0);
		assert_int_equal(pthread_join(other, NULL), 0);
	}
	return get_parameter(f, index, offset, bytes);
}

/* Else one of them launches a kernel without parameters, or with those of another kernel. */
TEST(a_kernel_that_two_threads_look_up_is_one_and_whole)
{
	const struct sc_handle *first;

	parameters = 3;
	sc_entries.calls.FuncGetParamInfo = get_parameter_of_both;
	first = look_up_now(0x10, "a");
	assert_int_equal(found.parameters, 3);
	assert_ptr_equal(first, found.function);
	assert_ptr_not_equal(look_up(0x20, "b"), first);
	assert_int_equal(sc_param_layout_of(first)->count, 3);
}

/* What was remembered of a launch is a record that is another kernel's now, with more of them. */
TEST(a_launch_reads_the_parameters_of_its_own_kernel)
{
	uint64_t value = 7;
	void *values[1] = {&value};
	cuLaunchKernel_params p = {.f = RAW(0x10), .kernelParams = values};
	struct sc_call call = {.api = &sc_apis[SC_API_cuLaunchKernel], .params = &p};
	struct sc_launch shape;

	parameters = 1;
	call.function = look_up(0x10, "a");
	call.op.object = call.function->id;
	look_up(0x10, "later");
	parameters = 5;
	assert_ptr_equal(look_up(0x20, "b"), call.function);
	sc_launch_plain(&call);
	assert_ptr_equal(call.function, sc_handle_find(SC_HANDLE_FUNCTION, RAW(0x10)));
	assert_int_equal(call.op.object, call.function->id);
	assert_int_equal(call.parts, 1);
	memcpy(&shape, call.part[0].data, sizeof(shape));
	assert_int_equal(shape.param_bytes, sizeof(value));
}

TEST(kernels_share_their_layouts)
{
	const struct sc_param_layout *first;

	parameters = 3;
	first = look_up(0x10, "a")->layout;
	assert_int_equal(first->count, 3);
	assert_int_equal(first->bytes, 24);
	assert_ptr_equal(look_up(0x20, "b")->layout, first);
	parameters = 2;
	assert_ptr_not_equal(look_up(0x30, "c")->layout, first);
	parameters = 0;
	assert_int_equal(sc_param_layout_of(look_up(0x40, "d"))->count, 0);
	assert_int_equal(sc_param_layout_of(NULL)->count, 0);
}

TEST(layouts_of_one_hash_are_told_apart)
{
	struct sc_param gap[2] = {{0, 4}, {8, 8}}, none[2] = {{0, 8}, {8, 8}};

	assert_true(sc_param_layout_keep(gap, 2)->has_gaps);
	assert_false(sc_param_layout_keep(none, 2)->has_gaps);
	assert_ptr_equal(sc_param_layout_keep(gap, 2), sc_param_layout_keep(gap, 2));
}

/* As a program that compiles a kernel for each request does: module and kernel come and go. */
TEST(modules_and_kernels_that_come_and_go_need_no_memory)
{
	size_t before;

	parameters = 5;
	for (unsigned i = 0; i < 20000; i++) {
		struct sc_handle *module = make(SC_HANDLE_MODULE, 0x900);

		look_up(0x10 + 0x10 * (i % 3), "kernel");
		destroy(module);
		if (i == 100)
			before = sc_arena_used();
	}
	assert_int_equal(sc_arena_used(), before);
}

/* ---- many at a time ---- */

#define THREADS 4
#define TURNS	60000
#define HANDLES 64
#define HELD	8

/* As a driver does: a handle is free again when its object was destroyed. */
static struct {
	pthread_mutex_t lock;
	uintptr_t free[HANDLES];
	unsigned count;
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uintptr_t create_real(void)
{
	uintptr_t raw;

	pthread_mutex_lock(&driver.lock);
	raw = driver.free[--driver.count];
	pthread_mutex_unlock(&driver.lock);
	return raw;
}

static void destroy_real(uintptr_t raw)
{
	pthread_mutex_lock(&driver.lock);
	driver.free[driver.count++] = raw;
	pthread_mutex_unlock(&driver.lock);
}

/* What was created and not destroyed is found by its handle, alive, as what it is. */
static void *churn(void *data)
{
	enum sc_handle_type type = *(enum sc_handle_type *)data;
	struct sc_handle_ref held[HELD] = {0};
	uintptr_t raw[HELD];
	uintptr_t wrong = 0;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		unsigned i = (turn * 7 + turn / 5) % HELD;
		struct sc_handle_ref ref = held[i];

		if (ref.handle) {
			wrong += sc_handle_find(type, RAW(raw[i])) != ref.handle;
			wrong += !sc_handle_of(ref) || sc_handle_is_dead(ref.handle);
			wrong += ref.handle->flags != ref.id % 5;
			destroy_real(raw[i]);
			sc_handle_kill(ref); /* at the exit of the call */
			held[i].handle = NULL;
		} else {
			raw[i] = create_real();
			held[i] = sc_handle_refer(sc_handle_make(type, RAW(raw[i]), 0, 1));
			held[i].handle->flags = held[i].id % 5;
		}
	}
	for (unsigned i = 0; i < HELD; i++)
		if (held[i].handle)
			destroy_real(raw[i]);
	return (void *)wrong;
}

static uintptr_t churn_in_threads(enum sc_handle_type type)
{
	pthread_t thread[THREADS];
	uintptr_t wrong = 0;
	void *result;

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, churn, &type), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &result), 0);
		wrong += (uintptr_t)result;
	}
	return wrong;
}

TEST(threads_that_create_and_destroy_need_no_more_memory)
{
	enum sc_handle_type types[] = {SC_HANDLE_EVENT, SC_HANDLE_STREAM, SC_HANDLE_EXEC};
	size_t before;

	driver.count = 0;
	for (uintptr_t i = 0; i < HANDLES; i++)
		destroy_real(0x1000 + 0x100 * i);
	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++) {
		for (unsigned k = 0; k < HANDLES; k++)
			destroy(make(types[i], driver.free[k]));
		before = sc_arena_used();
		assert_int_equal(churn_in_threads(types[i]), 0);
		/* one more, of 16 bytes' alignment, for each thread between two objects */
		assert_true(sc_arena_used() - before <= THREADS * (sizeof(struct sc_handle) + 16));
	}
}

/* ---- what is counted ---- */

static char trace_path[64];

static uint64_t count_of(enum sc_gap gap)
{
	return sc_session.writer.head->gaps[gap];
}

static void open_trace(void)
{
	snprintf(trace_path, sizeof(trace_path), "/tmp/test_handle_record.%d.sct", getpid());
	assert_int_equal(sc_writer_open(&sc_session.writer, trace_path, 1 << 21), 0);
}

static void close_trace(void)
{
	sc_writer_close(&sc_session.writer);
	unlink(trace_path);
}

/* As in a driver that gives no handle out twice: of those that ended the last are known. */
TEST(of_many_dead_handles_the_first_are_forgotten)
{
	const uintptr_t made = 10 * SC_HANDLES_DEAD;
	struct sc_handle *held = make(SC_HANDLE_EVENT, 0x10);
	size_t before = 0;

	open_trace();
	for (uintptr_t i = 1; i <= made; i++) {
		destroy(make(SC_HANDLE_EVENT, 0x10 + i * 0x10));
		if (i == made / 2)
			before = sc_arena_used();
	}
	assert_int_equal(sc_arena_used(), before);
	assert_int_equal(count_of(SC_GAP_objects), 0);
	assert_null(sc_handle_find(SC_HANDLE_EVENT, RAW(0x20)));
	assert_true(sc_handle_is_dead(sc_handle_find(SC_HANDLE_EVENT, RAW(0x10 + made * 0x10))));
	assert_ptr_equal(sc_handle_find(SC_HANDLE_EVENT, RAW(0x10)), held);
	close_trace();
}

/* ---- without memory: the last test, as the arena stays full ---- */

static void fill_arena(void)
{
	for (size_t bytes = 1 << 20; bytes >= 16; bytes /= 2)
		while (sc_arena_get(bytes))
			;
}

static void forget(enum sc_handle_type type, uintptr_t raw)
{
	sc_handle_forget(type, RAW(raw), sc_handle_find(type, RAW(raw))->id);
}

TEST(without_memory_objects_are_counted)
{
	open_trace();
	make(SC_HANDLE_GRAPH, 0x10);
	forget(SC_HANDLE_GRAPH, 0x10);
	memset(&sc_handles.table[SC_HANDLE_GRAPH], 0, sizeof(sc_handles.table[0]));
	make(SC_HANDLE_EVENT, 0x10);
	make(SC_HANDLE_EVENT, 0x10);
	fill_arena();
	assert_non_null(make(SC_HANDLE_EVENT, 0x20)); /* a record that is used again */
	assert_int_equal(count_of(SC_GAP_objects), 0);
	assert_null(make(SC_HANDLE_EVENT, 0x30));
	assert_int_equal(count_of(SC_GAP_objects), 1);
	assert_non_null(make(SC_HANDLE_GRAPH, 0x20)); /* a record, and no table for it */
	assert_int_equal(count_of(SC_GAP_objects), 2);
	assert_null(sc_handle_find(SC_HANDLE_GRAPH, RAW(0x20)));
	close_trace();
}
