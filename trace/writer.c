/* The trace writer: appends ops to a file mapping from inside the traced program. */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/assert.h"
#include "trace/reserve.h"
#include "trace/room.h"
#include "trace/slot.h"
#include "base/sys.h"

#define LEAST_BYTES ((uint64_t)1 << 20) /* a trace smaller than this is not worth opening */
#define ROOM_PART   8	/* of the address space that is limited, the rest is the program's */
#define HIGH_FD	    200 /* out of the way of programs that count on low numbers */

_Static_assert(offsetof(struct sc_op, result) % 4 == 0, "result is patched atomically");
_Static_assert(offsetof(struct sc_op, flags) % 4 == 0, "flags are patched atomically");

/* Opening. */

/* Never one of the standard streams: a program that began without them writes there. */
static int move_up(int fd)
{
	uint64_t limit = sc_room_limit(RLIMIT_NOFILE);
	int high = sc_sys_dup_from(fd, limit < 2 * HIGH_FD ? (int)(limit / 2) : HIGH_FD);
	int err = errno;

	if (high < 0 && fd > STDERR_FILENO)
		return fd;
	sc_sys_close(fd);
	errno = err;
	return high > STDERR_FILENO ? high : -1;
}

/* Remembers which file it is and where, in case the program closes our descriptor. */
static int identify(struct sc_writer *w, const char *path)
{
	struct stat st;

	if (sc_sys_fstat(w->fd, &st))
		return -errno;
	w->device = st.st_dev;
	w->inode = st.st_ino;
	if (path[0] != '/' && sc_sys_getcwd(w->path, sizeof(w->path) - 1) > 0 && w->path[0] == '/')
		strcat(w->path, "/");
	else
		w->path[0] = 0;
	if (strlen(w->path) + strlen(path) < sizeof(w->path))
		strcat(w->path, path);
	else
		w->path[0] = 0;
	return 0;
}

/* Maps as much of max_bytes as the address space gives. */
static int map_file(struct sc_writer *w, uint64_t max_bytes)
{
	for (; max_bytes >= LEAST_BYTES; max_bytes /= 2) {
		uint64_t bytes = max_bytes & ~UINT64_C(4095);
		void *map = bytes > SIZE_MAX ? MAP_FAILED
					     : sc_sys_mmap_file(bytes, PROT_READ | PROT_WRITE,
								MAP_SHARED | MAP_NORESERVE, w->fd);

		if (map == MAP_FAILED)
			continue;
		w->head = map;
		w->slots = (struct sc_slot *)((uint8_t *)map + SC_TRACE_HEADER);
		w->max_slots = (bytes - SC_TRACE_HEADER) / SC_SLOT_SIZE;
		return 0;
	}
	return -ENOMEM;
}

static uint64_t clock_value(clockid_t clock, uint64_t unit)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return unit == 1 ? (uint64_t)now.tv_sec
			 : (uint64_t)now.tv_sec * unit + (uint64_t)now.tv_nsec;
}

/* By pwrite first, because pwrite reports a disk that is already full. */
static int write_header(struct sc_writer *w)
{
	uint8_t page[SC_TRACE_HEADER] = {0};
	struct sc_trace_header head = {
		.magic = SC_TRACE_MAGIC,
		.version = SC_TRACE_VERSION,
		.op_bytes = sizeof(struct sc_op),
		.process = (uint32_t)getpid(),
		.parent = (uint32_t)getppid(),
		.start_ns = clock_value(CLOCK_MONOTONIC, UINT64_C(1000000000)),
		.start_unix_s = clock_value(CLOCK_REALTIME, 1),
	};

	memcpy(page, &head, sizeof(head));
	for (size_t at = 0; at < sizeof(page);) {
		ssize_t done = sc_sys_pwrite(w->fd, page + at, sizeof(page) - at, (off_t)at);

		if (done <= 0)
			return done ? -errno : -ENOSPC;
		at += (size_t)done;
	}
	return 0;
}

int sc_writer_open(struct sc_writer *w, const char *path, uint64_t max_bytes)
{
	uint64_t limit = sc_room_limit(RLIMIT_FSIZE), room = sc_room_limit(RLIMIT_AS) / ROOM_PART;
	int err;

	*w = (struct sc_writer){.fd = -1};
	if (max_bytes > SC_TRACE_HEADER + SC_TRACE_SLOTS_MAX * SC_SLOT_SIZE)
		max_bytes = SC_TRACE_HEADER + SC_TRACE_SLOTS_MAX * SC_SLOT_SIZE;
	if (max_bytes > limit)
		max_bytes = limit;
	if (max_bytes > room)
		max_bytes = room;
	if (max_bytes < LEAST_BYTES)
		return -EFBIG;
	w->fd = sc_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->fd < 0)
		return -errno;
	w->fd = move_up(w->fd);
	err = w->fd < 0 ? -errno : identify(w, path);
	if (!err)
		err = write_header(w);
	if (!err)
		err = map_file(w, max_bytes);
	if (err) {
		if (w->fd >= 0)
			sc_sys_close(w->fd);
		sc_sys_unlink(path);
		w->fd = -1;
	}
	return err;
}

