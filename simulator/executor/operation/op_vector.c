/* Handlers of loads and stores of vectors whose elements are as wide as their registers.
 *
 * The lanes' vectors are rows of a matrix, their registers its columns: eight lanes at a time are
 * turned round in the processor's registers. Each lane's vector moves whole, as op_access.c says,
 * which has the others.
 */
#include "simulator/executor/operation/lanes.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/straight.h"

#define VECTOR(id, T, count) \
	typedef T id __attribute__((vector_size(sizeof(T) * (count)), aligned(1), may_alias))
VECTOR(words4, uint32_t, 4);
VECTOR(words8, uint32_t, 8);
VECTOR(longs2, uint64_t, 2);
VECTOR(longs4, uint64_t, 4);
#undef VECTOR

/* Of two vectors of eight words, by halves of four: the first or last words in turn, or by twos. */
#define FIRST_IN_TURN(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LAST_IN_TURN(a, b)  __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST_TWO(a, b)	    __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST_TWO(a, b)	    __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

/* Four registers' words of eight lanes, from where the lanes have theirs. */
static inline void split_4x4(const char *const *at, void *const *to, unsigned lane)
{
	words8 row[4], pair[4];

	for (unsigned i = 0; i < 4; i++)
		row[i] = __builtin_shufflevector(*(const volatile words4 *)at[i],
						 *(const volatile words4 *)at[i + 4], 0, 1, 2, 3, 4,
						 5, 6, 7);
	pair[0] = FIRST_IN_TURN(row[0], row[1]);
	pair[1] = LAST_IN_TURN(row[0], row[1]);
	pair[2] = FIRST_IN_TURN(row[2], row[3]);
	pair[3] = LAST_IN_TURN(row[2], row[3]);
	*(words8 *)((uint32_t *)to[0] + lane) = FIRST_TWO(pair[0], pair[2]);
	*(words8 *)((uint32_t *)to[1] + lane) = LAST_TWO(pair[0], pair[2]);
	*(words8 *)((uint32_t *)to[2] + lane) = FIRST_TWO(pair[1], pair[3]);
	*(words8 *)((uint32_t *)to[3] + lane) = LAST_TWO(pair[1], pair[3]);
}

static inline void join_4x4(char *const *at, void *const *from, unsigned lane)
{
	words8 column[4], pair[4], row[4];

	for (unsigned k = 0; k < 4; k++)
		column[k] = *(const words8 *)((const uint32_t *)from[k] + lane);
	pair[0] = FIRST_IN_TURN(column[0], column[1]);
	pair[1] = LAST_IN_TURN(column[0], column[1]);
	pair[2] = FIRST_IN_TURN(column[2], column[3]);
	pair[3] = LAST_IN_TURN(column[2], column[3]);
	row[0] = FIRST_TWO(pair[0], pair[2]);
	row[1] = LAST_TWO(pair[0], pair[2]);
	row[2] = FIRST_TWO(pair[1], pair[3]);
	row[3] = LAST_TWO(pair[1], pair[3]);
	for (unsigned i = 0; i < 4; i++) {
		*(volatile words4 *)at[i] = __builtin_shufflevector(row[i], row[i], 0, 1, 2, 3);
		*(volatile words4 *)at[i + 4] = __builtin_shufflevector(row[i], row[i], 4, 5, 6, 7);
	}
}

static inline void split_2x4(const char *const *at, void *const *to, unsigned lane)
{
	words8 row[2];

	for (unsigned i = 0; i < 2; i++) {
		const char *const *half = at + (size_t)i * 4;
		/* Not through memory, where the processor waits for narrow stores to be read. */
		longs4 whole = {
			*(const volatile uint64_t *)half[0], *(const volatile uint64_t *)half[1],
			*(const volatile uint64_t *)half[2], *(const volatile uint64_t *)half[3]};

		row[i] = (words8)whole;
	}
	*(words8 *)((uint32_t *)to[0] + lane) =
		__builtin_shufflevector(row[0], row[1], 0, 2, 4, 6, 8, 10, 12, 14);
	*(words8 *)((uint32_t *)to[1] + lane) =
		__builtin_shufflevector(row[0], row[1], 1, 3, 5, 7, 9, 11, 13, 15);
}

