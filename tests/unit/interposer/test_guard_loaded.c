/* The page guard: memory that a kernel reaches by an address that it loads, and its bounds. */
#include "tests/unit/interposer/guard_fixture.h"

#include "interposer/guard/loaded.h"
#include "interposer/object/kernel_text.h"

static const char text[] =
	".entry follows(.param .u64 follows_param_0)\n"
	"{ ld.param.u64 %rd1, [follows_param_0]; ld.global.u64 %rd2, [%rd1];\n"
	"st.global.u32 [%rd2], 1; ret; }\n"
	".entry given(.param .u64 given_param_0)\n"
	"{ ld.param.u64 %rd1, [given_param_0]; st.global.u32 [%rd1], 1; ret; }\n";

static struct sc_handle kernel_named(const char *name)
{
	return (struct sc_handle){.id = 9, .text_name = sc_kernel_text_name(name, strlen(name))};
}

/* A launch without parameters that lead to the host's memory. */
static void start(const char *name, struct sc_handle *in, uint64_t sequence)
{
	struct sc_launch head = {.grid = {1, 1, 1}};
	struct sc_handle kernel = kernel_named(name);
	struct sc_call call = {.stream = in,
			       .stream_id = in->id,
			       .sequence = sequence,
			       .function = &kernel,
			       .parts = 1};

	call.op = (struct sc_op){.kind = SC_OP_KERNEL, .context = 1};
	call.part[0] = (struct sc_attachment){SC_ATTACH_LAUNCH, sizeof(head), &head};
	watch(&call);
}

static int set_up_text(void **state)
{
	uint8_t *image;

	memset(&sc_kernel_texts, 0, sizeof(sc_kernel_texts));
	image = sc_kernel_text_room(sizeof(text));
	memcpy(image, text, sizeof(text));
	sc_kernel_text_add(image, sizeof(text));
	sc_session.options.footprints = SC_FOOTPRINTS_YES;
	return set_up(state);
}

EACH_TEST(set_up_text, tear_down)

TEST(a_kernel_that_loads_addresses_may_reach_all)
{
	start("follows", &stream, 5);
	assert_int_equal(rights(buffer), NOTHING);
	sc_guard_waited_stream(sc_handle_refer(&stream), 6);
	assert_int_equal(rights(buffer), ALL);
}

TEST(one_that_is_given_its_addresses_reaches_nothing)
{
	start("given", &stream, 5);
	assert_int_equal(rights(buffer), ALL);
}

TEST(one_without_a_text_counts_where_its_bytes_are_recorded)
{
	start("unknown", &stream, 5);
	assert_int_equal(rights(buffer), ALL);
	sc_session.options.footprints = SC_FOOTPRINTS_RECORDED;
	start("unknown", &stream, 6);
	assert_int_equal(rights(buffer), NOTHING);
}

/* The first launch's wait does not open what a later one may use. */
TEST(a_second_launch_renews_what_is_watched)
{
	start("follows", &stream, 5);
	start("follows", &stream, 7);
	assert_int_equal(sc_guard.live, 1);
	sc_guard_waited_stream(sc_handle_refer(&stream), 6);
	assert_int_equal(rights(buffer), NOTHING);
	sc_guard_waited_stream(sc_handle_refer(&stream), 8);
	assert_int_equal(rights(buffer), ALL);
}

TEST(what_the_host_opened_is_watched_for_the_next_launch)
{
	start("follows", &stream, 5);
	sc_guard_open_range((uint64_t)buffer, 1, false);
	assert_int_equal(rights(buffer), ALL);
	start("follows", &stream, 7);
	assert_int_equal(rights(buffer), NOTHING);
}

TEST(more_than_may_be_protected_is_counted)
{
	sc_guard.bytes = SC_GUARD_BYTES - BUFFER + 1;
	start("follows", &stream, 5);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(sc_guard.loaded.unwatched, 1);
	start("follows", &stream, 6); /* the most that one launch left out */
	assert_int_equal(sc_guard.loaded.unwatched, 1);
}

TEST(faults_are_bounded)
{
	sc_guard.loaded.faults = SC_LOADED_FIRST_FAULTS + SC_LOADED_LAUNCH_FAULTS;
	start("follows", &stream, 5);
	assert_int_equal(rights(buffer), ALL);
	assert_int_equal(sc_guard.loaded.unwatched, 1);
}

TEST(kernels_of_one_name_are_one)
{
	static const char more[] = ".entry given() { ld.const.u64 %rd1, [c]; "
				   "st.global.u32 [%rd1], 1; }";
	uint8_t *image = sc_kernel_text_room(sizeof(more));

	start("given", &stream, 4);
	assert_int_equal(rights(buffer), ALL);
	memcpy(image, more, sizeof(more));
	sc_kernel_text_add(image, sizeof(more));
	start("given", &stream, 5);
	assert_int_equal(rights(buffer), NOTHING);
}
