/* Remains: appended, found by number, read one at a time. */
#include "trace/remains.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/heap.h"
#include "base/search.h"
#include "trace/slot_read.h"
#include "trace/window.h"

struct head {
	uint64_t sequence;
	uint64_t slots;
};

static bool name(char path[PATH_MAX], const char *trace)
{
	return snprintf(path, PATH_MAX, "%s" SC_REMAINS_ENDING, trace) < PATH_MAX;
}

static bool read_all(int fd, void *out, size_t bytes, uint64_t offset)
{
	return sc_window_read(fd, out, bytes, offset) == bytes;
}

static int write_all(int fd, const void *data, size_t bytes, uint64_t offset)
{
	const uint8_t *from = data;

	while (bytes) {
		ssize_t part = pwrite(fd, from, bytes, (off_t)offset);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return part ? -errno : -ENOSPC;
		from += part;
		bytes -= (size_t)part;
		offset += (uint64_t)part;
	}
	return 0;
}

int sc_remains_create(struct sc_remains *r, const char *trace)
{
	char path[PATH_MAX];

	*r = (struct sc_remains){.fd = -1};
	if (!name(path, trace))
		return -ENAMETOOLONG;
	r->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return r->fd < 0 ? -errno : 0;
}

/* Takes up the next entry; false at the end, or at what makes no sense. */
static bool take_entry(struct sc_remains *r, uint64_t size)
{
	uint64_t last = r->entries.count ? r->entries.items[r->entries.count - 1].sequence : 0;
	struct head head;

	if (size - r->bytes < sizeof(head) || !read_all(r->fd, &head, sizeof(head), r->bytes))
		return false;
	if (head.slots < 2 || head.slots > SC_RECORD_MOST || head.sequence > SC_TRACE_SLOTS_MAX ||
	    (r->entries.count && head.sequence <= last) ||
	    (size - r->bytes - sizeof(head)) / SC_SLOT_SIZE < head.slots)
		return false;
	sc_vector_push(&r->entries, ((struct sc_remains_entry){
					    head.sequence, r->bytes + sizeof(head), head.slots}));
	r->bytes += sizeof(head) + head.slots * SC_SLOT_SIZE;
	return true;
}

void sc_remains_open(struct sc_remains *r, const char *trace)
{
	char path[PATH_MAX];
	struct stat st;

	*r = (struct sc_remains){.fd = -1};
	if (!name(path, trace))
		return;
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a FIFO */
	if (r->fd < 0 || fstat(r->fd, &st) || !S_ISREG(st.st_mode))
		return;
	while (take_entry(r, (uint64_t)st.st_size))
		;
}

void sc_remains_fini(struct sc_remains *r)
{
	if (r->fd >= 0)
		close(r->fd);
	sc_vector_fini(&r->entries);
	free(r->loaded);
	*r = (struct sc_remains){.fd = -1};
}

int sc_remains_put(struct sc_remains *r, uint64_t sequence, const void *slots, uint64_t count)
{
	struct head head = {sequence, count};
	struct sc_remains_entry entry = {sequence, r->bytes + sizeof(head), count};
	int err;

	sc_assert(!r->entries.count || sc_vector_last(&r->entries)->sequence < sequence);
	sc_assert(count >= 2 && count <= SC_RECORD_MOST);
	if (r->fd < 0)
		return -EBADF;
	err = write_all(r->fd, &head, sizeof(head), r->bytes);
	if (!err)
		err = write_all(r->fd, slots, count * SC_SLOT_SIZE, entry.offset);
	if (err)
		return err;
	sc_vector_push(&r->entries, entry);
	r->bytes = entry.offset + count * SC_SLOT_SIZE;
	return 0;
}

size_t sc_remains_find(const struct sc_remains *r, uint64_t sequence)
{
	size_t at;

	SC_SEARCH(at, r->entries.count, r->entries.items[at].sequence < sequence);
	return at;
}

const uint8_t *sc_remains_load(struct sc_remains *r, size_t entry)
{
	const struct sc_remains_entry *e = &r->entries.items[entry];
	size_t bytes = (size_t)e->slots * SC_SLOT_SIZE;

	sc_assert(r->fd >= 0 && entry < r->entries.count);
	if (r->at == entry + 1)
		return r->loaded;
	r->at = 0;
	if (r->room < bytes) {
		r->loaded = sc_heap_xrealloc(r->loaded, bytes, 1);
		r->room = bytes;
	}
	if (!read_all(r->fd, r->loaded, bytes, e->offset))
		return NULL;
	r->at = entry + 1;
	return r->loaded;
}

const uint8_t *sc_remains_next(struct sc_remains *r, uint64_t *at, uint64_t end)
{
	sc_assert(*at <= end);
	for (size_t i = sc_remains_find(r, *at); i < r->entries.count; i++) {
		const uint8_t *slots;

		if (r->entries.items[i].sequence >= end)
			return NULL;
		slots = sc_remains_load(r, i);
		if (!slots)
			continue;
		*at = r->entries.items[i].sequence;
		return slots;
	}
	return NULL;
}

const uint8_t *sc_remains_look(const struct sc_remains *r, uint32_t passed, uint32_t n)
{
	uint64_t slots = r->at ? r->entries.items[r->at - 1].slots : 0;

	if (passed > slots || n > slots - passed)
		return NULL;
	return r->loaded + (size_t)passed * SC_SLOT_SIZE;
}

const uint8_t *sc_remains_next_record(struct sc_remains *r, uint64_t *at, uint64_t end,
				      uint32_t *count)
{
	const uint8_t *slot;

	sc_assert(*at <= end);
	while ((slot = sc_remains_next(r, at, end))) {
		uint32_t head = sc_slot_load_head(slot);

		*count = sc_slot_promised(head, SC_SLOT_FIRST);
		if (*count >= 2 && sc_remains_look(r, 0, *count) &&
		    sc_slot_is_whole(slot, head, *count))
			return slot;
		++*at;
	}
	*at = end;
	return NULL;
}
