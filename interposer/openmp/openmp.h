/* What the wrappers of GNU's OpenMP runtime share (openmp.def). */
#ifndef SC_INTERPOSER_OPENMP_OPENMP_H
#define SC_INTERPOSER_OPENMP_OPENMP_H

#include "interposer/library/library.h"

#define SC_OPENMP_EXPORT __attribute__((visibility("default")))

typedef void sc_openmp_fn(void *data);
typedef void sc_openmp_copy_fn(void *to, void *from);

/* The real function of a row, for the caller of its wrapper. NULL: there is none, and the program
 * had a weak reference. */
#define SC_OPENMP_REAL(name) \
	((typeof(&(name)))sc_library_find(SC_LIBRARY_ROW_##name, __builtin_return_address(0)))

#endif
