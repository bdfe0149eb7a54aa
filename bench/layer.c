/* A library of small functions that call each other as a framework's do: bench/program.c picks the
 * way through them. Compiled once a library, without frame pointers. */
#include "bench/layer.h"

/* Frames of different sizes, with something to keep over the call. */
#define FUNCTION(n)                                                                       \
	static __attribute__((noinline)) unsigned long f##n(const struct sc_way *way,     \
							    unsigned depth)               \
	{                                                                                 \
		volatile char room[1 + n * 29 % 160];                                     \
		unsigned long kept = way->salt * n, also = kept ^ depth, result;          \
                                                                                          \
		room[0] = n;                                                              \
		result = way->step[depth](way, depth + 1);                                \
		return n % 3 ? result + kept * (unsigned)room[0] + also : result + depth; \
	}
#define ROW(F, r) F(r##0) F(r##1) F(r##2) F(r##3) F(r##4) F(r##5) F(r##6) F(r##7)
#define ROWS(F)	  ROW(F, 1) ROW(F, 2) ROW(F, 3) ROW(F, 4) ROW(F, 5) ROW(F, 6) ROW(F, 7) ROW(F, 8)

ROWS(FUNCTION)

#define NAME(n) f##n,

sc_layer_function *sc_layer_function_at(unsigned number)
{
	static sc_layer_function *const functions[] = {ROWS(NAME)};

	_Static_assert(sizeof(functions) / sizeof(functions[0]) == SC_LAYER_FUNCTIONS, "all");
	return functions[number % SC_LAYER_FUNCTIONS];
}
