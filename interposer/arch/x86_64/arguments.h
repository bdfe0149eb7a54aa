/* Arguments of a function with any number of them, as a va_list has them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SC_WORDS_BYTES	 48  /* of the registers for words, of which there are six */
#define SC_NUMBERS_BYTES 128 /* of those for numbers, after them */

struct sc_arguments {
	uint32_t general, vector; /* offsets in `registers` of those that come next */
	uint64_t overflow;	  /* address of those on the stack */
	uint64_t registers;	  /* address of those that were in registers */
};

/* Of a function whose first arguments, `given` of them, are known: six words, then the stack. */
static inline struct sc_arguments sc_arguments_after(unsigned given, const uint64_t *words,
						     const uint64_t *stack)
{
	return (struct sc_arguments){.general = given * 8,
				     .vector = SC_WORDS_BYTES,
				     .overflow = (uint64_t)stack,
				     .registers = (uint64_t)words};
}

static inline uint64_t sc_arguments_word(struct sc_arguments *a)
{
	bool is_saved = a->general < SC_WORDS_BYTES;
	uint64_t value;

	memcpy(&value, (const void *)(is_saved ? a->registers + a->general : a->overflow),
	       sizeof(value));
	if (is_saved)
		a->general += 8;
	else
		a->overflow += 8;
	return value;
}

/* The next one is a double, or a long double. */
static inline void sc_arguments_skip_number(struct sc_arguments *a, bool is_long)
{
	if (is_long)
		a->overflow = ((a->overflow + 15) & ~UINT64_C(15)) + 16;
	else if (a->vector < SC_WORDS_BYTES + SC_NUMBERS_BYTES)
		a->vector += 16;
	else
		a->overflow += 8;
}
