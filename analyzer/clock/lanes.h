/* Lanes: the positions of dense clocks, four at a time; part of clock.c.
 *
 * Naive form: the plain loop that follows each loop over vectors. Vectors of the compiler, of the
 * size that every processor of this kind compares at once; signed, because the oldest compare no
 * others.
 */
#ifndef SC_ANALYZER_CLOCK_LANES_H
#define SC_ANALYZER_CLOCK_LANES_H

#include <stdint.h>
#include <string.h>

#define SC_LANES_AT_ONCE 4

typedef int32_t sc_lanes __attribute__((vector_size(SC_LANES_AT_ONCE * sizeof(int32_t))));

static inline sc_lanes sc_lanes_load(const uint32_t *at)
{
	sc_lanes x;

	memcpy(&x, at, sizeof(x));
	return x;
}

/* All bits of the lanes where `x` is beyond `y`. */
static inline sc_lanes sc_lanes_beyond(sc_lanes x, sc_lanes y)
{
	return (x ^ INT32_MIN) > (y ^ INT32_MIN);
}

/* Each of `to` becomes the larger of `a` and `b`; `to` may be one of them. */
static inline void sc_lanes_join(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t count)
{
	uint32_t i = 0;

	for (; count - i >= SC_LANES_AT_ONCE; i += SC_LANES_AT_ONCE) {
		sc_lanes x = sc_lanes_load(a + i), y = sc_lanes_load(b + i);
		sc_lanes is_beyond = sc_lanes_beyond(x, y);

		x = (x & is_beyond) | (y & ~is_beyond);
		memcpy(to + i, &x, sizeof(x));
	}
	for (; i < count; i++)
		to[i] = a[i] > b[i] ? a[i] : b[i];
}

/* The first lane from `i` on where `a` is beyond `b`, or `count`. */
static inline uint32_t sc_lanes_first_beyond(const uint32_t *a, const uint32_t *b, uint32_t i,
					     uint32_t count)
{
	for (; count - i >= SC_LANES_AT_ONCE; i += SC_LANES_AT_ONCE) {
		sc_lanes is_beyond = sc_lanes_beyond(sc_lanes_load(a + i), sc_lanes_load(b + i));
		uint64_t half[2];

		memcpy(half, &is_beyond, sizeof(half));
		if (half[0] | half[1])
			break;
	}
	while (i < count && a[i] <= b[i])
		i++;
	return i;
}

#endif