static inline void join_2x4(char *const *at, void *const *from, unsigned lane)
{
	words8 first = *(const words8 *)((const uint32_t *)from[0] + lane);
	words8 second = *(const words8 *)((const uint32_t *)from[1] + lane), row[2];
	uint64_t whole[EXEC_PIECE];

	row[0] = __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11);
	row[1] = __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15);
	memcpy(whole, row, sizeof(row));
	for (unsigned i = 0; i < EXEC_PIECE; i++)
		*(volatile uint64_t *)at[i] = whole[i];
}

static inline void split_2x8(const char *const *at, void *const *to, unsigned lane)
{
	for (unsigned i = 0; i < EXEC_PIECE; i += 4) {
		longs4 even =
			__builtin_shufflevector(*(const volatile longs2 *)at[i],
						*(const volatile longs2 *)at[i + 2], 0, 1, 2, 3);
		longs4 odd =
			__builtin_shufflevector(*(const volatile longs2 *)at[i + 1],
						*(const volatile longs2 *)at[i + 3], 0, 1, 2, 3);

		*(longs4 *)((uint64_t *)to[0] + lane + i) =
			__builtin_shufflevector(even, odd, 0, 4, 2, 6);
		*(longs4 *)((uint64_t *)to[1] + lane + i) =
			__builtin_shufflevector(even, odd, 1, 5, 3, 7);
	}
}

static inline void join_2x8(char *const *at, void *const *from, unsigned lane)
{
	const uint64_t *first = (const uint64_t *)from[0] + lane;
	const uint64_t *second = (const uint64_t *)from[1] + lane;

	for (unsigned i = 0; i < EXEC_PIECE; i++)
		*(volatile longs2 *)at[i] = (longs2){first[i], second[i]};
}

static inline void take_registers(const struct exec_warp *w, const struct exec_instruction *in,
				  unsigned count, void **registers)
{
	for (unsigned k = 0; k < count; k++)
		registers[k] = exec_lanes(w, in->slot[2 + k]);
}

static inline void take_piece(const struct exec_straight *s, unsigned piece, char **at)
{
	for (unsigned i = 0; i < EXEC_PIECE; i++)
		at[i] = s->piece[piece] + (ptrdiff_t)i * s->stride;
}

/* Vectors of `count` elements, each of type T. */
#define LOAD(count, bytes, T)                                                                      \
	static void load_lanes_##count##x##bytes(struct exec_warp *w,                              \
						 const struct exec_instruction *in, uint32_t mask) \
	{                                                                                          \
		T value[count][EXEC_LANES];                                                        \
		void *to[count];                                                                   \
		struct exec_places places;                                                         \
		if (!exec_lanes_find(w, in, mask, (count) * (bytes), in->use, &places) &&          \
		    !exec_places_find(w, in, mask, (count) * (bytes), in->use, &places))           \
			return;                                                                    \
		for (unsigned k = 0; k < (count); k++)                                             \
			to[k] = value[k];                                                          \
		for (unsigned i = 0; i < EXEC_LANES; i += EXEC_PIECE)                              \
			split_##count##x##bytes((const char *const *)places.lane + i, to, i);      \
		for (unsigned k = 0; k < (count); k++)                                             \
			exec_keep(exec_lanes(w, in->slot[2 + k]), value[k], bytes, mask);          \
	}                                                                                          \
	static void load_##count##x##bytes(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                          \
		uint32_t mask = exec_mask(w, in);                                                  \
		struct exec_straight from;                                                         \
		void *to[count];                                                                   \
		char *at[EXEC_PIECE];                                                              \
		w->polls |= in->polls;                                                             \
		if (mask != EXEC_ALL ||                                                            \
		    !exec_straight_find(w, in, (count) * (bytes), in->use, &from)) {               \
			if (mask)                                                                  \
				load_lanes_##count##x##bytes(w, in, mask);                         \
			return;                                                                    \
		}                                                                                  \
		take_registers(w, in, count, to);                                                  \
		EXEC_EACH_PIECE                                                                    \
		{                                                                                  \
			take_piece(&from, p, at);                                                  \
			split_##count##x##bytes((const char *const *)at, to, p *EXEC_PIECE);       \
		}                                                                                  \
	}
