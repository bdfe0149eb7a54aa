/* Device times: buffers for CUPTI, its records written, and the thread that flushes. */
#include "interposer/cupti/times.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include "base/assert.h"
#include "interposer/core/arena.h"
#include "interposer/cupti/correlation.h"
#include "interposer/core/message.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/clock.h"
#include "interposer/core/background.h"

#define PATIENCE_S 1
#define BATCH	   32 /* ops that are written at once */

#define READY 8 /* buffers whose pages are there before CUPTI asks for them */

static const CUpti_ActivityKind kinds[] = {
	CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	CUPTI_ACTIVITY_KIND_MEMCPY,
	CUPTI_ACTIVITY_KIND_MEMCPY2,
	CUPTI_ACTIVITY_KIND_MEMSET,
	CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
	CUPTI_ACTIVITY_KIND_MEMORY_POOL,
	CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- buffers ---- */

static struct sc_times_buffer *make_buffer(struct sc_times *t)
{
	struct sc_times_buffer *buffer = NULL;

	if (t->made < SC_TIMES_BUFFERS)
		buffer = sc_arena_get(sizeof(*buffer));
	t->made += buffer != NULL;
	sc_assert(t->made <= SC_TIMES_BUFFERS);
	return buffer;
}

static struct sc_times_buffer *take_buffer(struct sc_times *t)
{
	struct sc_times_buffer *buffer;

	sc_lock_get(&t->lock);
	buffer = t->free;
	if (buffer)
		t->free = buffer->next;
	else
		buffer = make_buffer(t);
	sc_lock_put(&t->lock);
	return buffer;
}

static void give_buffer(struct sc_times *t, struct sc_times_buffer *buffer)
{
	sc_lock_get(&t->lock);
	buffer->next = t->free;
	t->free = buffer;
	sc_lock_put(&t->lock);
}

/* Buffers with pages, so that the first records do not wait for them. */
static void make_ready(struct sc_times *t)
{
	for (unsigned i = 0; i < READY; i++) {
		struct sc_times_buffer *buffer = make_buffer(t);

		if (!buffer)
			return;
		memset(buffer->data, 0, sizeof(buffer->data));
		give_buffer(t, buffer);
	}
}

/* Without a buffer CUPTI drops records and counts them. */
void sc_times_request(struct sc_times *t, uint8_t **data, size_t *size, size_t *most)
{
	struct sc_times_buffer *buffer = take_buffer(t);

	*data = buffer ? buffer->data : NULL;
	*size = buffer ? sizeof(buffer->data) : 0;
	*most = 0; /* as many as fit */
	if (buffer)
		atomic_fetch_add_explicit(&t->out, 1, memory_order_relaxed);
}

/* Which op a record belongs to; false if it is not to be written. */
static bool join(struct sc_times *t, struct sc_op *op, uint32_t correlation)
{
	op->link = sc_correlations_find(t->links, correlation);
	if (!op->link && op->engine == SC_ENGINE_HOST_WAIT)
		return false; /* a wait of the driver's own */
	if (!op->link && correlation)
		atomic_fetch_add_explicit(&t->unlinked, 1, memory_order_relaxed);
	return true;
}

/* The next records as ops, as many as there is room for. */
static unsigned take_batch(struct sc_times *t, uint8_t *data, size_t valid, CUpti_Activity **record,
			   struct sc_op *ops)
{
	uint32_t correlation;
	unsigned n = 0;

	while (n < BATCH && t->calls->ActivityGetNextRecord(data, valid, record) == CUPTI_SUCCESS) {
		if (sc_times_decode(*record, &ops[n], &correlation) &&
		    join(t, &ops[n], correlation))
			n++;
	}
	return n;
}

void sc_times_take(struct sc_times *t, uint8_t *data, size_t valid)
{
	struct sc_times_buffer *buffer = (void *)(data - offsetof(struct sc_times_buffer, data));
	CUpti_Activity *record = NULL;
	struct sc_op ops[BATCH];
	unsigned n;

	while (valid && (n = take_batch(t, data, valid, &record, ops)))
		sc_put_ops(ops, n);
	memset(buffer->data, 0, sizeof(buffer->data));
	sc_assert(atomic_load(&t->out) > 0);
	atomic_fetch_sub_explicit(&t->out, 1, memory_order_relaxed);
	give_buffer(t, buffer);
}

/* ---- what CUPTI calls ---- */

static uint64_t CUPTIAPI our_clock(void)
{
	return sc_clock_exact();
}

/* ---- flushing ---- */

static void write_clock(const struct sc_times *t)
{
	struct sc_op op = {.kind = SC_OP_DEVICE_CLOCK};
	uint64_t before = sc_clock_exact(), after, device = 0;

	if (!t->calls->GetTimestamp || t->calls->GetTimestamp(&device) != CUPTI_SUCCESS)
		return;
	after = sc_clock_exact();
	op.time_ns = before + (after - before) / 2;
	op.value = device;
	op.bytes = (after - before + 1) / 2;
	sc_put_op(&op, NULL, 0);
}

static void flush(struct sc_times *t)
{
	write_clock(t);
	t->calls->ActivityFlushAll(0);
	/* at the end, also what has begun but not ended; its records are left out */
	if (t->is_last && atomic_load_explicit(&t->out, memory_order_relaxed))
		t->calls->ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

static void *stand_by(void *data)
{
	struct sc_times *t = data;

	for (;;) {
		if (sem_wait(&t->wanted))
			continue;
		flush(t);
		sem_post(&t->done);
	}
	return NULL;
}

static bool start_thread(struct sc_times *t)
{
	sem_init(&t->wanted, 0, 0);
	sem_init(&t->done, 0, 0);
	return sc_background_start(stand_by, t);
}

void sc_times_flush(struct sc_times *t, bool is_last)
{
	struct timespec until;

	if (!atomic_load(&t->is_on) || atomic_load(&t->is_ended))
		return;
	t->is_last = is_last;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE_S;
	sem_post(&t->wanted);
	while (sem_clockwait(&t->done, CLOCK_MONOTONIC, &until)) {
		if (errno != EINTR) {
			atomic_store(&t->is_stuck, true);
			return;
		}
	}
}

/* ---- beginning and ending ---- */

/* Else CUPTI clears each buffer itself, on the program's thread. */
static void promise_cleared_buffers(const struct sc_cupti_calls *calls)
{
	uint8_t are_cleared = 1;
	size_t bytes = sizeof(are_cleared);

	if (calls->ActivitySetAttribute)
		calls->ActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes,
					    &are_cleared);
}

bool sc_times_begin(struct sc_times *t, const struct sc_cupti_calls *calls,
		    const struct sc_correlations *links, CUpti_BuffersCallbackRequestFunc requested,
		    CUpti_BuffersCallbackCompleteFunc completed)
{
	unsigned works = 0;

	t->calls = calls;
	t->links = links;
	if (!calls->ActivityRegisterCallbacks || !calls->ActivityGetNextRecord ||
	    !calls->ActivityFlushAll || !calls->ActivityEnable || !calls->ActivityDisable)
		return false;
	make_ready(t);
	promise_cleared_buffers(calls);
	if (calls->ActivityRegisterTimestamp)
		calls->ActivityRegisterTimestamp(our_clock);
	if (calls->ActivityRegisterCallbacks(requested, completed) != CUPTI_SUCCESS ||
	    !start_thread(t))
		return false;
	for (unsigned i = 0; i < KINDS; i++)
		works += calls->ActivityEnable(kinds[i]) == CUPTI_SUCCESS;
	atomic_store(&t->is_on, works != 0);
	write_clock(t);
	return works;
}

/* Best effort: movements of managed memory are reported only where the device can count them. */
void sc_times_managed(struct sc_times *t)
{
	CUpti_ActivityUnifiedMemoryCounterConfig config[2] = {
		{.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
		 .kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
		 .enable = 1},
		{.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
		 .kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
		 .enable = 1}};
	CUptiResult result;

	if (!atomic_load(&t->is_on) || !t->calls->ConfigureManaged)
		return;
	result = t->calls->ConfigureManaged(config, 2);
	if (result == CUPTI_SUCCESS)
		result = t->calls->ActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
	if (result != CUPTI_SUCCESS && sc_session.options.verbose)
		sc_message("CUPTI does not count what managed memory moves here (%d)", (int)result);
}

void sc_times_end(struct sc_times *t)
{
	if (!atomic_load(&t->is_on))
		return;
	sc_times_flush(t, true);
	atomic_store(&t->is_on, false);
	for (unsigned i = 0; i < KINDS; i++)
		t->calls->ActivityDisable(kinds[i]);
}

static void write_lost(const char *text, uint64_t count)
{
	struct sc_attachment part = {SC_ATTACH_TEXT, (uint32_t)strlen(text), text};
	struct sc_op op = {.kind = SC_OP_DEVICE_LOST, .value = count};

	if (count)
		sc_put_op(&op, &part, 1);
}

void sc_times_count(struct sc_times *t)
{
	write_lost("CUPTI had no room for their times", atomic_exchange(&t->dropped, 0));
	write_lost("the call that they belong to was not seen", atomic_exchange(&t->unlinked, 0));
	write_lost("CUPTI did not answer in time", atomic_exchange(&t->is_stuck, false));
}
