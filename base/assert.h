/* Assertions: what our own code makes true, whatever the program or a file does. Never a check of
 * input.
 *
 * Checked in builds with tests and in debug builds (SC_CHECKED), where a false one ends the process
 * by SIGABRT. The recorder's are always checked. Inside a traced program a false one is counted
 * (gap `internal`), and recording goes on: the report and the exit code say so
 * (interposer/core/assert.c).
 */
#pragma once

#ifdef SC_CHECKED
#define sc_assert(condition)                                                                  \
	(__builtin_expect(!(condition), 0) ? sc_assert_failed(#condition, __FILE__, __LINE__) \
					   : (void)0)
#else
#define sc_assert(condition) ((void)sizeof(!(condition)))
#endif

/* The recorder has a function of its own of this name. */
void sc_assert_failed(const char *condition, const char *file, int line) __attribute__((cold));