LOAD(4, 4, uint32_t)
LOAD(2, 4, uint32_t)
LOAD(2, 8, uint64_t)

/* The same, each whole of type T. Where lanes meet the last one is left. */
#define STORE(count, bytes, T)                                                               \
	static void store_lanes_##count##x##bytes(                                           \
		struct exec_warp *w, const struct exec_instruction *in, uint32_t mask)       \
	{                                                                                    \
		_Alignas(16) char whole[EXEC_LANES][(count) * (bytes)];                      \
		char *at[EXEC_LANES];                                                        \
		void *from[count];                                                           \
		struct exec_places places;                                                   \
		if (!exec_lanes_find(w, in, mask, (count) * (bytes), EXEC_WRITE, &places) && \
		    !exec_places_find(w, in, mask, (count) * (bytes), EXEC_WRITE, &places))  \
			return;                                                              \
		take_registers(w, in, count, from);                                          \
		for (unsigned i = 0; i < EXEC_LANES; i++)                                    \
			at[i] = whole[i];                                                    \
		for (unsigned i = 0; i < EXEC_LANES; i += EXEC_PIECE)                        \
			join_##count##x##bytes(at + i, from, i);                             \
		for (uint32_t left = mask; left; left &= left - 1) {                         \
			unsigned i = (unsigned)__builtin_ctz(left);                          \
			*(volatile T *)places.lane[i] = *(const T *)whole[i];                \
		}                                                                            \
		if (places.borrowed)                                                         \
			exec_places_end(w, in, (count) * (bytes), &places);                  \
	}                                                                                    \
	static void store_##count##x##bytes(struct exec_warp *w,                             \
					    const struct exec_instruction *in)               \
	{                                                                                    \
		uint32_t mask = exec_mask(w, in);                                            \
		struct exec_straight to;                                                     \
		void *from[count];                                                           \
		char *at[EXEC_PIECE];                                                        \
		if (mask != EXEC_ALL ||                                                      \
		    !exec_straight_find(w, in, (count) * (bytes), EXEC_WRITE, &to)) {        \
			if (mask)                                                            \
				store_lanes_##count##x##bytes(w, in, mask);                  \
			return;                                                              \
		}                                                                            \
		take_registers(w, in, count, from);                                          \
		EXEC_EACH_PIECE                                                              \
		{                                                                            \
			take_piece(&to, p, at);                                              \
			join_##count##x##bytes(at, from, p *EXEC_PIECE);                     \
		}                                                                            \
	}
STORE(4, 4, words4)
STORE(2, 4, uint64_t)
STORE(2, 8, longs2)

static const struct exec_row rows[] = {
	{"ld.any", "=V44 a ?x", 0, load_4x4},	{"ld.any", "=V24 a ?x", 0, load_2x4},
	{"ld.any", "=V28 a ?x", 0, load_2x8},	{"st.any", "_ a V44 ?x", 0, store_4x4},
	{"st.any", "_ a V24 ?x", 0, store_2x4}, {"st.any", "_ a V28 ?x", 0, store_2x8},
};

const struct exec_rows EXEC_LEVELED(exec_vector_rows) = EXEC_ROWS(rows);
