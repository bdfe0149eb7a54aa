/* Whether Valgrind runs the process, by its client request mechanism (Valgrind manual,
 * section 3.1).
 *
 * Valgrind knows no process that shares memory with its parent, reads all that is mapped when it
 * looks for leaks, and takes the protection of the page guard for errors of the program; nor can it
 * step over one instruction. Costs some instructions that change nothing where it is not there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/arch/processor.h"

#define SC_VALGRIND_MOST ((uint64_t)1 << 27) /* bytes of a mapping that it may read as a whole */

static inline bool sc_valgrind_runs(void)
{
	const volatile uint64_t is_running[6] = {0x1001};

	return sc_valgrind_ask(is_running) != 0;
}
