/* Assertions: a false one ends the tool; contracts that headers of the analyzer and of the
 * trace state are such. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "analyzer/access/executed.h"
#include "analyzer/graph/graph.h"
#include "analyzer/memory/memory.h"
#include "analyzer/order/host.h"
#include "base/assert.h"
#include "base/vector.h"
#include "trace/field.h"
#include "trace/remains.h"
#include "trace/window.h"

TEST(a_true_one_does_nothing)
{
	unsigned asked = 0;

	sc_assert(++asked == 1);
	assert_int_equal(asked, 1);
}

static void look_into_an_empty_one(void)
{
	const SC_VECTOR(int) empty = {0};

	sc_assert(empty.count > 0);
}

static void assert_ends(void (*broken)(void))
{
	pid_t child = fork();
	int status;

	if (!child) {
		close(STDERR_FILENO);
		broken();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

TEST(a_false_one_ends_the_process)
{
	assert_ends(look_into_an_empty_one);
}

/* ---- contracts of the order ---- */

static void join_no_position(void)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *clock = NULL;

	sc_clock_join_op(&pool, &clock, NULL, 0, 0);
}

static void raise_beyond_all_positions(void)
{
	struct sc_clock_pool pool = {0};
	struct sc_clock *clock = NULL;

	sc_clock_raise(&pool, &clock, 0, SC_CLOCK_POSITIONS);
}

/* A stream whose last op is at position 5. */
static struct sc_stream *stream_at_5(struct sc_streams *all)
{
	static struct sc_clock_pool pool;
	struct sc_interval unused;
	struct sc_stream *s;

	*all = (struct sc_streams){.pool = &pool};
	s = sc_stream_of(all, 1, 1);
	sc_stream_push(all, s, 5, &unused);
	return s;
}

static void push_out_of_order(void)
{
	struct sc_streams all;
	struct sc_stream *s = stream_at_5(&all);
	struct sc_interval unused;

	sc_stream_push(&all, s, 5, &unused);
}

static void destroy_before_the_last_op(void)
{
	struct sc_streams all;
	struct sc_stream *s = stream_at_5(&all);

	sc_stream_destroy(&all, s, 5, NULL);
}

static void push_beside_on_no_lane(void)
{
	struct sc_streams all;
	struct sc_stream *s = stream_at_5(&all);
	struct sc_interval unused;

	sc_stream_push_beside(&all, s, all.lanes, NULL, 6, &unused);
}

static void ask_for_a_thread_of_all(void)
{
	struct sc_streams all;
	struct sc_callbacks callbacks = {0};
	struct sc_host host;

	stream_at_5(&all);
	sc_host_init(&host, &all, &callbacks, 0);
	sc_host_thread_of(&host, 1);
}

TEST(contracts_of_the_order)
{
	assert_ends(join_no_position);
	assert_ends(raise_beyond_all_positions);
	assert_ends(push_out_of_order);
	assert_ends(destroy_before_the_last_op);
	assert_ends(push_beside_on_no_lane);
	assert_ends(ask_for_a_thread_of_all);
}

/* ---- contracts of memory, graphs and accesses ---- */

static void insert_overlapping_ranges(void)
{
	struct sc_range low = {100, 200}, high = {199, 300};
	struct sc_ranges set = {0};

	sc_ranges_insert(&set, &high);
	sc_ranges_insert(&set, &low);
}

static void end_the_implicit_object(void)
{
	static struct sc_clock_pool pool;
	static struct sc_memory_map memory;

	sc_memory_init(&memory, &pool);
	sc_memory_end(&memory, &memory.implicit, 1);
}

static void settle_before_the_first_launch(void)
{
	const struct sc_record record = {.op = {.kind = SC_OP_INSTANTIATE}};

	sc_graph_settle(sc_graph_new(&record));
}

static void make_a_graph_of_a_kernel(void)
{
	const struct sc_record record = {.op = {.kind = SC_OP_KERNEL}};

	sc_graph_new(&record);
}

static void look_at_no_node(void)
{
	const struct sc_executed none = {0};

	sc_executed_node(&none, 0);
}

TEST(contracts_of_memory_and_graphs)
{
	assert_ends(insert_overlapping_ranges);
	assert_ends(end_the_implicit_object);
	assert_ends(settle_before_the_first_launch);
	assert_ends(make_a_graph_of_a_kernel);
	assert_ends(look_at_no_node);
}

/* ---- contracts of the trace ---- */

static void get_no_field(void)
{
	const struct sc_op op = {0};

	sc_field_get(&op, SC_FIELDS);
}

static void put_out_of_order(void)
{
	struct sc_remains rest = {.fd = -1};

	sc_vector_push(&rest.entries, ((struct sc_remains_entry){.sequence = 7}));
	sc_remains_put(&rest, 7, NULL, 2);
}

static void move_beyond_the_buffer(void)
{
	struct sc_window window = {.fd = 0, .total = SC_TRACE_SLOTS_MAX};

	sc_window_move(&window, 0, SC_RECORD_SLOTS + 1);
}

TEST(contracts_of_the_trace)
{
	assert_ends(get_no_field);
	assert_ends(put_out_of_order);
	assert_ends(move_beyond_the_buffer);
}
