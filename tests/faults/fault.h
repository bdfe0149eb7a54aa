/* Which allocations fail: the count that all processes of a run share, in a file that the
 * environment names. What of it is called from inside of an allocation calls nothing of libc.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/sys.h"

#define FAULT_PLACES 262144

struct fault {
	int64_t first;		      /* the first that fails, from 1; 0: none */
	int64_t count;		      /* so many fail; 0: all */
	int64_t passed;		      /* atomic */
	uint64_t place[FAULT_PLACES]; /* of each: the call's address in the file that holds it */
};

/* Names the file; where it is not set, nothing fails. */
#define FAULT_VARIABLE "STREAMCHECK_TEST_FAULTS"

static inline struct fault *fault_open(void)
{
	const char *path = getenv(FAULT_VARIABLE);
	int fd = path ? sc_sys_open(path, O_RDWR | O_CLOEXEC, 0) : -1;
	void *at;

	if (fd < 0)
		return NULL;
	at = sc_sys_mmap_file(sizeof(struct fault), PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	sc_sys_close(fd);
	return at == MAP_FAILED ? NULL : at;
}

/* Counts one; true if it is to fail. */
static inline bool fault_is_due(struct fault *f, uint64_t place)
{
	int64_t n;

	if (!f)
		return false;
	n = __atomic_add_fetch(&f->passed, 1, __ATOMIC_RELAXED);
	if (n <= FAULT_PLACES)
		f->place[n - 1] = place;
	return f->first && n >= f->first && (!f->count || n < f->first + f->count);
}
