/* A sorted array of gaps in the reserved address range. */
#include "simulator/driver/memory/range.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define LARGEST_RESERVE ((size_t)1 << 42)
#define REST_BYTES	16384 /* after a piece: 1,024 threads of a block access 16 bytes each */
#define PAGE_BYTES	4096

struct gap {
	uintptr_t base;
	size_t size_bytes;
};

static struct gap *gaps; /* owned; ascending, never adjacent */
static size_t gap_count;
static size_t gap_capacity;

/* An open range. */
static struct {
	int file; /* owned, or -1 */
	uintptr_t base;
	size_t size_bytes;
	char *engines; /* owned; NULL: the range is closed */
} open_range = {.file = -1};

static size_t alignment_of_all(void)
{
	return open_range.engines ? PAGE_BYTES : SIM_RANGE_ALIGNMENT;
}

static size_t round_up(size_t size_bytes)
{
	size_t alignment = alignment_of_all();

	return (size_bytes + alignment - 1) & ~(alignment - 1);
}

static bool insert_gap(size_t at, struct gap gap)
{
	struct gap *grown;

	if (gap_count == gap_capacity) {
		grown = realloc(gaps, (gap_capacity + 64) * sizeof(*gaps));
		if (!grown)
			return false;
		gaps = grown;
		gap_capacity += 64;
	}
	memmove(&gaps[at + 1], &gaps[at], (gap_count - at) * sizeof(*gaps));
	gaps[at] = gap;
	gap_count++;
	return true;
}

static void remove_gap(size_t at)
{
	gap_count--;
	memmove(&gaps[at], &gaps[at + 1], (gap_count - at) * sizeof(*gaps));
}

static void *reserve(size_t size)
{
	void *base =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	madvise(base, size, MADV_DONTDUMP);
	return base;
}

/* Maps a file over the range, and once more for the engines. */
static bool open_up(void *base, size_t size)
{
	int file = memfd_create("cuda-device", MFD_CLOEXEC);
	char *engines = MAP_FAILED;

	if (file < 0)
		return false;
	if (ftruncate(file, (off_t)size) == 0)
		engines = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file,
			       0);
	if (engines == MAP_FAILED ||
	    mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file,
		 0) == MAP_FAILED) {
		if (engines != MAP_FAILED)
			munmap(engines, size);
		close(file);
		return false;
	}
	madvise(base, size, MADV_DONTDUMP);
	madvise(engines, size, MADV_DONTDUMP);
	open_range.file = file;
	open_range.base = (uintptr_t)base;
	open_range.size_bytes = size;
	open_range.engines = engines;
	return true;
}

static size_t address_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return limit.rlim_cur;
}

void sim_range_say_limit(size_t bytes)
{
	static atomic_bool is_said;
	size_t limit = address_limit();
	int kept = errno;

	if (limit != SIZE_MAX && !atomic_exchange(&is_said, true))
		dprintf(STDERR_FILENO,
			"simulated device: no addresses for %zu bytes: the address space of this "
			"process is limited to %zu MiB; raise the limit (ulimit -v unlimited)\n",
			bytes, limit >> 20);
	errno = kept; /* a closed stderr changes nothing for the caller */
}

/* Under a limit the bytes of allocations, the program and its threads need addresses, too. */
static size_t largest_reserve(void)
{
	size_t size = LARGEST_RESERVE, share = address_limit() / 4;

	while (size > share && size > SIM_RANGE_LEAST)
		size /= 2;
	return size;
}

bool sim_range_init(void)
{
	const char *text = getenv("STREAMCHECK_SIM_HOST_ACCESS");
	bool is_open = text && strcmp(text, "1") == 0;
	size_t size;
	void *base;

	for (size = largest_reserve(); size >= SIM_RANGE_LEAST; size /= 2) {
		base = reserve(size);
		if (base && (!is_open || open_up(base, size)))
			return insert_gap(0, (struct gap){(uintptr_t)base, size});
		if (base)
			munmap(base, size);
	}
	return false;
}

char *sim_range_engines(uintptr_t base)
{
	return open_range.engines ? open_range.engines + (base - open_range.base) : NULL;
}

