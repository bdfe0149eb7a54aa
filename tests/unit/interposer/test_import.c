/* Imported memory: how often it is open at an address, also where threads open and close it at the
 * same time. */
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/call/call.h"
#include "interposer/call/import.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/driver/driver.h"
#include "interposer/driver/entry.h"
#include "interposer/object/handle.h"
#include "interposer/call/row_functions.h"

#define ADDRESS 0x10000

static int set_up(void **state)
{
	(void)state;
	memset(&sc_handles, 0, sizeof(sc_handles));
	memset(&sc_handle_records, 0, sizeof(sc_handle_records));
	memset(&sc_self, 0, sizeof(sc_self));
	atomic_store(&sc_session.state, SC_CLOSED); /* ops go nowhere */
	sc_entries.calls = (struct sc_driver){0};
	atomic_store(&sc_entries.driver_known, 1);
	return 0;
}

/* True if the memory was not open there. */
static bool opens(void)
{
	struct sc_call call = {.facts.dst = ADDRESS};

	sc_import_open(&call);
	return !call.facts.is_repeated;
}

static struct sc_call begin_close(void)
{
	struct sc_call call = {.facts.dst = ADDRESS, .op.kind = SC_OP_FREE};

	sc_import_close(&call);
	return call;
}

static bool closes(int result)
{
	struct sc_call call = begin_close();

	call.result = result;
	sc_import_closed(&call);
	return call.op.kind == SC_OP_FREE;
}

EACH_TEST(set_up, NULL)

TEST(the_last_close_is_the_end)
{
	assert_true(opens());
	assert_false(opens());
	assert_false(closes(0));
	assert_true(closes(0));
	assert_true(opens());
}

/* Else its memory would count as freed while it uses it. */
TEST(another_thread_opens_before_the_close_has_returned)
{
	struct sc_call closing;

	assert_true(opens());
	closing = begin_close();
	assert_true(opens());
	sc_import_closed(&closing);
	assert_true(closes(0));
}

TEST(a_close_that_fails_counts_for_nothing)
{
	assert_true(closes(1)); /* nothing was open */
	assert_true(opens());
	closes(1);
	assert_false(opens());
}

TEST(a_close_in_a_host_function_counts_for_nothing)
{
	assert_true(opens());
	sc_self.callback = 1;
	begin_close(); /* what follows the call is left out there */
	sc_self.callback = 0;
	assert_false(opens());
}
