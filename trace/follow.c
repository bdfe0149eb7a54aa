/* Follow: heads and results of records, looked at until one is not there yet. */
#include "trace/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/heap.h"
#include "trace/agent.h"
#include "trace/message.h"
#include "trace/op_class.h"
#include "trace/window.h"

#define LOOKED 1024 /* slots at a time, and the second one of the last record */

int sc_follow_open(struct sc_follow *f, const char *path)
{
	struct sc_trace_header header;
	int err = 0;

	*f = (struct sc_follow){.fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (f->fd < 0)
		return -errno;
	if (sc_window_read(f->fd, &header, sizeof(header), 0) != sizeof(header) || !header.version)
		err = -EAGAIN;
	else if (memcmp(header.magic, SC_TRACE_MAGIC, sizeof(header.magic)) != 0 ||
		 header.version != SC_TRACE_VERSION)
		err = -EINVAL;
	if (err) {
		close(f->fd);
		f->fd = -1;
		return err;
	}
	f->patience_ns = SC_FOLLOW_PATIENCE_NS;
	f->buffer = sc_heap_xcalloc(LOOKED + 1, sizeof(*f->buffer));
	return 0;
}

void sc_follow_close(struct sc_follow *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->buffer);
	*f = (struct sc_follow){.fd = -1};
}

/* Slots that were reserved by now; a writer in the middle may not have written all of them. */
static uint64_t reserved(struct sc_follow *f)
{
	struct sc_trace_header header;

	f->has_failed = sc_window_read(f->fd, &header, sizeof(header), 0) != sizeof(header);
	if (f->has_failed)
		return f->settled;
	f->is_closed = header.closed == 1;
	return header.slots < SC_TRACE_SLOTS_MAX ? header.slots : SC_TRACE_SLOTS_MAX;
}

static size_t look_at(struct sc_follow *f, uint64_t at, uint64_t end)
{
	uint64_t want = end - at < LOOKED + 1 ? end - at : LOOKED + 1;
	size_t got;

	errno = 0; /* that the file ends earlier is no error */
	got = sc_window_read(f->fd, f->buffer, want * SC_SLOT_SIZE,
			     SC_TRACE_HEADER + at * SC_SLOT_SIZE);
	f->has_failed |= got < want * SC_SLOT_SIZE && errno;
	return got / SC_SLOT_SIZE;
}

static bool is_pending(const struct sc_slot *slot)
{
	int32_t result;

	if (SC_SLOT_TYPE(slot->head) != SC_SLOT_FIRST)
		return false;
	memcpy(&result, (const uint8_t *)slot + SC_SLOT_RESULT, sizeof(result));
	return result == SC_RESULT_PENDING;
}

/* An op that is there, whose second slot is the next one. */
static struct sc_op op_at(const struct sc_slot *slot)
{
	struct sc_op op;

	memcpy(&op, slot[0].data, SC_SLOT_DATA);
	memcpy((char *)&op + SC_SLOT_DATA, slot[1].data, SC_SLOT_DATA);
	return op;
}

/* An operation that is a message as well, and whose call may wait forever. */
static bool is_blocking_message(const struct sc_op *op)
{
	struct sc_op message = sc_agent_message(op, NULL, 0);

	return message.kind == SC_OP_MESSAGE && message.value & SC_MESSAGE_BLOCKS;
}

/* What a wait's beginning says does not depend on its result, and of a message it matters that it
 * has none yet. An operation that is a message, too, began nothing if it failed: who looks again
 * later reads it later. */
static bool may_stay_pending(const struct sc_follow *f, const struct sc_slot *slot)
{
	struct sc_op op = op_at(slot);

	return op.kind == SC_OP_MESSAGE || (f->passes_messages && is_blocking_message(&op)) ||
	       (op.kind == SC_OP_HOST_READ && !f->waits_for_reads) ||
	       (op.phase == SC_PHASE_BEGIN && sc_op_kind_class(op.kind) == SC_CLASS_WAIT);
}

/* Whether the record that begins here must be waited for. Anything that is no record is the
 * reader's to judge, once it cannot become one. */
static bool is_held(struct sc_follow *f, const struct sc_slot *slot, uint64_t sequence,
		    uint64_t now_ns)
{
	bool is_there = SC_SLOT_TYPE(slot->head) != 0;

	if (f->is_closed || f->is_over ||
	    (is_there && (!is_pending(slot) || may_stay_pending(f, slot))))
		return false;
	if (!f->held_ns || sequence >= f->held_end) {
		f->held_ns = now_ns;
		f->held_end = f->written;
	}
	return (!is_there && !f->passes_holes) || now_ns - f->held_ns < f->patience_ns;
}

static uint32_t length(uint32_t head)
{
	return SC_SLOT_TYPE(head) ? SC_SLOT_LEFT(head) + 1 : 1;
}

bool sc_follow_look(struct sc_follow *f, uint64_t now_ns)
{
	uint64_t before = f->settled, end = reserved(f);

	sc_assert(f->fd >= 0 && f->held_ns <= now_ns);
	f->written = end;
	while (f->settled < end && (!f->most || f->settled - before < f->most)) {
		size_t count = look_at(f, f->settled, end), at = 0;

		count = count < LOOKED ? count : LOOKED;
		while (at < count && !is_held(f, &f->buffer[at], f->settled + at, now_ns)) {
			if (f->see && SC_SLOT_TYPE(f->buffer[at].head) == SC_SLOT_FIRST)
				f->see(f->data, &f->buffer[at], f->settled + at);
			at += length(f->buffer[at].head);
		}
		if (!at || !count)
			break;
		f->settled += at;
		if (at < count)
			break;
	}
	if (f->settled > end)
		f->settled = end; /* a head that promised more than was reserved */
	return f->settled > before;
}
