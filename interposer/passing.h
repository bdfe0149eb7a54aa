/* Programs whose runtime ends the process by a system call of its own, past the C library. */
#ifndef SC_INTERPOSER_PASSING_H
#define SC_INTERPOSER_PASSING_H

#include <stdbool.h>

/* True of a program that was linked by Go: it has a note that says so. */
bool sc_passing_is_go(void);

#endif
