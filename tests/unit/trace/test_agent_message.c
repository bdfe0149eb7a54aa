/* Agents: the message that the record of an operation stands for as well. */
#include "tests/unit/unit.h"
#include "trace/agent.h"
#include "trace/message.h"

static struct sc_access plain(uint8_t mode, uint64_t bytes)
{
	return (struct sc_access){
		.base = 0x1000, .width = bytes, .rows = 1, .slices = 1, .mode = mode};
}

static struct sc_op sent(uint32_t tag)
{
	struct sc_op op = {.kind = SC_OP_AGENT, .value = SC_AGENT_HOST_ONLY, .thread = 7};

	sc_agent_add_message(&op, 3, 5, SC_MESSAGE_SEND | SC_MESSAGE_BLOCKS, tag);
	return op;
}

TEST(message_comes_back)
{
	struct sc_op op = sent(UINT32_MAX);
	struct sc_access access = plain(SC_READ, 64);
	struct sc_op message = sc_agent_message(&op, &access, 1);

	assert_int_equal(message.kind, SC_OP_MESSAGE);
	assert_int_equal(message.value, SC_MESSAGE_SEND | SC_MESSAGE_BLOCKS);
	assert_int_equal(message.object, 3);
	assert_int_equal(message.peer, 5);
	assert_int_equal(message.src, UINT32_MAX);
	assert_int_equal(message.bytes, 64);
	assert_int_equal(message.thread, 7);
}

TEST(ability_stays)
{
	struct sc_op op = sent(9);

	assert_int_equal(sc_agent_ability(&op), SC_AGENT_HOST_ONLY);
}

/* A call that sends and receives has accesses of both. */
TEST(bytes_are_those_of_the_direction)
{
	struct sc_access both[] = {plain(SC_READ, 24), plain(SC_WRITE, 100), plain(SC_READ, 8)};

	assert_int_equal(sc_agent_message_bytes(SC_MESSAGE_SEND, both, 3), 32);
	assert_int_equal(sc_agent_message_bytes(SC_MESSAGE_RECEIVE, both, 3), 100);
}

TEST(bytes_of_rows_and_slices)
{
	struct sc_access access = plain(SC_WRITE, 4);

	access.rows = 3;
	access.slices = 5;
	assert_int_equal(sc_agent_message_bytes(SC_MESSAGE_RECEIVE, &access, 1), 60);
}

TEST(bytes_of_a_linear_access)
{
	struct sc_op op = sent(1);

	op.src = 0x1000;
	op.bytes = 48;
	assert_int_equal(sc_agent_message(&op, NULL, 0).bytes, 48);
}

TEST(end_comes_back)
{
	struct sc_op op = {.kind = SC_OP_AGENT_END, .value = SC_AGENT_GIVEN_UP, .link = 12};
	struct sc_op message;

	sc_agent_add_end(&op, 2, 43);
	message = sc_agent_message(&op, NULL, 0);
	assert_int_equal(message.kind, SC_OP_MESSAGE_END);
	assert_int_equal(message.value, 0);
	assert_int_equal(message.peer, 2);
	assert_int_equal(message.src, 43);
	assert_int_equal(message.link, 12);
	assert_int_equal(sc_agent_how(&op), SC_AGENT_GIVEN_UP);
}

/* Operations of UCX, and those that had messages of their own records. */
TEST(others_are_no_message)
{
	struct sc_op begin = {.kind = SC_OP_AGENT}, end = {.kind = SC_OP_AGENT_END, .link = 1};

	assert_int_equal(sc_agent_message(&begin, NULL, 0).kind, SC_OP_NONE);
	assert_int_equal(sc_agent_message(&end, NULL, 0).kind, SC_OP_NONE);
}
