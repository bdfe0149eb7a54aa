/* Refused: counted until there is somebody to be told. */
#include "interposer/core/refused.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_uint_fast64_t waiting;
static void (*_Atomic tell)(uint64_t count);

void *sc_refused(void)
{
	void (*told)(uint64_t count) = atomic_load(&tell);

	if (told)
		told(1);
	else
		atomic_fetch_add(&waiting, 1);
	return NULL;
}

void sc_refused_tell(void (*told)(uint64_t count))
{
	uint64_t count = atomic_exchange(&waiting, 0);

	atomic_store(&tell, told);
	if (count)
		told(count);
}
