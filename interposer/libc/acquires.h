/* Calls that wait for what other threads write: those whose rows have ACQUIRES (system.def,
 * libc.def).
 *
 * These calls are noted before there is a session, too: the thread that sleeps in one may be woken
 * by the first host function.
 */
#pragma once

#include <stdint.h>
#include "interposer/libc/side_effect.h"
#include "interposer/core/real.h"

/* Of each function of libc.def: enum sc_after; 0 for all others. libc.S looks there. */
extern const uint8_t sc_acquires_libc[SC_REALS];

/* The same of a system call. */
enum sc_after sc_acquires_call(uint64_t number);
