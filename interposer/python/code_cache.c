/* Code objects that live on. */
#include "interposer/python/code_cache.h"

#define SLOT_OFFSET 48 /* of tp_dealloc in a type object, since CPython 3.0 */
#define CODES_BITS  10

struct sc_python_codes sc_python_codes;

static typeof(&sc_python_codes.entry[0]) place_of(uint64_t object)
{
	_Static_assert(SC_PYTHON_CODES == 1 << CODES_BITS, "a place for each hash");
	return &sc_python_codes.entry[object * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CODES_BITS)];
}

static void died(void *object)
{
	_Atomic uint64_t *kept = &place_of((uint64_t)object)->object;
	/* acquire: pairs with the release in sc_python_codes_watch */
	void (*freed)(void *) = atomic_load_explicit(&sc_python_codes.freed, memory_order_acquire);

	if (atomic_load_explicit(kept, memory_order_relaxed) == (uint64_t)object)
		atomic_store_explicit(kept, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&sc_python_codes.deaths, 1, memory_order_relaxed);
	freed(object); /* a tail call: no frame of ours stands in a stack */
}

void sc_python_codes_watch(uint64_t code_type, void *reported)
{
	struct sc_python_codes *c = &sc_python_codes;
	void *_Atomic *slot = (void *_Atomic *)(code_type + SLOT_OFFSET);

	if (atomic_load_explicit(&c->freed, memory_order_relaxed) || !code_type || !reported ||
	    atomic_load_explicit(slot, memory_order_relaxed) != reported)
		return;
	atomic_store_explicit(&c->freed, reported, memory_order_release);
	atomic_store_explicit(slot, (void *)died, memory_order_release);
}

uint32_t sc_python_codes_version(void)
{
	const struct sc_python_codes *c = &sc_python_codes;

	if (!atomic_load_explicit(&c->freed, memory_order_relaxed))
		return 0;
	return atomic_load_explicit(&c->deaths, memory_order_relaxed) | 1u << 31;
}

bool sc_python_codes_find(uint64_t object, struct sc_python_code *out)
{
	typeof(&sc_python_codes.entry[0]) e = place_of(object);
	uint64_t shape = atomic_load_explicit(&e->shape, memory_order_relaxed);

	if (atomic_load_explicit(&e->object, memory_order_relaxed) != object)
		return false;
	out->stamp = atomic_load_explicit(&e->stamp, memory_order_relaxed);
	out->bytes = (uint32_t)shape;
	out->traceable = (uint32_t)(shape >> 32);
	/* another thread may be writing: what belongs together is seen by the last word */
	return atomic_load_explicit(&e->check, memory_order_relaxed) ==
	       (object ^ out->stamp ^ shape);
}

void sc_python_codes_keep(uint64_t object, const struct sc_python_code *code)
{
	typeof(&sc_python_codes.entry[0]) e = place_of(object);
	uint64_t shape = (uint64_t)code->traceable << 32 | code->bytes;

	if (!atomic_load_explicit(&sc_python_codes.freed, memory_order_relaxed))
		return;
	atomic_store_explicit(&e->stamp, code->stamp, memory_order_relaxed);
	atomic_store_explicit(&e->shape, shape, memory_order_relaxed);
	atomic_store_explicit(&e->check, object ^ code->stamp ^ shape, memory_order_relaxed);
	atomic_store_explicit(&e->object, object, memory_order_relaxed);
}
