/* The mark, and transfers page by page. */
#include "simulator/driver/memory/registered.h"

#include <linux/mempolicy.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "simulator/driver/memory/hostmem.h"

#define PAGE ((uintptr_t)4096)

static atomic_bool goes_by_addresses;

void sim_registered_mark(uintptr_t address, size_t size_bytes)
{
	uintptr_t first = address / PAGE * PAGE;
	uintptr_t end = (address + size_bytes + PAGE - 1) / PAGE * PAGE;

	if (syscall(SYS_mbind, first, end - first, MPOL_LOCAL, NULL, 0, 0))
		atomic_store(&goes_by_addresses, true);
}

/* The page of the address is one that was registered. */
static bool is_there(uintptr_t address)
{
	int policy = MPOL_DEFAULT;

	return atomic_load(&goes_by_addresses) ||
	       (!syscall(SYS_get_mempolicy, &policy, NULL, 0, address, MPOL_F_ADDR) &&
		policy != MPOL_DEFAULT);
}

/* How much of a range lies in pages that are there, or are not. */
static size_t alike(uintptr_t address, size_t size_bytes, bool *there)
{
	uintptr_t page = address / PAGE * PAGE + PAGE, end = address + size_bytes;

	*there = is_there(address);
	while (page < end && is_there(page) == *there)
		page += PAGE;
	return (page < end ? page : end) - address;
}

void sim_registered_read(void *to, uintptr_t from, size_t size_bytes)
{
	char *at = to;
	size_t part;
	bool there;

	for (; size_bytes; size_bytes -= part, from += part, at += part) {
		part = alike(from, size_bytes, &there);
		if (!there || !sim_hostmem_read(at, from, part))
			memset(at, 0, part);
	}
}

void sim_registered_write(uintptr_t to, const void *from, size_t size_bytes)
{
	const char *at = from;
	size_t part;
	bool there;

	for (; size_bytes; size_bytes -= part, to += part, at += part) {
		part = alike(to, size_bytes, &there);
		if (there)
			sim_hostmem_write(to, at, part);
	}
}
