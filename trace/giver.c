/* Giver: the rest is written first, then the loss is published, then the hole is made. */
#include "trace/giver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/heap.h"
#include "trace/op_class.h"
#include "trace/slot_read.h"

#define PAGE	    UINT64_C(4096)
#define BLOCK_BYTES 512 /* of st_blocks */

int sc_giver_open(struct sc_giver *g, const char *path, uint64_t most)
{
	void *head = MAP_FAILED;
	int err, fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	*g = (struct sc_giver){.window.fd = -1, .rest.fd = -1, .most = most};
	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		head = mmap(NULL, SC_TRACE_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	err = head == MAP_FAILED ? -errno : sc_remains_create(&g->rest, path);
	if (err) {
		if (head != MAP_FAILED)
			munmap(head, SC_TRACE_HEADER);
		close(fd);
		return err;
	}
	g->head = head;
	__atomic_store_n(&sc_trace_given(head)->was_followed, 1, __ATOMIC_RELEASE);
	g->punched = SC_TRACE_HEADER;
	sc_window_init_file(&g->window, fd, 0);
	return 0;
}

void sc_giver_share(struct sc_giver *g, uint64_t bytes, uint64_t most)
{
	sc_assert(most <= bytes);
	g->most = most;
	__atomic_store_n(&sc_trace_given(g->head)->share, bytes, __ATOMIC_RELAXED);
}

void sc_giver_close(struct sc_giver *g)
{
	if (g->window.fd < 0)
		return;
	munmap(g->head, SC_TRACE_HEADER);
	sc_remains_fini(&g->rest);
	sc_window_fini(&g->window);
}

uint64_t sc_giver_used(const struct sc_giver *g)
{
	struct stat st;

	if (fstat(g->window.fd, &st))
		return 0;
	return (uint64_t)st.st_blocks * BLOCK_BYTES + g->rest.bytes;
}

void sc_giver_stop(struct sc_giver *g)
{
	flock(g->window.fd, LOCK_UN);
}

bool sc_giver_is_awaited(const struct sc_giver *g)
{
	return __atomic_load_n(&sc_trace_given(g->head)->waiting, __ATOMIC_RELAXED);
}

/* ---- what is kept ---- */

enum need { GONE, IF_ROOM, ALWAYS };

static enum need need_of(uint16_t kind)
{
	switch (kind) {
	case SC_OP_DEVICE_TIME:
	case SC_OP_DEVICE_CLOCK:
	case SC_OP_LAUNCH_BYTES:
	case SC_OP_RANGE_PUSH:
	case SC_OP_RANGE_POP:
	case SC_OP_RANGE_START:
	case SC_OP_RANGE_END:
	case SC_OP_MARK:
	case SC_OP_EVENT_CREATE:
	case SC_OP_CALL:
	case SC_OP_HOST_READ:
	case SC_OP_HOST_WRITE:
	case SC_OP_HOST_FREE:
	case SC_OP_CALLBACK_BEGIN:
	case SC_OP_CALLBACK_END:
	case SC_OP_SYNC_RELEASE:
	case SC_OP_SYNC_ACQUIRE:
	case SC_OP_SYNC_HOLD: return GONE;
	case SC_OP_STREAM_CREATE:
	case SC_OP_ALLOC_ASYNC:
	case SC_OP_FREE_ASYNC:
	case SC_OP_LABEL:
	case SC_OP_NAME:
	case SC_OP_NODE_NAME:
	case SC_OP_TEXTURE:
	case SC_OP_MESSAGE:
	case SC_OP_MESSAGE_END:
	case SC_OP_DECLARE: return IF_ROOM;
	default: break;
	}
	switch (sc_op_kind_class(kind)) {
	case SC_CLASS_DEFINE: return ALWAYS;
	case SC_CLASS_HOST: return IF_ROOM; /* allocations, and ends of things */
	case SC_CLASS_ENQUEUE:
	case SC_CLASS_WAIT: break;
	}
	return GONE;
}

static bool is_kept(const struct sc_giver *g, const uint8_t *slot)
{
	uint16_t kind;
	enum need need;

	memcpy(&kind, slot + sizeof(uint32_t) + offsetof(struct sc_op, kind), sizeof(kind));
	need = need_of(kind);
	return need == ALWAYS || (need == IF_ROOM && g->rest.bytes < g->most);
}

/* `n` slots from `at` on, or NULL. */
static const uint8_t *look(struct sc_giver *g, uint64_t at, uint64_t n)
{
	if (sc_window_must_move(&g->window, at, n))
		sc_window_move(&g->window, at, n);
	return sc_window_look(&g->window, at, n);
}

/* A record that goes on in parts, each right after the one before. */
static int keep_parts(struct sc_giver *g, uint64_t at)
{
	uint8_t *all = NULL;
	uint64_t count = 0;
	uint32_t n = SC_RECORD_SLOTS;
	const uint8_t *slot;
	int err;

	for (; (slot = look(g, at + count, n)) && count + n <= SC_RECORD_MOST;
	     n = sc_slot_promised(sc_slot_load_head(slot), SC_SLOT_MORE)) {
		all = sc_heap_xrealloc(all, count + n, SC_SLOT_SIZE);
		memcpy(all + count * SC_SLOT_SIZE, slot, (size_t)n * SC_SLOT_SIZE);
		count += n;
		slot = look(g, at + count, 1);
		if (!slot || SC_SLOT_TYPE(sc_slot_load_head(slot)) != SC_SLOT_MORE)
			break;
	}
	err = count < 2 ? 0 : sc_remains_put(&g->rest, at, all, count);
	free(all);
	return err;
}

/* Takes the record that begins at `*at`, or steps over a slot that begins none. */
static int take_record(struct sc_giver *g, uint64_t *at)
{
	const uint8_t *slot = look(g, *at, 1);
	uint64_t first = *at;
	uint32_t n;

	if (!slot)
		return -EIO;
	n = sc_slot_promised(sc_slot_load_head(slot), SC_SLOT_FIRST);
	*at += n;
	if (n < 2)
		return 0;
	g->records++;
	if (!is_kept(g, slot))
		return 0;
	if (n == SC_RECORD_SLOTS)
		return keep_parts(g, first);
	slot = look(g, first, n);
	return slot ? sc_remains_put(&g->rest, first, slot, n) : -EIO;
}

int sc_giver_take(struct sc_giver *g, uint64_t slots)
{
	struct sc_trace_given *given = sc_trace_given(g->head);
	int err = 0;

	sc_assert(slots >= g->taken);
	g->window.count = 0; /* what it has may have been patched since */
	g->window.total = slots;
	while (!err && g->taken < slots)
		err = take_record(g, &g->taken);
	if (err)
		return err;
	__atomic_store_n(&given->records, g->records, __ATOMIC_RELAXED);
	/* release: pairs with the acquire in sc_writer_is_given */
	__atomic_store_n(&given->slots, g->taken, __ATOMIC_RELEASE);
	return 0;
}

/* ---- holes ---- */

int sc_giver_punch(struct sc_giver *g)
{
	struct sc_trace_given *given = sc_trace_given(g->head);
	uint64_t end = (SC_TRACE_HEADER + g->taken * SC_SLOT_SIZE) & ~(PAGE - 1);
	int err;

	if (end <= g->punched)
		return 0;
	do
		err = fallocate(g->window.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)g->punched, (off_t)(end - g->punched));
	while (err && errno == EINTR);
	if (err)
		return -errno;
	g->freed += end - g->punched;
	g->punched = end;
	__atomic_store_n(&given->bytes, g->freed > g->rest.bytes ? g->freed - g->rest.bytes : 0,
			 __ATOMIC_RELEASE);
	__atomic_fetch_add(&given->turn, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &given->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	return 0;
}
