/* Memory of the command that is not there: malloc and what is like it, for LD_PRELOAD. In other
 * programs, such as the one that is checked, nothing fails. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/faults/fault.h"

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t line, size_t bytes);

static struct fault *fault;

/* After the program's name is known; what is allocated before is the loader's. */
static __attribute__((constructor)) void begin(void)
{
	if (!strcmp(program_invocation_short_name, "streamcheck"))
		fault = fault_open();
}

static bool is_due(const void *caller)
{
	if (!fault_is_due(fault, (uint64_t)caller))
		return false;
	errno = ENOMEM;
	return true;
}

#define IS_DUE() is_due(__builtin_return_address(0))

void *malloc(size_t bytes)
{
	return IS_DUE() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return IS_DUE() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return IS_DUE() ? NULL : __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t count, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(count, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return IS_DUE() ? NULL : __libc_realloc(old, all);
}

void *aligned_alloc(size_t line, size_t bytes)
{
	return IS_DUE() ? NULL : __libc_memalign(line, bytes);
}
