/* The wrappers of cuBLAS's functions (operand.def, BLAS). */
#include "extensions/agents/operands/blas.h"
#include "extensions/agents/operands/forms.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/wrap.h"

/* h: the handle. */
#define NOTED_BLAS(name, parameters, arguments, ...)                                \
	SC_WRAP(name, parameters, arguments,                                        \
		sc_blas_note(enqueues, &sc_operand_functions.name, (void *)real, h, \
			     &(struct sc_blas){__VA_ARGS__}))

#define BLAS(name, form, number, type, scalar) form(name, number, SC_TYPE_##type, SC_TYPE_##scalar)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define BLAS(name, form, number, type, scalar) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_blas_wrappers = SC_WRAPPERS("cublas", sc_operand_table, wrappers);
