/* Handlers of loads and stores.
 *
 * Most accesses move one element that is as wide as its register; when the lanes' elements lie one
 * after the other, they move at once. Vectors, and elements narrower than their registers, go lane
 * by lane. A load by volatile or atomic semantics is the same: each element moves whole, and so
 * does a vector, as on a GPU: libraries (CUB) publish a value and its flag by one store of 16
 * bytes.
 */
#include "simulator/executor/memory.h"
#include "simulator/executor/operation.h"

#define LOAD(id, T)                                                                         \
	static void id(struct exec_warp *w, const struct exec_instruction *in)              \
	{                                                                                   \
		T *to = exec_lanes(w, in->slot[0]);                                         \
		uint32_t mask = exec_mask(w, in);                                           \
		struct exec_places places;                                                  \
		w->polls |= in->polls;                                                      \
		if (!mask || !exec_places_find(w, in, mask, sizeof(T), EXEC_READ, &places)) \
			return;                                                             \
		if (places.is_row) {                                                        \
			memcpy(to, places.lane[0], sizeof(T) * EXEC_LANES);                 \
			return;                                                             \
		}                                                                           \
		for (unsigned i = 0; i < EXEC_LANES; i++)                                   \
			if (mask >> i & 1)                                                  \
				to[i] = __atomic_load_n((const T *)places.lane[i],          \
							__ATOMIC_RELAXED);                  \
	}
LOAD(load_2, uint16_t)
LOAD(load_4, uint32_t)
LOAD(load_8, uint64_t)

#define STORE(id, T)                                                                              \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                    \
	{                                                                                         \
		const T *from = exec_lanes(w, in->slot[2]);                                       \
		uint32_t mask = exec_mask(w, in);                                                 \
		struct exec_places places;                                                        \
		if (!mask || !exec_places_find(w, in, mask, sizeof(T), EXEC_WRITE, &places))      \
			return;                                                                   \
		if (places.is_row) {                                                              \
			memcpy(places.lane[0], from, sizeof(T) * EXEC_LANES);                     \
			return;                                                                   \
		}                                                                                 \
		for (unsigned i = 0; i < EXEC_LANES; i++)                                         \
			if (mask >> i & 1)                                                        \
				__atomic_store_n((T *)places.lane[i], from[i], __ATOMIC_RELAXED); \
		if (places.borrowed)                                                              \
			exec_places_end(w, in, sizeof(T), &places);                               \
	}
STORE(store_2, uint16_t)
STORE(store_4, uint32_t)
STORE(store_8, uint64_t)

static unsigned element_bytes(const struct exec_instruction *in)
{
	return sc_type_bits(in->type) / 8;
}

typedef uint64_t two_words __attribute__((vector_size(16), aligned(1), may_alias));

/* Moves an element or a vector at once. */
static void move_whole(char *to, const char *from, unsigned bytes)
{
	switch (bytes) {
	case 1: *to = *from; return;
	case 2: *(volatile uint16_t *)to = *(const volatile uint16_t *)from; return;
	case 4: *(volatile uint32_t *)to = *(const volatile uint32_t *)from; return;
	case 8: *(volatile uint64_t *)to = *(const volatile uint64_t *)from; return;
	}
	*(volatile two_words *)to = *(const volatile two_words *)from;
}

static uint64_t read_element(const char *from, unsigned bytes)
{
	switch (bytes) {
	case 1: return *(const uint8_t *)from;
	case 2: return *(const uint16_t *)from;
	case 4: return *(const uint32_t *)from;
	}
	return *(const uint64_t *)from;
}

static void write_element(char *to, uint64_t value, unsigned bytes)
{
	switch (bytes) {
	case 1: *(uint8_t *)to = (uint8_t)value; return;
	case 2: *(uint16_t *)to = (uint16_t)value; return;
	case 4: *(uint32_t *)to = (uint32_t)value; return;
	}
	*(uint64_t *)to = value;
}

/* Writes a loaded element to a lane of a register, extended by the sign of its type. */
static void fill_lane(void *lanes, unsigned i, uint64_t value, const struct exec_instruction *in,
		      unsigned width)
{
	unsigned unused = 64 - 8 * element_bytes(in);

	if (sc_type_kind(in->type) == SC_KIND_SIGNED)
		value = (uint64_t)((int64_t)(value << unused) >> unused);
	write_element((char *)lanes + (size_t)i * width, value, width);
}

static void load_any(struct exec_warp *w, const struct exec_instruction *in)
{
	unsigned bytes = element_bytes(in);
	uint32_t mask = exec_mask(w, in);
	struct exec_places places;

	w->polls |= in->polls;
	if (!mask || !exec_places_find(w, in, mask, bytes * in->count, EXEC_READ, &places))
		return;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		_Alignas(EXEC_ACCESS_MOST) char whole[EXEC_ACCESS_MOST];

		if (!(mask >> i & 1))
			continue;
		move_whole(whole, places.lane[i], bytes * in->count);
		for (unsigned k = 0; k < in->count; k++)
			fill_lane(exec_lanes(w, in->slot[2 + k]), i,
				  read_element(whole + k * bytes, bytes), in, in->width[2 + k]);
	}
}

static uint64_t lane_value(const struct exec_warp *w, const struct exec_instruction *in, unsigned k,
			   unsigned lane)
{
	const char *from = exec_lanes(w, in->slot[k]);

	return read_element(from + (size_t)lane * in->width[k], in->width[k]);
}

static void store_any(struct exec_warp *w, const struct exec_instruction *in)
{
	unsigned bytes = element_bytes(in);
	uint32_t mask = exec_mask(w, in);
	struct exec_places places;

	if (!mask || !exec_places_find(w, in, mask, bytes * in->count, EXEC_WRITE, &places))
		return;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		_Alignas(EXEC_ACCESS_MOST) char whole[EXEC_ACCESS_MOST];

		if (!(mask >> i & 1))
			continue;
		for (unsigned k = 0; k < in->count; k++)
			write_element(whole + k * bytes, lane_value(w, in, 2 + k, i), bytes);
		move_whole(places.lane[i], whole, bytes * in->count);
	}
	if (places.borrowed)
		exec_places_end(w, in, bytes * in->count, &places);
}

static const struct exec_row rows[] = {
	{"ld.2", "=2 a ?x", 0, load_2},	  {"ld.4", "=4 a ?x", 0, load_4},
	{"ld.8", "=8 a ?x", 0, load_8},	  {"ld.any", "=v a ?x", 0, load_any},
	{"st.2", "_ a 2 ?x", 0, store_2}, {"st.4", "_ a 4 ?x", 0, store_4},
	{"st.8", "_ a 8 ?x", 0, store_8}, {"st.any", "_ a v ?x", 0, store_any},
};

const struct exec_rows EXEC_LEVELED(exec_access_rows) = EXEC_ROWS(rows);
