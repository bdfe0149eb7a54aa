/* Window: the slots of a trace, a stretch at a time, from a file or from memory. */
#include "trace/window.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/heap.h"

#define WINDOW_SLOTS ((uint64_t)1024) /* 64 KiB: leaves the cache to others */

void sc_window_init_file(struct sc_window *w, int fd, uint64_t total)
{
	sc_assert(fd >= 0 && total <= SC_TRACE_SLOTS_MAX);
	*w = (struct sc_window){.fd = fd, .total = total};
	w->buffer = sc_heap_xcalloc(SC_RECORD_SLOTS, SC_SLOT_SIZE);
	w->data = w->buffer;
}

void sc_window_init_memory(struct sc_window *w, const uint8_t *slots, uint64_t total)
{
	sc_assert(total <= SC_TRACE_SLOTS_MAX);
	*w = (struct sc_window){.fd = -1, .data = slots, .count = total, .total = total};
}

void sc_window_fini(struct sc_window *w)
{
	if (w->fd >= 0)
		close(w->fd);
	free(w->buffer);
	*w = (struct sc_window){.fd = -1};
}

bool sc_window_set_total(struct sc_window *w, uint64_t total)
{
	bool is_file = w->fd >= 0, is_there = is_file || total <= w->count;

	sc_assert(total <= SC_TRACE_SLOTS_MAX);
	w->total = is_there ? total : w->count;
	if (is_file)
		w->count = 0; /* what it has of the end may have been written since */
	return is_there;
}

size_t sc_window_read(int fd, void *out, size_t bytes, uint64_t offset)
{
	uint8_t *to = out;
	size_t got = 0;

	while (got < bytes) {
		ssize_t part = pread(fd, to + got, bytes - got, (off_t)(offset + got));

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			break;
		got += (size_t)part;
	}
	return got;
}

void sc_window_move(struct sc_window *w, uint64_t at, uint64_t n)
{
	uint64_t want = w->total > at ? w->total - at : 0;

	sc_assert(n <= SC_RECORD_SLOTS);
	if (w->fd < 0)
		return;
	if (n < WINDOW_SLOTS)
		n = WINDOW_SLOTS;
	if (want > n)
		want = n;
	sc_assert(want <= SC_RECORD_SLOTS); /* the buffer */
	w->start = at;
	w->count = sc_window_read(w->fd, w->buffer, want * SC_SLOT_SIZE,
				  SC_TRACE_HEADER + at * SC_SLOT_SIZE) /
		   SC_SLOT_SIZE;
	if (w->count < want)
		w->total = at + w->count;
}

bool sc_window_copy(const struct sc_window *w, uint64_t at, uint64_t n, uint8_t *out)
{
	if (at > w->total || n > w->total - at)
		return 0;
	if (at >= w->start && at + n <= w->start + w->count) {
		memcpy(out, w->data + (at - w->start) * SC_SLOT_SIZE, n * SC_SLOT_SIZE);
		return 1;
	}
	return w->fd >= 0 &&
	       sc_window_read(w->fd, out, n * SC_SLOT_SIZE, SC_TRACE_HEADER + at * SC_SLOT_SIZE) ==
		       n * SC_SLOT_SIZE;
}
