/* Handlers of loads and stores.
 *
 * Most accesses move one element that is as wide as its register; when the lanes' elements lie one
 * after the other, they move at once. Vectors, and elements narrower than their registers, go
 * through a copy. A load by volatile or atomic semantics is the same: each element moves whole, and
 * so does a vector, as on a GPU: libraries (CUB) publish a value and its flag by one store of 16
 * bytes.
 */
#include "simulator/executor/operation/lanes.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/straight.h"

/* The elements of a piece side by side. */
#define PIECE(id, T)                                                                         \
	typedef T id __attribute__((vector_size(sizeof(T) * EXEC_PIECE), aligned(sizeof(T)), \
				    may_alias))

/* Elements of type T in memory and R in the register. */
#define LOAD(id, T, R)                                                                           \
	PIECE(id##_row, T);                                                                      \
	PIECE(id##_register, R);                                                                 \
	static inline void id##_piece(R *to, const char *from, ptrdiff_t stride)                 \
	{                                                                                        \
		R first;                                                                         \
		if (stride == sizeof(T)) {                                                       \
			*(id##_register *)to =                                                   \
				__builtin_convertvector(*(const id##_row *)from, id##_register); \
			return;                                                                  \
		}                                                                                \
		first = (R)__atomic_load_n((const T *)from, __ATOMIC_RELAXED);                   \
		for (unsigned i = 0; i < EXEC_PIECE; i++)                                        \
			to[i] = first;                                                           \
		for (unsigned i = 1; stride && i < EXEC_PIECE; i++)                              \
			to[i] = (R)__atomic_load_n((const T *)(from + i * stride),               \
						   __ATOMIC_RELAXED);                            \
	}                                                                                        \
	static inline void id##_all(R *to, const struct exec_straight *from)                     \
	{                                                                                        \
		R one;                                                                           \
		if (exec_straight_is_one(from)) {                                                \
			one = (R)__atomic_load_n((const T *)from->piece[0], __ATOMIC_RELAXED);   \
			EXEC_EACH_LANE                                                           \
			to[i] = one;                                                             \
			return;                                                                  \
		}                                                                                \
		EXEC_EACH_PIECE                                                                  \
		id##_piece(to + p * EXEC_PIECE, from->piece[p], from->stride);                   \
	}                                                                                        \
	static void id##_lanes(struct exec_warp *w, const struct exec_instruction *in,           \
			       uint32_t mask)                                                    \
	{                                                                                        \
		R value[EXEC_LANES];                                                             \
		struct exec_straight from;                                                       \
		struct exec_places places;                                                       \
		if (exec_uniform_find(w, in, mask, sizeof(T), &from)) {                          \
			EXEC_EACH_PIECE                                                          \
			id##_piece(value + p * EXEC_PIECE, from.piece[p], from.stride);          \
			exec_keep(exec_lanes(w, in->slot[0]), value, sizeof(R), mask);           \
			return;                                                                  \
		}                                                                                \
		if (!exec_lanes_find(w, in, mask, sizeof(T), in->use, &places) &&                \
		    !exec_places_find(w, in, mask, sizeof(T), in->use, &places))                 \
			return;                                                                  \
		for (unsigned i = 0; i < EXEC_LANES; i++)                                        \
			value[i] =                                                               \
				(R)__atomic_load_n((const T *)places.lane[i], __ATOMIC_RELAXED); \
		exec_keep(exec_lanes(w, in->slot[0]), value, sizeof(R), mask);                   \
	}                                                                                        \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                   \
	{                                                                                        \
		R *to = exec_lanes(w, in->slot[0]);                                              \
		uint32_t mask = exec_mask(w, in);                                                \
		struct exec_straight from;                                                       \
		w->polls |= in->polls;                                                           \
		if (mask == EXEC_ALL && exec_straight_find(w, in, sizeof(T), in->use, &from))    \
			id##_all(to, &from);                                                     \
		else if (mask)                                                                   \
			id##_lanes(w, in, mask);                                                 \
	}
LOAD(load_1, uint8_t, uint16_t)
LOAD(load_s1, int8_t, int16_t)
LOAD(load_2, uint16_t, uint16_t)
LOAD(load_4, uint32_t, uint32_t)
LOAD(load_8, uint64_t, uint64_t)

/* A parameter of the kernel: one for all lanes, which nobody changes. */
#define PARAMETER(id, T)                                                                   \
	static void parameter_##id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                  \
		uint32_t mask = exec_mask(w, in);                                          \
		T value;                                                                   \
		uint64_t at = *(const uint64_t *)exec_lanes(w, in->slot[1]) + in->value;   \
		uint64_t bytes = w->run->kernel->param_bytes;                              \
		if (!exec_is_parameter(in) || at % sizeof(T) || at > bytes ||              \
		    bytes - at < sizeof(T)) {                                              \
			load_##id(w, in);                                                  \
			return;                                                            \
		}                                                                          \
		memcpy(&value, w->run->params + at, sizeof(value));                        \
		EXEC_WRITE(T, mask, value);                                                \
	}
PARAMETER(4, uint32_t)
PARAMETER(8, uint64_t)

#define STORE(id, T, R)                                                                          \
	PIECE(id##_row, T);                                                                      \
	PIECE(id##_register, R);                                                                 \
	static void id##_lanes(struct exec_warp *w, const struct exec_instruction *in,           \
			       uint32_t mask)                                                    \
	{                                                                                        \
		const R *from = exec_lanes(w, in->slot[2]);                                      \
		struct exec_places places;                                                       \
		if (!exec_lanes_find(w, in, mask, sizeof(T), EXEC_WRITE, &places) &&             \
		    !exec_places_find(w, in, mask, sizeof(T), EXEC_WRITE, &places))              \
			return;                                                                  \
		for (uint32_t left = mask; left; left &= left - 1) {                             \
			unsigned i = (unsigned)__builtin_ctz(left);                              \
			__atomic_store_n((T *)places.lane[i], (T)from[i], __ATOMIC_RELAXED);     \
		}                                                                                \
		if (places.borrowed)                                                             \
			exec_places_end(w, in, sizeof(T), &places);                              \
	}                                                                                        \
	static inline void id##_piece(char *to, const R *from, ptrdiff_t stride)                 \
	{                                                                                        \
		if (stride == sizeof(T))                                                         \
			*(id##_row *)to =                                                        \
				__builtin_convertvector(*(const id##_register *)from, id##_row); \
		else                                                                             \
			for (unsigned i = 0; i < EXEC_PIECE; i++)                                \
				__atomic_store_n((T *)(to + i * stride), (T)from[i],             \
						 __ATOMIC_RELAXED);                              \
	}                                                                                        \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                   \
	{                                                                                        \
		const R *from = exec_lanes(w, in->slot[2]);                                      \
		uint32_t mask = exec_mask(w, in);                                                \
		struct exec_straight to;                                                         \
		if (mask == EXEC_ALL && exec_straight_find(w, in, sizeof(T), EXEC_WRITE, &to))   \
			EXEC_EACH_PIECE                                                          \
		id##_piece(to.piece[p], from + p * EXEC_PIECE, to.stride);                       \
		else if (mask) id##_lanes(w, in, mask);                                          \
	}
STORE(store_1, uint8_t, uint16_t)
STORE(store_2, uint16_t, uint16_t)
STORE(store_4, uint32_t, uint32_t)
STORE(store_8, uint64_t, uint64_t)

typedef uint64_t two_words __attribute__((vector_size(16), aligned(1), may_alias));

/* What an access moves: in each lane a whole, of elements of registers. */
struct moved {
	unsigned element; /* bytes */
	unsigned whole;
	struct exec_places places;
	_Alignas(32) char data[EXEC_LANES][EXEC_ACCESS_MOST];
};

/* False: the launch has failed. */
static bool find_moved(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		       enum exec_use use, struct moved *m)
{
	struct exec_straight at;

	m->element = sc_type_bits(in->type) / 8;
	m->whole = m->element * in->count;
	if (mask != EXEC_ALL || !exec_straight_find(w, in, m->whole, use, &at))
		return exec_lanes_find(w, in, mask, m->whole, use, &m->places) ||
		       exec_places_find(w, in, mask, m->whole, use, &m->places);
	m->places.borrowed = 0;
	for (unsigned i = 0; i < EXEC_LANES; i++)
		m->places.lane[i] = at.piece[i / EXEC_PIECE] + i % EXEC_PIECE * at.stride;
	return 1;
}

/* Each lane's whole moves at once. */
static void fetch(struct moved *m)
{
#define FETCH(T)                                  \
	for (unsigned i = 0; i < EXEC_LANES; i++) \
		*(T *)m->data[i] = *(const volatile T *)m->places.lane[i];
	switch (m->whole) {
	case 1: FETCH(uint8_t) return;
	case 2: FETCH(uint16_t) return;
	case 4: FETCH(uint32_t) return;
	case 8: FETCH(uint64_t) return;
	}
	FETCH(two_words)
#undef FETCH
}

static void put(struct moved *m, uint32_t mask)
{
#define PUT(T)                                    \
	for (unsigned i = 0; i < EXEC_LANES; i++) \
		if (mask >> i & 1)                \
			*(volatile T *)m->places.lane[i] = *(const T *)m->data[i];
	switch (m->whole) {
	case 1: PUT(uint8_t) return;
	case 2: PUT(uint16_t) return;
	case 4: PUT(uint32_t) return;
	case 8: PUT(uint64_t) return;
	}
	PUT(two_words)
#undef PUT
}

/* Elements of a register, apart by so many bytes, as numbers and back. */
static void widen(uint64_t *to, const char *from, unsigned bytes, size_t apart)
{
#define WIDEN(T)                                  \
	for (unsigned i = 0; i < EXEC_LANES; i++) \
		to[i] = *(const T *)(from + i * apart);
	switch (bytes) {
	case 1: WIDEN(uint8_t) return;
	case 2: WIDEN(uint16_t) return;
	case 4: WIDEN(uint32_t) return;
	}
	WIDEN(uint64_t)
#undef WIDEN
}

static void narrow(char *to, const uint64_t *from, unsigned bytes, size_t apart)
{
#define NARROW(T)                                 \
	for (unsigned i = 0; i < EXEC_LANES; i++) \
		*(T *)(to + i * apart) = (T)from[i];
	switch (bytes) {
	case 1: NARROW(uint8_t) return;
	case 2: NARROW(uint16_t) return;
	case 4: NARROW(uint32_t) return;
	}
	NARROW(uint64_t)
#undef NARROW
}

static void extend_sign(uint64_t *value, unsigned bytes)
{
	unsigned unused = 64 - 8 * bytes;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		value[i] = (uint64_t)((int64_t)(value[i] << unused) >> unused);
}

/* Elements that are as wide as their register. */
#define ELEMENTS(T)                                                   \
	static void keep_##T(T *to, const char *from, uint32_t mask)  \
	{                                                             \
		T value[EXEC_LANES];                                  \
		EXEC_EACH_LANE                                        \
		value[i] = *(const T *)(from + i * EXEC_ACCESS_MOST); \
		exec_keep(to, value, sizeof(T), mask);                \
	}                                                             \
	static void stage_##T(char *to, const T *from)                \
	{                                                             \
		EXEC_EACH_LANE                                        \
		*(T *)(to + i * EXEC_ACCESS_MOST) = from[i];          \
	}
ELEMENTS(uint32_t)
ELEMENTS(uint64_t)

/* The same of any width. */
static void keep_any(struct exec_warp *w, const struct exec_instruction *in, unsigned k,
		     uint32_t mask, const struct moved *m)
{
	uint64_t value[EXEC_LANES], lanes[EXEC_LANES];
	unsigned width = in->width[2 + k];

	widen(value, m->data[0] + k * m->element, m->element, sizeof(*m->data));
	if (sc_type_kind(in->type) == SC_KIND_SIGNED)
		extend_sign(value, m->element);
	narrow((char *)lanes, value, width, width);
	exec_keep(exec_lanes(w, in->slot[2 + k]), lanes, width, mask);
}

/* What was fetched becomes the registers' values. */
static void keep_moved(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		       const struct moved *m)
{
	for (unsigned k = 0; k < in->count; k++) {
		unsigned width = in->width[2 + k];
		const char *from = m->data[0] + k * m->element;
		void *to = exec_lanes(w, in->slot[2 + k]);

		if (width == 4 && m->element == 4)
			keep_uint32_t(to, from, mask);
		else if (width == 8 && m->element == 8)
			keep_uint64_t(to, from, mask);
		else
			keep_any(w, in, k, mask, m);
	}
}

static void load_any(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);
	struct moved m;

	w->polls |= in->polls;
	if (!mask || !find_moved(w, in, mask, in->use, &m))
		return;
	fetch(&m);
	keep_moved(w, in, mask, &m);
}

/* False: the launch has failed, since a lane's vector is not aligned as a whole. */
static bool check_aligned(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
			  unsigned bytes)
{
	uint64_t address[EXEC_LANES];

	exec_places_addresses(w, in, mask, address);
	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (address[i] & (bytes - 1)) {
			exec_fail(w, in, EXEC_MISALIGNED_ADDRESS, i, address[i]);
			return 0;
		}
	return 1;
}

/* The largest piece of used bytes from `at` on that is aligned as it is long. */
static unsigned used_piece(uint32_t used, unsigned at)
{
	unsigned run = (unsigned)__builtin_ctzll(~((uint64_t)used >> at)), bytes = 1;

	while (bytes * 2 <= run && !(at & (bytes * 2 - 1)))
		bytes *= 2;
	return bytes;
}

/* A load of which the code uses some bytes only: others may lie outside of memory. They are zero,
 * and count as not touched. */
static void load_used(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);
	struct exec_instruction part = *in;
	struct moved m = {.element = sc_type_bits(in->type) / 8};
	unsigned bytes;

	m.whole = m.element * in->count;
	w->polls |= in->polls;
	if (!mask || !check_aligned(w, in, mask, m.whole))
		return;
	for (unsigned at = 0; at < m.whole; at += bytes) {
		bytes = 1;
		if (!(in->used >> at & 1))
			continue;
		bytes = used_piece(in->used, at);
		part.value = in->value + at;
		if (!exec_places_find(w, &part, mask, bytes, in->use, &m.places))
			return;
		for (unsigned i = 0; i < EXEC_LANES; i++)
			memcpy(m.data[i] + at, m.places.lane[i], bytes);
	}
	keep_moved(w, in, mask, &m);
}

static void store_any(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);
	uint64_t value[EXEC_LANES];
	struct moved m;

	if (!mask || !find_moved(w, in, mask, EXEC_WRITE, &m))
		return;
	for (unsigned k = 0; k < in->count; k++) {
		unsigned width = in->width[2 + k];
		const void *from = exec_lanes(w, in->slot[2 + k]);
		char *to = m.data[0] + k * m.element;

		if (width == 4 && m.element == 4) {
			stage_uint32_t(to, from);
		} else if (width == 8 && m.element == 8) {
			stage_uint64_t(to, from);
		} else {
			widen(value, from, width, width);
			narrow(to, value, m.element, sizeof(*m.data));
		}
	}
	put(&m, mask);
	if (m.places.borrowed)
		exec_places_end(w, in, m.whole, &m.places);
}

static const struct exec_row rows[] = {
	{"ld.p4", "=4 a ?x", 0, parameter_4}, {"ld.p8", "=8 a ?x", 0, parameter_8},
	{"ld.1", "=2 a ?x", 0, load_1},	      {"ld.s1", "=2 a ?x", 0, load_s1},
	{"ld.2", "=2 a ?x", 0, load_2},	      {"ld.4", "=4 a ?x", 0, load_4},
	{"ld.8", "=8 a ?x", 0, load_8},	      {"ld.any", "=v a ?x", 0, load_any},
	{"ld.used", "=v a ?x", 0, load_used}, {"st.1", "_ a 2 ?x", 0, store_1},
	{"st.2", "_ a 2 ?x", 0, store_2},     {"st.4", "_ a 4 ?x", 0, store_4},
	{"st.8", "_ a 8 ?x", 0, store_8},     {"st.any", "_ a v ?x", 0, store_any},
};

const struct exec_rows EXEC_LEVELED(exec_access_rows) = EXEC_ROWS(rows);