/* Writing. */

static uint64_t drop(struct sc_writer *w, uint32_t records)
{
	__atomic_fetch_add(&w->head->lost, records, __ATOMIC_RELAXED);
	return SC_NOT_WRITTEN;
}

/* Slots that no room is made for would hold up the reader that gives room back. */
static bool is_refused(const struct sc_writer *w, uint32_t n)
{
	uint64_t end = __atomic_load_n(&w->head->slots, __ATOMIC_RELAXED) + n;

	return end > __atomic_load_n(&w->ready_slots, __ATOMIC_RELAXED) &&
	       sc_room_is_too_much(w, end) && !sc_room_is_closed(w);
}

uint64_t sc_writer_settle(struct sc_writer *w, uint64_t first, uint32_t n, uint32_t records)
{
	uint64_t ready;

	/* Seq_cst, paired with sc_writer_close: a thread that still sees an open trace here
	 * reserved before the close reads the cursor, so the close keeps these slots. */
	if (sc_room_is_closed(w)) {
		__atomic_fetch_sub(&w->head->slots, n, __ATOMIC_SEQ_CST);
		return SC_NOT_WRITTEN;
	}
	if (first + n > w->max_slots)
		return drop(w, records);
	ready = __atomic_load_n(&w->ready_slots, __ATOMIC_ACQUIRE); /* paired with publish_ready */
	if (first + n > ready) {
		if (!sc_room_make(w, first, n))
			return first;
		return sc_room_is_closed(w) ? SC_NOT_WRITTEN : drop(w, records);
	}
	if (first + SC_ROOM_NEAR > ready && ready < w->max_slots &&
	    !__atomic_load_n(&w->no_allocate, __ATOMIC_RELAXED))
		sc_room_ask(w);
	sc_reserve_fetch(w->slots + first + n);
	return first;
}

static uint64_t reserve(struct sc_writer *w, uint32_t n, uint32_t records)
{
	uint64_t first = __atomic_fetch_add(&w->head->slots, n, __ATOMIC_SEQ_CST);

	return sc_writer_settle(w, first, n, records);
}

/* Where records were dropped, and later ones are not, an op says so before these. False if that is
 * not possible now: then the next record is dropped, too. */
