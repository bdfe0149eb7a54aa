/* Pending operations of UCX: which of them a request, a callback and a flush end. */
#include "tests/unit/unit.h"
#include "interposer/core/put.h"
#include "extensions/agents/ucx/pending.h"

#define ENDPOINT 100
#define OTHER	 101
#define WORKER	 200

static struct sc_ucx_pending *begin(uint64_t owner)
{
	struct sc_ucx_pending *p = sc_ucx_pending_new();

	assert_non_null(p);
	p->owner = owner;
	p->flight.sequence = 1;
	p->number = sc_ucx_pending_number();
	return p;
}

static bool is_in_flight(const struct sc_ucx_pending *p)
{
	return p->flight.sequence != SC_NOT_WRITTEN;
}

TEST(request)
{
	sc_ucx_pending_begun(begin(ENDPOINT), 7);
	sc_ucx_pending_seen(8);
	sc_ucx_pending_seen(0);
	assert_true(sc_ucx_pending_is_any());
	sc_ucx_pending_seen(7);
	assert_false(sc_ucx_pending_is_any());
	sc_ucx_pending_seen(7);
	sc_ucx_pending_freed(7, true);
}

/* The program may ask in one thread while the callback runs in another. */
TEST(callback_after_answer)
{
	struct sc_ucx_pending *p = begin(ENDPOINT);

	p->has_callback = true;
	sc_ucx_pending_begun(p, 7);
	sc_ucx_pending_seen(7);
	assert_false(is_in_flight(p));
	assert_true(sc_ucx_pending_called(p));
	sc_ucx_pending_put(p);
	assert_false(sc_ucx_pending_is_any());
}

/* In another thread the callback may run before the call has returned the request. */
TEST(callback_before_request)
{
	struct sc_ucx_pending *p = begin(ENDPOINT);

	p->has_callback = true;
	assert_false(sc_ucx_pending_called(p));
	assert_false(is_in_flight(p));
	sc_ucx_pending_begun(p, 7);
	assert_false(sc_ucx_pending_is_any());
}

TEST(freed_before_callback)
{
	struct sc_ucx_pending *p = begin(ENDPOINT);

	p->has_callback = true;
	sc_ucx_pending_begun(p, 7);
	sc_ucx_pending_freed(7, false);
	assert_false(sc_ucx_pending_is_any());
	assert_false(is_in_flight(p)); /* and it is still there: a callback may come */
	assert_false(sc_ucx_pending_called(p));
}

/* A flush ends remote accesses of its endpoint that were begun before it, and nothing else. */
TEST(flush)
{
	struct sc_ucx_pending *before = begin(ENDPOINT), *others = begin(OTHER),
			      *message = begin(ENDPOINT);
	uint64_t flush = sc_ucx_pending_number();
	struct sc_ucx_pending *after = begin(ENDPOINT);

	before->is_remote = others->is_remote = after->is_remote = true;
	sc_ucx_pending_begun(before, 1);
	sc_ucx_pending_begun(others, 2);
	sc_ucx_pending_begun(message, 3);
	sc_ucx_pending_begun(after, 4);
	sc_ucx_pending_flushed(ENDPOINT, false, flush);
	assert_false(is_in_flight(before));
	assert_true(is_in_flight(others) && is_in_flight(message) && is_in_flight(after));
	sc_ucx_pending_flushed(WORKER, true, sc_ucx_pending_number());
	assert_false(is_in_flight(others) || is_in_flight(after));
	assert_true(is_in_flight(message));
	for (uint64_t request = 1; request <= 4; request++)
		sc_ucx_pending_freed(request, true);
	assert_false(sc_ucx_pending_is_any());
}

/* One without a request goes with the flush. */
TEST(implicit)
{
	struct sc_ucx_pending *p = begin(ENDPOINT);

	p->is_remote = true;
	sc_ucx_pending_begun(p, 0);
	sc_ucx_pending_flushed(OTHER, false, sc_ucx_pending_number());
	assert_true(sc_ucx_pending_is_any());
	sc_ucx_pending_flushed(ENDPOINT, false, sc_ucx_pending_number());
	assert_false(sc_ucx_pending_is_any());
}

/* The end of a flush's request is that of what it flushes. */
TEST(flush_by_request)
{
	struct sc_ucx_pending *put = begin(ENDPOINT), *flush = begin(ENDPOINT);

	put->is_remote = true;
	sc_ucx_pending_begun(put, 1);
	flush->is_flush = true;
	flush->flight.sequence = SC_NOT_WRITTEN;
	sc_ucx_pending_begun(flush, 2);
	sc_ucx_pending_seen(2);
	assert_false(is_in_flight(put));
	sc_ucx_pending_seen(1);
	assert_false(sc_ucx_pending_is_any());
}

TEST(polled)
{
	struct sc_ucx_pending *p = begin(ENDPOINT);
	uint64_t requests[4];

	p->is_polled = true;
	sc_ucx_pending_begun(p, 9);
	sc_ucx_pending_begun(begin(ENDPOINT), 10);
	assert_int_equal(sc_ucx_pending_polled(requests, 4), 1);
	assert_int_equal(requests[0], 9);
	sc_ucx_pending_seen(9);
	sc_ucx_pending_seen(10);
	assert_int_equal(sc_ucx_pending_polled(requests, 4), 0);
}

TEST(worker_destroyed)
{
	struct sc_ucx_pending *sent = begin(ENDPOINT), *received = begin(WORKER),
			      *others = begin(WORKER + 1);

	received->is_workers = others->is_workers = true;
	sc_ucx_pending_begun(sent, 1);
	sc_ucx_pending_begun(received, 2);
	sc_ucx_pending_begun(others, 3);
	sc_ucx_pending_destroyed(WORKER);
	assert_false(is_in_flight(sent) || is_in_flight(received));
	assert_true(is_in_flight(others));
	for (uint64_t request = 1; request <= 3; request++)
		sc_ucx_pending_freed(request, false);
	assert_false(sc_ucx_pending_is_any());
}
