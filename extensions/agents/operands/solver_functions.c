/* The wrappers of cuSOLVER's functions (operand.def, SOLVER). */
#include <errno.h>
#include <stdio.h>
#include "extensions/agents/operands/solver.h"
#include "extensions/agents/operands/spectrum_forms.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/wrap.h"

#define NAME_BYTES 64

/* How much scratch memory an LU factorization uses, in bytes: the library answers for the same
 * matrix; -1 if it does not. */
static int64_t ask_room(struct sc_library_function *function, void *real, void *h,
			const struct sc_solver *c)
{
	char name[NAME_BYTES];
	const char *names[SC_BESIDE] = {name};
	const struct sc_beside *beside;
	int (*ask)(void *h, int m, int n, const void *a, int lda, int *room);
	int room = -1;

	snprintf(name, sizeof(name), "%s_bufferSize", sc_function_name(function));
	beside = sc_function_beside(function, real, names);
	ask = beside ? (int (*)(void *, int, int, const void *, int, int *))beside->function[0]
		     : NULL;
	if (!ask || ask(h, (int)c->m, (int)c->n, c->a.at, (int)c->a.ld, &room) || room < 0)
		return -1;
	return (int64_t)room * sc_operand_element(c->a.type);
}

static void note(const struct sc_enqueues *e, struct sc_library_function *function, void *real,
		 void *h, struct sc_solver *call)
{
	struct sc_operand_list list;
	int saved = errno;

	if (!e->count)
		return;
	sc_self.busy++;
	if (call->form == SC_SOLVER_LU && call->scratch.bytes < 0)
		call->scratch.bytes = ask_room(function, real, h, call);
	sc_solver_describe(call, &list);
	sc_operand_list_note(e, function, &list);
	sc_self.busy--;
	errno = saved;
}

#define NOTED_SOLVER(name, parameters, arguments, ...)                      \
	SC_WRAP(name, parameters, arguments,                                \
		note(enqueues, &sc_operand_functions.name, (void *)real, h, \
		     &(struct sc_solver){__VA_ARGS__}))
#define SOLVER(name, form, type, its_real) form(name, SC_TYPE_##type, SC_TYPE_##its_real)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define SOLVER(name, form, type, its_real) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_solver_wrappers = SC_WRAPPERS("cusolver", sc_operand_table, wrappers);
