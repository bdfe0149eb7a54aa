/* Messages of the tool to its user: one sentence that says what, where and what to do.
 *
 * Everything goes to stderr, each message in one write, prefixed with "streamcheck: ". For the tool
 * only; the preload library never prints from here.
 */
#pragma once

#include <stdarg.h>

#define SC_EXIT_USAGE 2 /* wrong usage, unusable input, out of memory */

/* Says something and goes on. */
void sc_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says why the tool cannot go on and ends it with SC_EXIT_USAGE. */
_Noreturn void sc_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
