/* What the page guard watches at a launch of an executable graph. */
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/call/enqueued.h"
#include "interposer/guard/graph_operands.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/object/handle.h"
#include "interposer/object/completion.h"
#include "interposer/guard/watchpoint.h"

#define BASE  UINT64_C(0x100000)
#define BYTES UINT64_C(0x100000)
#define NEXT  (BASE + BYTES) /* another allocation follows at once */

static struct sc_graph_operands operands;

static int set_up(void **state)
{
	struct sc_known_allocation a = {
		.start = BASE, .bytes = BYTES, .object = 1, .memory = SC_MEM_PINNED};

	(void)state;
	memset(&sc_memory, 0, sizeof(sc_memory));
	if (sc_memory_insert(&sc_memory, &a))
		return 1;
	a.start = NEXT;
	a.object = 2;
	return sc_memory_insert(&sc_memory, &a);
}

static int tear_down(void **state)
{
	(void)state;
	sc_graph_operands_fini(&operands);
	return 0;
}

static void add(uint32_t index, const struct sc_call *call)
{
	const struct sc_enqueued node = sc_call_enqueued(call);

	sc_graph_operands_set_node(&operands, index, &node);
}

static void record_by(const struct sc_call *call)
{
	const struct sc_enqueued launch = sc_call_enqueued(call);

	sc_graph_operands_record(&operands, &launch);
}

/* Node `index` is a copy from the device to this place. */
static void copy_out(uint32_t index, uint64_t to, uint64_t bytes)
{
	struct sc_call call = {.sequence = 0};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .dst = to,
				 .src = 0x1000,
				 .bytes = bytes,
				 .dst_mem = SC_MEM_PINNED,
				 .src_mem = SC_MEM_DEVICE};
	add(index, &call);
}

static void copy_in(uint32_t index, uint64_t from, uint64_t bytes)
{
	struct sc_call call = {.sequence = 0};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .src = from,
				 .dst = 0x1000,
				 .bytes = bytes,
				 .src_mem = SC_MEM_PINNED,
				 .dst_mem = SC_MEM_DEVICE};
	add(index, &call);
}

static const struct sc_access *at(unsigned index)
{
	return &sc_graph_operands_merged(&operands)[index];
}

EACH_TEST(set_up, tear_down)

TEST(operands_are_sorted_and_exact)
{
	copy_out(0, BASE + 64, 16);
	copy_in(1, BASE, 32);
	assert_int_equal(sc_graph_operands_merge(&operands), 2);
	assert_int_equal(at(0)->base, BASE);
	assert_int_equal(at(0)->mode, SC_READ);
	assert_int_equal(at(1)->base, BASE + 64);
	assert_int_equal(at(1)->mode, SC_WRITE);
	assert_int_equal(at(1)->width, 16);
}

TEST(the_device_is_no_concern)
{
	struct sc_call call = {.sequence = 0};

	call.op = (struct sc_op){
		.kind = SC_OP_SET, .dst = 0x1000, .bytes = 8, .dst_mem = SC_MEM_DEVICE};
	add(0, &call);
	assert_true(sc_graph_operands_is_empty(&operands));
}

TEST(many_nodes_on_one_operand_are_one)
{
	for (uint32_t i = 0; i < 1000; i++)
		copy_out(i, BASE, 16);
	assert_int_equal(sc_graph_operands_merge(&operands), 1);
	assert_int_equal(operands.left, 0);
}

TEST(few_chunks_stay_apart)
{
	for (uint32_t i = 0; i < SC_GRAPH_OPERANDS; i++)
		copy_out(i, BASE + i * 64, 64);
	assert_int_equal(sc_graph_operands_merge(&operands), SC_GRAPH_OPERANDS);
}

TEST(many_chunks_are_joined_within_their_owner)
{
	const uint32_t nodes = 256;
	const uint64_t chunk = 2 * BYTES / nodes;

	for (uint32_t i = nodes; i-- > 0;)
		copy_out(i, BASE + i * chunk, chunk);
	assert_int_equal(sc_graph_operands_merge(&operands), 2);
	assert_int_equal(at(0)->base, BASE);
	assert_int_equal(at(0)->width, BYTES);
	assert_int_equal(at(1)->base, NEXT);
	assert_int_equal(operands.left, 0);
}

