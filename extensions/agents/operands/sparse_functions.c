/* The wrappers of cuSPARSE's functions (operand.def, SPARSE and ROOM). */
#include <stddef.h>
#include "extensions/agents/operands/conversion_forms.h"
#include "extensions/agents/operands/descriptors.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/wrap.h"

/* h: the handle. */
#define NOTE(name, ...)                                                       \
	sc_sparse_note(enqueues, &sc_operand_functions.name, (void *)real, h, \
		       &(struct sc_sparse_call){__VA_ARGS__})
#define NOTED_SPARSE(name, parameters, arguments, ...) \
	SC_WRAP(name, parameters, arguments, NOTE(name, __VA_ARGS__))
#define PREPARING_SPARSE(name, parameters, arguments, ...)    \
	SC_WRAP_AROUND(name, parameters, sc_sparse_prepare(); \
		       SC_WRAP_CALL(arguments, NOTE(name, __VA_ARGS__)))
#define NOTED_ROOM(name, parameters, arguments, of, owner) \
	SC_WRAP_ALWAYS(name, parameters, arguments, (void)0, sc_sparse_room_note(of, owner, *room))

#define SPARSE(name, form) form(name)
#define ROOM(name, form)   form(name)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define SPARSE(name, form) SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define ROOM(name, form)   SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_sparse_wrappers = SC_WRAPPERS("cusparse", sc_operand_table, wrappers);