static void clear(size_t offset, size_t size)
{
	if (fallocate(open_range.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
		      (off_t)size) != 0)
		memset(open_range.engines + offset, 0, size);
}

/* mremap() with old size 0 maps the same pages once more. */
bool sim_range_show(uintptr_t base, size_t size_bytes, void *bytes)
{
	return !open_range.engines ||
	       mremap(bytes, 0, round_up(size_bytes), MREMAP_MAYMOVE | MREMAP_FIXED,
		      (void *)base) != MAP_FAILED;
}

/* If it fails both views stay what they are: the same bytes. */
static void map_again(void *at, uintptr_t base, size_t size_bytes)
{
	(void)!mmap(at, round_up(size_bytes), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE | MAP_FIXED, open_range.file,
		    (off_t)(base - open_range.base));
}

void sim_range_hide(uintptr_t base, size_t size_bytes)
{
	if (open_range.engines)
		map_again((void *)base, base, size_bytes);
}

bool sim_range_grant(uintptr_t base, size_t size_bytes, int file, int rights)
{
	int flags = rights ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	if (open_range.engines)
		return true;
	return mmap((void *)base, size_bytes, rights, flags | MAP_FIXED, rights ? file : -1, 0) !=
	       MAP_FAILED;
}

void sim_range_restore(uintptr_t base, size_t size_bytes, bool was_shown)
{
	size_t offset = base - open_range.base;

	if (was_shown) {
		map_again((void *)base, base, size_bytes);
		map_again(open_range.engines + offset, base, size_bytes);
	}
	clear(offset, round_up(size_bytes));
}

/* With bytes at the end that nobody has; 0: too much. */
static size_t with_rest(size_t size_bytes)
{
	size_t wanted = round_up(size_bytes) + REST_BYTES;

	return wanted > size_bytes ? wanted : 0;
}

/* 0: there is no such gap. */
static uintptr_t take(size_t size)
{
	for (size_t i = 0; i < gap_count; i++) {
		uintptr_t base = gaps[i].base;

		if (gaps[i].size_bytes < size)
			continue;
		gaps[i].base += size;
		gaps[i].size_bytes -= size;
		if (!gaps[i].size_bytes)
			remove_gap(i);
		return base;
	}
	return 0;
}

static void give(uintptr_t base, size_t size)
{
	size_t i = 0;
	bool joins_left, joins_right;

	while (i < gap_count && gaps[i].base < base)
		i++;
	joins_left = i > 0 && gaps[i - 1].base + gaps[i - 1].size_bytes == base;
	joins_right = i < gap_count && base + size == gaps[i].base;
	if (joins_left) {
		gaps[i - 1].size_bytes += size;
		if (joins_right) {
			gaps[i - 1].size_bytes += gaps[i].size_bytes;
			remove_gap(i);
		}
	} else if (joins_right) {
		gaps[i].base = base;
		gaps[i].size_bytes += size;
	} else {
		insert_gap(i, (struct gap){base, size}); /* without memory the addresses are lost */
	}
}

uintptr_t sim_range_take(size_t size_bytes)
{
	size_t wanted = with_rest(size_bytes);
	uintptr_t base = wanted ? take(wanted) : 0;

	if (wanted && !base)
		sim_range_say_limit(size_bytes);
	return base;
}

uintptr_t sim_range_take_aligned(size_t size_bytes, size_t alignment)
{
	size_t lead, wanted = with_rest(size_bytes);
	uintptr_t base, aligned;

	if (alignment <= alignment_of_all())
		return sim_range_take(size_bytes);
	if (!wanted || wanted + alignment < wanted)
		return 0;
	base = take(wanted + alignment);
	if (!base) {
		sim_range_say_limit(size_bytes);
		return 0;
	}
	aligned = (base + alignment - 1) & ~(uintptr_t)(alignment - 1);
	lead = aligned - base;
	if (lead)
		give(base, lead);
	give(aligned + wanted, alignment - lead);
	return aligned;
}

void sim_range_give(uintptr_t base, size_t size_bytes)
{
	give(base, with_rest(size_bytes));
}