TEST(modes_are_not_joined)
{
	for (uint32_t i = 0; i < 200; i++) {
		copy_out(2 * i, BASE + i * 64, 16);
		copy_in(2 * i + 1, BASE + i * 64 + 32, 16);
	}
	assert_int_equal(sc_graph_operands_merge(&operands), 2);
	assert_int_equal(at(0)->mode, SC_WRITE);
	assert_int_equal(at(0)->width, 199 * 64 + 16);
	assert_int_equal(at(1)->mode, SC_READ);
}

TEST(what_is_left_over_is_counted)
{
	for (uint32_t i = 0; i < SC_GRAPH_OPERANDS + 5; i++)
		copy_out(i, 16 * BYTES + i * BYTES, 64); /* no allocation that is known */
	assert_int_equal(sc_graph_operands_merge(&operands), SC_GRAPH_OPERANDS);
	assert_int_equal(operands.left, 5);
}

TEST(operands_beyond_the_most_are_counted)
{
	for (uint32_t i = 0; i < SC_GRAPH_OPERANDS_KEPT + 7; i++)
		copy_out(i, BASE + i * 16, 8);
	assert_int_equal(sc_graph_operands_merge(&operands), 1);
	assert_int_equal(operands.left, 7);
}

TEST(an_update_replaces_the_operands_of_its_node)
{
	copy_out(0, BASE, 16);
	copy_out(1, BASE + 64, 16);
	assert_int_equal(sc_graph_operands_merge(&operands), 2);
	copy_out(0, NEXT, 16);
	assert_int_equal(sc_graph_operands_merge(&operands), 2);
	assert_int_equal(at(0)->base, BASE + 64);
	assert_int_equal(at(1)->base, NEXT);
}

TEST(a_node_that_is_off_arms_nothing)
{
	copy_out(0, BASE, 16);
	copy_out(1, BASE + 64, 16);
	sc_graph_operands_switch(&operands, 0, false);
	assert_int_equal(sc_graph_operands_merge(&operands), 1);
	assert_int_equal(at(0)->base, BASE + 64);
	sc_graph_operands_switch(&operands, 0, true);
	assert_int_equal(sc_graph_operands_merge(&operands), 2);
}

TEST(clearing_forgets_all)
{
	copy_out(3, BASE, 16);
	sc_graph_operands_clear(&operands);
	assert_true(sc_graph_operands_is_empty(&operands));
	assert_int_equal(sc_graph_operands_merge(&operands), 0);
}

/* ---- events ---- */

static struct sc_handle stream = {.id = 1, .context = 1};
static struct sc_handle event = {.id = 2, .context = 1}, other_event = {.id = 3, .context = 1};

static void record(uint32_t index, struct sc_handle *recorded)
{
	struct sc_call call = {
		.object = recorded, .object_id = recorded->id, .op = {.kind = SC_OP_EVENT_RECORD}};

	add(index, &call);
}

/* An event that was recorded in another stream, and the memory that it stood for is watched. */
static void record_before(struct sc_handle *recorded)
{
	recorded->completion =
		(struct sc_completion){.count = 1, .entry = {{.stream = 9, .sequence = 50}}};
	recorded->completion_of = recorded->id;
	atomic_store(&sc_guard.live, 1);
}

static void launch(uint64_t sequence)
{
	struct sc_call call = {.stream = &stream, .stream_id = 1, .sequence = sequence};

	record_by(&call);
	atomic_store(&sc_guard.live, 0);
}

TEST(a_recorded_event_stands_for_what_is_in_front_of_the_launch)
{
	record(4, &event);
	record_before(&event);
	launch(70);
	assert_false(sc_completion_has(&event.completion, 9, 1, false, 10));
	assert_true(sc_completion_has(&event.completion, 1, 1, true, 69));
	assert_false(sc_completion_has(&event.completion, 1, 1, true, 70));
}

TEST(an_update_records_another_event)
{
	record(4, &event);
	record(4, &other_event);
	record_before(&event);
	launch(70);
	assert_true(sc_completion_has(&event.completion, 9, 1, false, 10));
	assert_true(sc_completion_has(&other_event.completion, 1, 1, true, 69));
}

TEST(clearing_forgets_events_too)
{
	record(4, &event);
	sc_graph_operands_clear(&operands);
	record_before(&event);
	launch(70);
	assert_true(sc_completion_has(&event.completion, 9, 1, false, 10));
}
