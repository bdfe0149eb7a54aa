/* The wrappers of cuFFT's functions (operand.def, PLAN and TRANSFORM). */
#include <stddef.h>
#include "extensions/agents/operands/plan_forms.h"
#include "extensions/agents/operands/plans.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/wrap.h"

#define NOTED_PLAN(name, parameters, arguments, ...) \
	SC_WRAP_ALWAYS(name, parameters, arguments, (void)0, __VA_ARGS__)
#define NOTED_TRANSFORM(name, parameters, arguments) \
	SC_WRAP(name, parameters, arguments,         \
		sc_plans_note(enqueues, &sc_operand_functions.name, plan, in, out))

#define PLAN(name, form)      form(name)
#define TRANSFORM(name, form) form(name)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define PLAN(name, form)      SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define TRANSFORM(name, form) SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_transform_wrappers = SC_WRAPPERS("cufft", sc_operand_table, wrappers);
