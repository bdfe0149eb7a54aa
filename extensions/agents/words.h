/* Parameters of functions whose arguments are whole registers: P3 declares three, A3 is the list of
 * their names. For the files that are wrappers and nothing else. */
#pragma once

#include <stdint.h>

#define W uint64_t

/* The parameters of a function with so many of them. */
#define P0  void
#define P1  W a
#define P2  P1, W b
#define P3  P2, W c
#define P4  P3, W d
#define P5  P4, W e
#define P6  P5, W f
#define P7  P6, W g
#define P8  P7, W h
#define P9  P8, W i
#define P10 P9, W j
#define P11 P10, W k
#define P12 P11, W l
#define P13 P12, W m

/* And as a list. */
#define A0  0
#define A1  a
#define A2  A1, b
#define A3  A2, c
#define A4  A3, d
#define A5  A4, e
#define A6  A5, f
#define A7  A6, g
#define A8  A7, h
#define A9  A8, i
#define A10 A9, j
#define A11 A10, k
#define A12 A11, l
#define A13 A12, m

/* Two: `call` gets by which row the real function is found, NULL if that was looked up. */
#define WORDS_WRAPPERS(name, result, count, call, row)                               \
	static result called_##name(P##count)                                        \
	{                                                                            \
		return call(row, row, (W[]){A##count}, __builtin_frame_address(0));  \
	}                                                                            \
	static result looked_up_##name(P##count)                                     \
	{                                                                            \
		return call(row, NULL, (W[]){A##count}, __builtin_frame_address(0)); \
	}

/* The wrapper of a row: `call` gets its words, and its frame. */
#define WORDS_WRAPPER(name, result, count, call, row)                          \
	static result name(P##count)                                           \
	{                                                                      \
		return call(row, (W[]){A##count}, __builtin_frame_address(0)); \
	}
