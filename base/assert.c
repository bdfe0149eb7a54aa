/* Assertions of the command, the simulator and the tests: a false one ends the process. */
#include "base/assert.h"

#include <stdlib.h>
#include "base/message.h"

void sc_assert_failed(const char *condition, const char *file, int line)
{
	sc_warn("internal error at %s:%d: `%s` is false; please report it", file, line, condition);
	abort();
}
