/* The wrappers of cuRAND's functions (operand.def, RANDOM): all numbers that were asked for are
 * written. */
#include <errno.h>
#include <stddef.h>
#include "interposer/library/enqueues.h"
#include "extensions/agents/operands/random_forms.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/wrap.h"

static void note(const struct sc_enqueues *e, struct sc_library_function *function, const void *out,
		 size_t count, size_t element)
{
	struct sc_access access = {.base = (uint64_t)out, .rows = 1, .slices = 1};
	struct sc_documented documented = {.function = function, .accesses = &access, .count = 1};
	uint64_t end;
	int saved = errno;

	access.mode = SC_WRITE;
	access.known = SC_KNOWN_EXACT;
	if (!e->count || !count || __builtin_mul_overflow(count, element, &access.width) ||
	    __builtin_add_overflow(access.base, access.width, &end))
		return;
	sc_self.busy++;
	sc_enqueues_document(e, &documented);
	sc_self.busy--;
	errno = saved;
}

#define NOTED_RANDOM(name, parameters, arguments) \
	SC_WRAP(name, parameters, arguments,      \
		note(enqueues, &sc_operand_functions.name, out, count, sizeof(*out)))
#define RANDOM(name, form, type) form(name, type)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define RANDOM(name, form, type) SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_random_wrappers = SC_WRAPPERS("curand", sc_operand_table, wrappers);
