/* Assertions inside the traced program: a false one is counted, and said where the user asked for
 * messages. Safe in a signal handler. */
#include "base/assert.h"

#include "interposer/core/message.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"

void sc_assert_failed(const char *condition, const char *file, int line)
{
	sc_put_gap(SC_GAP_internal, 1);
	if (sc_session.options.verbose)
		sc_message("internal error at %s:%d: `%s` is false; please report it", file, line,
			   condition);
}
