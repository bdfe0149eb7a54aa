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

/* Functions of the device's runtime for dynamic parallelism, and what these call. */
static bool launches(const char *name)
{
	static const char *const starts[] = {"cudaGetParameterBuffer", "cudaLaunchDevice",
					     "__cuda_syscall_cnp"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return 1;
	return 0;
}

static void set_problem(struct exec_unit *u, const char *name)
{
	if (launches(name))
		snprintf(u->problem, sizeof(u->problem),
			 "it launches kernels itself, by dynamic parallelism");
	else
		snprintf(u->problem, sizeof(u->problem), "it calls %.160s, which has no PTX", name);
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
		set_problem(u, name);
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

static bool is_shared(const struct sc_ptx_symbol *s, bool dynamic)
{
	return s->space == SC_SPACE_SHARED && (s->bytes == 0) == dynamic;
}

static void place_or_fail(struct exec_unit *u, const struct sc_ptx_symbol *s)
{
	if (!place(u, s))
		strcpy(u->problem, "its variables are too large");
}

/* All variables that a body declares. */
static void place_own(struct exec_unit *u, const struct exec_kernel *k)
{
	for (uint32_t i = 0; i < k->function->local_count; i++) {
		const struct sc_ptx_symbol *s =
			&k->ptx->symbols.items[k->function->local_first + i];

		if (is_shared(s, 0))
			place_or_fail(u, s);
	}
}

/* Variables of the module that a function names: those with a size, or those without. */
static void place_named(struct exec_unit *u, const struct exec_kernel *k, bool dynamic)
{
	const struct sc_function *f = k->function;

	for (size_t i = 0; i < f->operands.count; i++) {
		const struct sc_ptx_operand *o = &f->operands.items[i];

		if (o->kind == SC_OPERAND_SYMBOL && (dynamic || o->id < k->ptx->symbol_count) &&
		    is_shared(&k->ptx->symbols.items[o->id], dynamic))
			place_or_fail(u, &k->ptx->symbols.items[o->id]);
	}
}

static void place_all_named(struct exec_unit *u, bool dynamic)
{
	place_named(u, u->kernel, dynamic);
	for (size_t i = 0; i < u->callees.count; i++)
		place_named(u, u->callees.items[i], dynamic);
}

/* Dynamic memory begins where the variable of it with the largest alignment may. */
static void align_end(struct exec_unit *u)
{
	uint64_t align = 1, bytes;

	for (size_t i = 0; i < u->kernel->ptx->symbol_count; i++) {
		const struct sc_ptx_symbol *s = &u->kernel->ptx->symbols.items[i];

		if (is_shared(s, 1) && s->align > align && s->align <= 4096)
			align = s->align;
	}
	bytes = (u->kernel->shared_bytes + align - 1) / align * align;
	u->kernel->shared_bytes = (uint32_t)bytes;
}

/* As ptxas does: the kernel's, the module's, its functions'; then the variables without an end,
 * which are all the dynamic memory. */
void exec_unit_place_shared(struct exec_unit *u)
{
	place_own(u, u->kernel);
	place_all_named(u, 0);
	for (size_t i = 0; i < u->callees.count; i++)
		place_own(u, u->callees.items[i]);
	align_end(u);
	place_all_named(u, 1);
}

void exec_unit_collect(struct exec_unit *u)
{
	collect(u, u->kernel);
	for (size_t i = 0; i < u->callees.count; i++)
		collect(u, u->callees.items[i]);
}
