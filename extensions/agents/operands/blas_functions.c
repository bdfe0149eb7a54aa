/* The wrappers of cuBLAS's functions (operand.def, BLAS). */
#include "extensions/agents/operands/blas.h"
#include "extensions/agents/operands/forms.h"
#include "extensions/agents/wrap.h"

/* h: the handle. */
#define NOTED_BLAS(name, parameters, arguments, ...)                           \
	SC_WRAP(name, parameters, arguments,                                   \
		sc_blas_note(enqueues, SC_LIBRARY_ROW_##name, (void *)real, h, \
			     &(struct sc_blas){__VA_ARGS__}))

#define BLAS(name, form, number, type, scalar) form(name, number, SC_TYPE_##type, SC_TYPE_##scalar)
#include "extensions/agents/operands/operand.def"

void *sc_blas_wrapper(enum sc_library_row row)
{
	static void *const wrappers[SC_LIBRARY_ROWS] = {
#define BLAS(name, form, number, type, scalar) [SC_LIBRARY_ROW_##name] = (void *)looked_up_##name,
#include "extensions/agents/operands/operand.def"
	};

	return wrappers[row];
}
