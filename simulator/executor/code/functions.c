/* The functions of a program: names and addresses. */
#include "simulator/executor/code/functions.h"

#include <stdlib.h>

#include "simulator/executor/window.h"

void exec_functions_fini(struct exec_functions *fs)
{
	for (size_t i = 0; i < fs->texts.count; i++) {
		sc_ptx_fini(fs->texts.items[i]);
		free(fs->texts.items[i]);
	}
	sc_vector_fini(&fs->texts);
	sc_vector_fini(&fs->addressed);
	sc_u64_map_fini(&fs->numbers);
}

static bool find_in(const struct sc_ptx *m, const char *name, bool is_kernel,
		    struct exec_function *found)
{
	uint32_t id;
	const struct sc_function *f =
		sc_ptx_find_name(m, name, &id) ? sc_ptx_function(m, id) : NULL;

	if (!f || f->is_kernel != is_kernel)
		return 0;
	*found = (struct exec_function){m, f};
	return 1;
}

bool exec_functions_find(const struct exec_functions *fs, const struct sc_ptx *first,
			 const char *name, bool is_kernel, struct exec_function *found)
{
	if (first && find_in(first, name, is_kernel, found))
		return 1;
	for (size_t i = 0; i < fs->texts.count; i++)
		if (find_in(fs->texts.items[i], name, is_kernel, found))
			return 1;
	return 0;
}

uint64_t exec_functions_address(struct exec_functions *fs, const struct sc_ptx *first,
				const char *name)
{
	struct exec_function f;
	uint64_t *number;

	if (!exec_functions_find(fs, first, name, 0, &f))
		return 0;
	number = sc_u64_map_get(&fs->numbers, (uintptr_t)f.function);
	if (!*number) {
		sc_vector_push(&fs->addressed, f);
		*number = fs->addressed.count;
	}
	return EXEC_WINDOW_CODE + *number * EXEC_CODE_BYTES;
}

uint32_t exec_functions_callee(const struct sc_function *f, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *first = &f->operands.items[in->first];

	return in->count && first->kind == SC_OPERAND_VECTOR ? 1 : 0;
}

static void scan_function(struct exec_functions *fs, const struct sc_ptx *m,
			  const struct sc_function *f)
{
	for (size_t i = 0; i < f->code.count; i++) {
		const struct sc_instruction *in = &f->code.items[i];
		uint32_t callee =
			in->opcode == SC_PTX_CALL ? exec_functions_callee(f, in) : in->count;

		for (uint32_t k = 0; k < in->count; k++) {
			const struct sc_ptx_operand *o = &f->operands.items[in->first + k];

			if (o->kind == SC_OPERAND_NAME && k != callee)
				exec_functions_address(fs, m, m->names.items[o->id]);
		}
	}
}

void exec_functions_scan(struct exec_functions *fs)
{
	for (; fs->scanned < fs->texts.count; fs->scanned++) {
		const struct sc_ptx *m = fs->texts.items[fs->scanned];

		for (size_t i = 0; i < m->functions.count; i++)
			scan_function(fs, m, &m->functions.items[i]);
		for (size_t i = 0; i < m->initials.count; i++)
			if (m->initials.items[i].target)
				exec_functions_address(
					fs, m, m->names.items[m->initials.items[i].target - 1]);
	}
}
