/* The wrappers of NVSHMEM's functions (shmem.def). */
#include <errno.h>
#include <stddef.h>
#include "interposer/library/enqueues.h"
#include "interposer/library/wrap.h"

static void note(const struct sc_enqueues *e, enum sc_library_row row, const void *at,
		 uint64_t bytes, uint8_t mode)
{
	struct sc_access access = {.base = (uint64_t)at, .width = bytes, .rows = 1, .slices = 1};
	struct sc_documented documented = {.row = row, .accesses = &access, .count = 1};
	int saved = errno;
	uint64_t end;

	access.mode = mode;
	access.known = SC_KNOWN_EXACT;
	if (!e->count || !bytes || __builtin_add_overflow(access.base, bytes, &end))
		return;
	sc_self.busy++;
	sc_enqueues_document(e, &documented);
	sc_self.busy--;
	errno = saved;
}

/* One whose elements are too many for a number is the library's to refuse. */
static uint64_t bytes_of(size_t count, uint64_t element)
{
	uint64_t bytes;

	return __builtin_mul_overflow((uint64_t)count, element, &bytes) ? 0 : bytes;
}

#define NOTED(name, parameters, arguments, at, bytes, mode) \
	SC_WRAP_VOID(name, parameters, arguments,           \
		     note(enqueues, SC_LIBRARY_ROW_##name, at, bytes_of(count, bytes), mode))

#define PUT(name, bytes)                                                                   \
	NOTED(name, (void *to, const void *from, size_t count, int process, void *stream), \
	      (to, from, count, process, stream), from, bytes, SC_READ)
#define PUT_SIGNAL(name, bytes)                                                        \
	NOTED(name,                                                                    \
	      (void *to, const void *from, size_t count, void *signal, uint64_t value, \
	       int operation, int process, void *stream),                              \
	      (to, from, count, signal, value, operation, process, stream), from, bytes, SC_READ)
#define GET(name, bytes)                                                                   \
	NOTED(name, (void *to, const void *from, size_t count, int process, void *stream), \
	      (to, from, count, process, stream), to, bytes, SC_WRITE)
#define SHMEM(name, form, bytes) form(name, bytes)
#include "interposer/library/shmem.def"

void *sc_shmem_wrapper(enum sc_library_row row)
{
	static void *const wrappers[SC_LIBRARY_ROWS] = {
#define SHMEM(name, form, bytes) [SC_LIBRARY_ROW_##name] = (void *)looked_up_##name,
#include "interposer/library/shmem.def"
	};

	return wrappers[row];
}
