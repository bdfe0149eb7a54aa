/* Mapping and unmapping the bytes of allocations. */
#include "simulator/driver/memory/backing.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "simulator/driver/memory/range.h"
#include "simulator/driver/memory/registered.h"
#include "simulator/driver/ipc/share.h"

static size_t round_to_pages(size_t size_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size_bytes + page - 1) / page * page;
}

static struct sim_backing *new_backing(void *bytes, size_t size_bytes, void *host)
{
	struct sim_backing *backing = malloc(sizeof(*backing));

	if (backing)
		*backing = (struct sim_backing){.refs = 1,
						.bytes = bytes,
						.size_bytes = size_bytes,
						.host = host,
						.file = -1};
	return backing;
}

static struct sim_backing *new_anonymous(size_t size_bytes, int protection)
{
	size_t size = round_to_pages(size_bytes);
	struct sim_backing *backing;
	void *bytes =
		mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED) {
		sim_range_say_limit(size);
		return NULL;
	}
	backing = new_backing(bytes, size, NULL);
	if (!backing)
		munmap(bytes, size);
	return backing;
}

struct sim_backing *sim_backing_new_device(size_t size_bytes, uintptr_t base)
{
	char *bytes = base ? sim_range_engines(base) : NULL;
	struct sim_backing *backing;

	if (!bytes)
		return new_anonymous(size_bytes, PROT_READ | PROT_WRITE);
	backing = new_backing(bytes, round_to_pages(size_bytes), NULL);
	if (!backing)
		return NULL;
	backing->is_of_range = true;
	backing->base = base;
	return backing;
}

struct sim_backing *sim_backing_new_empty(size_t size_bytes)
{
	return new_anonymous(size_bytes, PROT_NONE);
}

struct sim_backing *sim_backing_new_device_again(size_t size_bytes, uintptr_t base)
{
	struct sim_backing *backing = sim_backing_new_device(size_bytes, base);

	if (backing)
		backing->is_lent = true;
	return backing;
}

static void *map_file(int fd, size_t size, void *at)
{
	int flags = MAP_SHARED | (at ? MAP_FIXED_NOREPLACE : 0);
	void *view = mmap(at, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (view == MAP_FAILED) {
		if (errno == ENOMEM)
			sim_range_say_limit(size);
		return NULL;
	}
	if (at && view != at) {
		munmap(view, size);
		return NULL;
	}
	return view;
}

/* The engines' view of a file and the host's. */
static struct sim_backing *new_seen(int fd, size_t size, void *at)
{
	void *bytes = map_file(fd, size, NULL), *host = map_file(fd, size, at);
	struct sim_backing *backing = bytes && host ? new_backing(bytes, size, host) : NULL;

	if (!backing && bytes)
		munmap(bytes, size);
	if (!backing && host)
		munmap(host, size);
	return backing;
}

struct sim_backing *sim_backing_new_shared(size_t size_bytes, void *at)
{
	size_t size = round_to_pages(size_bytes);
	struct sim_backing *backing = NULL;
	int fd = memfd_create("cuda-host", MFD_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (ftruncate(fd, (off_t)size) == 0)
		backing = new_seen(fd, size, at);
	close(fd);
	return backing;
}

struct sim_backing *sim_backing_new_exported(size_t size_bytes)
{
	int fd = sim_share_new(SIM_SHARE_MEMORY, 0, size_bytes);
	struct sim_backing *backing =
		fd < 0 ? NULL : new_seen(fd, round_to_pages(size_bytes), NULL);

	if (backing)
		backing->file = fd;
	else if (fd >= 0)
		close(fd);
	return backing;
}

static struct sim_backing *new_mapped(int fd, size_t size_bytes)
{
	size_t size = round_to_pages(size_bytes);
	void *bytes = map_file(fd, size, NULL);
	struct sim_backing *backing = bytes ? new_backing(bytes, size, NULL) : NULL;

	if (bytes && !backing)
		munmap(bytes, size);
	return backing;
}

struct sim_backing *sim_backing_new_file(int fd, size_t size_bytes)
{
	struct sim_backing *backing = new_mapped(fd, size_bytes);

	if (backing)
		backing->file = fd;
	else
		close(fd);
	return backing;
}

struct sim_backing *sim_backing_new_imported(int fd, size_t size_bytes)
{
	struct sim_backing *backing = new_mapped(fd, size_bytes);

	close(fd);
	return backing;
}

struct sim_backing *sim_backing_new_imported_shared(int fd, size_t size_bytes)
{
	struct sim_backing *backing = new_seen(fd, round_to_pages(size_bytes), NULL);

	close(fd);
	return backing;
}

/* Pages of zeros stay holes: most of a large allocation may never have been touched. */
static bool write_pages(int fd, const char *bytes, size_t size)
{
	static const char zeros[4096];
	size_t at;

	for (at = 0; at < size; at += sizeof(zeros))
		if (memcmp(bytes + at, zeros, sizeof(zeros)) != 0 &&
		    pwrite(fd, bytes + at, sizeof(zeros), (off_t)at) != (ssize_t)sizeof(zeros))
			return false;
	return true;
}

bool sim_backing_share(struct sim_backing *backing)
{
	size_t size = backing->size_bytes;
	int fd;

	if (backing->file >= 0)
		return true;
	fd = sim_share_new(SIM_SHARE_MEMORY, 0, size);
	if (fd < 0)
		return false;
	if (!write_pages(fd, backing->bytes, size) ||
	    mmap(backing->bytes, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED) {
		close(fd);
		return false;
	}
	backing->file = fd;
	return !backing->is_of_range || sim_range_show(backing->base, size, backing->bytes);
}

/* True when one shared mapping of this process holds the whole range. */
static bool is_one_shared_mapping(uintptr_t from, uintptr_t to)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin, end;
	char line[512], mode[8];
	bool found = false;

	if (!maps)
		return false;
	while (!found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) == 3)
			found = begin <= from && to <= end && mode[3] == 's';
	fclose(maps);
	return found;
}

/*
 * mremap() with old size 0 duplicates a shared mapping; the duplicate keeps its own protection.
 * Private memory has no duplicate: it is reached through /proc/self/mem, which ignores protection.
 */
struct sim_backing *sim_backing_new_registered(void *host, size_t size_bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)host / page * page;
	size_t lead = (uintptr_t)host - from, size = round_to_pages(size_bytes + lead);
	struct sim_backing *backing;
	void *bytes = MAP_FAILED;

	if (is_one_shared_mapping(from, from + size))
		bytes = mremap((void *)from, 0, size, MREMAP_MAYMOVE);
	if (bytes == MAP_FAILED) {
		sim_registered_mark((uintptr_t)host, size_bytes);
		return new_backing(NULL, 0, NULL);
	}
	backing = new_backing((char *)bytes + lead, size, NULL);
	if (!backing)
		munmap(bytes, size);
	return backing;
}

void sim_backing_get(struct sim_backing *backing)
{
	backing->refs++;
}

void sim_backing_put(struct sim_backing *backing)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	sc_assert(backing->refs > 0);
	if (--backing->refs)
		return;
	if (backing->is_of_range && !backing->is_lent)
		sim_range_restore(backing->base, backing->size_bytes, backing->file >= 0);
	else if (!backing->is_of_range && backing->bytes)
		munmap((void *)((uintptr_t)backing->bytes / page * page), backing->size_bytes);
	if (backing->host)
		munmap(backing->host, backing->size_bytes);
	if (backing->file >= 0)
		close(backing->file);
	free(backing);
}
