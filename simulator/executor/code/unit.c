/* Units: collecting the functions of a kernel, and placing their shared variables. */
#include "simulator/executor/code/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/executor/builtin.h"

#define SHARED_MOST (256U << 10)

static void add_callee(struct exec_unit *u, const struct exec_function *f)
{
	uint64_t *number = sc_u64_map_get(&u->numbers, (uintptr_t)f->function);
	struct exec_kernel *k;

	if (*number)
		return;
	k = calloc(1, sizeof(*k));
	if (!k) {
		strcpy(u->problem, "it needs more memory than there is");
		return;
	}
	k->ptx = f->ptx;
	k->function = f->function;
	k->kernel = u->kernel;
	sc_vector_push(&u->callees, k);
	*number = u->callees.count;
}

const struct exec_kernel *exec_unit_callee(const struct exec_unit *u, const struct sc_ptx *text,
					   const char *name)
{
	struct exec_function f;
	const uint64_t *number;

	if (!exec_functions_find(u->functions, text, name, 0, &f))
		return NULL;
	number = sc_u64_map_find(&u->numbers, (uintptr_t)f.function);
	return number ? u->callees.items[*number - 1] : NULL;
}

static void add_all_addressed(struct exec_unit *u)
{
	if (u->calls_by_address)
		return;
	u->calls_by_address = 1;
	exec_functions_scan(u->functions);
	for (size_t i = 0; i < u->functions->addressed.count; i++)
		add_callee(u, &u->functions->addressed.items[i]);
}

static void collect_call(struct exec_unit *u, const struct exec_kernel *caller,
			 const struct sc_instruction *in)
{
	uint32_t callee = exec_functions_callee(caller->function, in);
	const struct sc_ptx_operand *o = &caller->function->operands.items[in->first + callee];
	struct exec_function f;
	const char *name;

	if (callee >= in->count || o->kind != SC_OPERAND_NAME) {
		add_all_addressed(u);
		return;
	}
	name = caller->ptx->names.items[o->id];
	if (exec_functions_find(u->functions, caller->ptx, name, 0, &f))
		add_callee(u, &f);
	else if (!exec_builtin_find(name) && !u->problem[0])
		snprintf(u->problem, sizeof(u->problem), "it calls %.160s, which has no PTX", name);
}

static void collect(struct exec_unit *u, const struct exec_kernel *caller)
{
	for (size_t i = 0; i < caller->function->code.count; i++)
		if (caller->function->code.items[i].opcode == SC_PTX_CALL)
			collect_call(u, caller, &caller->function->code.items[i]);
}

/* ---- shared memory ---- */

static bool place(struct exec_unit *u, const struct sc_ptx_symbol *s)
{
	uint64_t *place = sc_u64_map_get(&u->shared, (uintptr_t)s);
	uint64_t align = s->align > 1 && s->align <= 4096 ? s->align : 1;
	uint64_t at = (u->kernel->shared_bytes + align - 1) / align * align;

	if (*place)
		return 1;
	*place = at + 1;
	if (s->bytes > SHARED_MOST || at + s->bytes > SHARED_MOST)
		return 0;
	u->kernel->shared_bytes = (uint32_t)(at + s->bytes);
	return 1;
}

/* The shared variables that a function names: those with a size, or those without. */
static void place_shared(struct exec_unit *u, const struct exec_kernel *k, bool dynamic)
{
	const struct sc_function *f = k->function;

	for (size_t i = 0; i < f->operands.count; i++) {
		const struct sc_ptx_operand *o = &f->operands.items[i];
		const struct sc_ptx_symbol *s;

		if (o->kind != SC_OPERAND_SYMBOL)
			continue;
		s = &k->ptx->symbols.items[o->id];
		if (s->space == SC_SPACE_SHARED && (s->bytes == 0) == dynamic && !place(u, s))
			strcpy(u->problem, "its variables are too large");
	}
}

/* Variables first, then the ones without an end, which are all the dynamic memory. */
void exec_unit_place_shared(struct exec_unit *u)
{
	for (unsigned dynamic = 0; dynamic < 2; dynamic++) {
		place_shared(u, u->kernel, dynamic);
		for (size_t i = 0; i < u->callees.count; i++)
			place_shared(u, u->callees.items[i], dynamic);
	}
}

void exec_unit_collect(struct exec_unit *u)
{
	collect(u, u->kernel);
	for (size_t i = 0; i < u->callees.count; i++)
		collect(u, u->callees.items[i]);
}
