/* An allocator that a program is started with: it has no malloc_usable_size, and what libc's would
 * take for a size is nonsense. It gives nothing back. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#pragma GCC visibility push(default)

#define ROOM	 ((size_t)1 << 30)
#define NONSENSE UINT64_C(0x7fffffffff02)

struct head {
	uint64_t bytes, nonsense;
};

static char *_Atomic base;
static atomic_size_t used;

static char *room(void)
{
	char *expected = NULL, *new;

	if (base)
		return base;
	new = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		   -1, 0);
	if (!atomic_compare_exchange_strong(&base, &expected, new))
		munmap(new, ROOM);
	return base;
}

void *memalign(size_t alignment, size_t bytes);

void *memalign(size_t alignment, size_t bytes)
{
	size_t whole = ((bytes + 15) & ~(size_t)15) + sizeof(struct head) + alignment;
	size_t at = atomic_fetch_add(&used, whole);
	uint64_t start = (uint64_t)room() + at + sizeof(struct head);
	struct head *head;

	if (at + whole > ROOM) {
		errno = ENOMEM;
		return NULL;
	}
	head = (struct head *)((start + alignment - 1) & ~(alignment - 1)) - 1;
	*head = (struct head){bytes, NONSENSE};
	return head + 1;
}

void *malloc(size_t bytes)
{
	return memalign(16, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	*out = memalign(alignment, bytes);
	return *out ? 0 : ENOMEM;
}

void *calloc(size_t count, size_t bytes)
{
	return malloc(count * bytes); /* fresh from the kernel */
}

void *realloc(void *old, size_t bytes)
{
	void *new = malloc(bytes);
	size_t before = old ? ((struct head *)old)[-1].bytes : 0;

	if (new &&old)
		memcpy(new, old, before < bytes ? before : bytes);
	return new;
}

void free(void *pointer)
{
	(void)pointer;
}