static bool mark_gap(struct sc_writer *w)
{
	const struct sc_op op = {.kind = SC_OP_LOST, .object = 1};
	uint64_t lost = __atomic_load_n(&w->head->lost, __ATOMIC_RELAXED), first;

	if (lost == __atomic_load_n(&w->marked, __ATOMIC_ACQUIRE))
		return true;
	if (__atomic_exchange_n(&w->is_marking, 1, __ATOMIC_ACQUIRE))
		return false;
	lost = __atomic_load_n(&w->head->lost, __ATOMIC_RELAXED);
	first = reserve(w, 2, 0);
	if (first != SC_NOT_WRITTEN) {
		sc_slot_fill(w->slots + first, 2, &op, NULL, 0);
		__atomic_store_n(&w->marked, lost, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&w->is_marking, 0, __ATOMIC_RELEASE);
	return first != SC_NOT_WRITTEN;
}

uint64_t sc_writer_reserve(struct sc_writer *w, uint32_t n, uint32_t records)
{
	if (w->bound && !sc_room_is_closed(w) && (is_refused(w, n + 2) || !mark_gap(w)))
		return drop(w, records);
	return reserve(w, n, records);
}

uint64_t sc_writer_put(struct sc_writer *w, const struct sc_op *op,
		       const struct sc_attachment *attachments, unsigned count)
{
	uint32_t n = sc_slot_count(attachments, count);
	uint64_t first;

	if (!w->head || sc_room_is_closed(w))
		return SC_NOT_WRITTEN;
	if (!n)
		return drop(w, 1);
	first = sc_writer_reserve(w, n, 1);
	if (first != SC_NOT_WRITTEN)
		sc_slot_fill(w->slots + first, n, op, attachments, count);
	return first;
}

void sc_writer_put_all(struct sc_writer *w, const struct sc_op *ops, uint32_t count)
{
	const struct sc_attachment none = {0};
	uint32_t each = sc_slot_count(&none, 0);
	uint64_t first;

	if (!w->head || sc_room_is_closed(w) || !count)
		return;
	first = sc_writer_reserve(w, count * each, count);
	for (uint32_t i = 0; first != SC_NOT_WRITTEN && i < count; i++)
		sc_slot_fill(w->slots + first + (uint64_t)i * each, each, &ops[i], &none, 0);
}

void sc_writer_count(struct sc_writer *w, enum sc_gap gap, uint64_t count)
{
	sc_assert(gap < SC_GAPS);
	if (w->head && !sc_room_is_closed(w))
		__atomic_fetch_add(&w->head->gaps[gap], count, __ATOMIC_RELAXED);
}

void sc_writer_mark(struct sc_writer *w, uint32_t marks)
{
	if (w->head && !sc_room_is_closed(w))
		__atomic_fetch_or(&w->head->marks, marks, __ATOMIC_RELAXED);
}

void sc_writer_set_polled(struct sc_writer *w, uint64_t sequence)
{
	uint8_t *slot;

	if (!w->head || sequence >= w->max_slots || sc_writer_is_given(w, sequence))
		return;
	slot = (uint8_t *)(w->slots + sequence);
	__atomic_store_n((uint64_t *)(slot + SC_SLOT_PATCH_CHECK),
			 sc_slot_patch_check(0, SC_FLAG_POLLED), __ATOMIC_RELAXED);
	__atomic_fetch_or((uint32_t *)(slot + SC_SLOT_FLAGS), SC_FLAG_POLLED, __ATOMIC_RELAXED);
	/* last: a reader that follows the trace waits for it */
	__atomic_store_n((int32_t *)(slot + SC_SLOT_RESULT), 0, __ATOMIC_RELEASE);
}

void sc_writer_flush(struct sc_writer *w)
{
	int saved = errno;

	if (w->head)
		sc_sys_msync(w->head,
			     sc_room_offset(__atomic_load_n(&w->ready_slots, __ATOMIC_ACQUIRE)),
			     MS_ASYNC);
	errno = saved;
}

/* Cuts the file after its last reserved slot. Where the disk was full the file may be shorter; the
 * file becomes longer only where that raises no signal. */
static void cut_file(int fd, uint64_t used)
{
	uint64_t end = sc_room_offset(used);
	struct stat st;
	int err = sc_sys_fstat(fd, &st);

	if (!err && ((uint64_t)st.st_size > end || end <= sc_room_limit(RLIMIT_FSIZE)))
		err = sc_sys_ftruncate(fd, (off_t)end);
	(void)err; /* a longer file is as good: the header says where it ends */
}

/* A copy of the header as it is at the end: other threads may still count for a moment. */
static void seal(struct sc_writer *w, uint64_t used)
{
	struct sc_trace_header *end = (void *)((uint8_t *)w->head + SC_TRACE_SEAL);
	const uint64_t *from = (const uint64_t *)w->head;

	_Static_assert(sizeof(*end) % sizeof(*from) == 0, "copied by words");
	for (size_t i = 0; i < sizeof(*end) / sizeof(*from); i++)
		((uint64_t *)end)[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	sc_assert(used <= w->max_slots);
	end->slots = used;
	end->closed = 1;
	end->check = sc_slot_check_header(end);
	__atomic_store_n(&w->head->closed, 1, __ATOMIC_SEQ_CST);
}

void sc_writer_close(struct sc_writer *w)
{
	int saved = errno, fd;
	uint64_t used;
	bool temporary;

	if (!w->head || sc_room_is_closed(w))
		return;
	__atomic_store_n(&w->head->closed, 2, __ATOMIC_SEQ_CST); /* 1 once the seal is there */
	used = __atomic_load_n(&w->head->slots, __ATOMIC_SEQ_CST);
	if (used > w->max_slots)
		used = w->max_slots;
	seal(w, used);
	fd = sc_room_descriptor(w, &temporary);
	if (fd >= 0) {
		cut_file(fd, used);
		/* A thread that is growing the file still uses the number. */
		if (temporary || !__atomic_load_n(&w->growers, __ATOMIC_SEQ_CST))
			sc_sys_close(fd);
	}
	__atomic_store_n(&w->fd, -1, __ATOMIC_RELAXED);
	__atomic_store_n(&w->asked, 0, __ATOMIC_RELAXED);
	sc_room_ask(w); /* who serves it ends */
	errno = saved;
}

void sc_writer_abandon(struct sc_writer *w)
{
	int saved = errno;

	if (!w->head)
		return;
	if (w->fd >= 0 && sc_room_is_ours(w, w->fd))
		sc_sys_close(w->fd);
	sc_sys_munmap(w->head, sc_room_offset(w->max_slots));
	*w = (struct sc_writer){.fd = -1};
	errno = saved;
}
