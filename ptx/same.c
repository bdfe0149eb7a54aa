/* Comparing two functions, instruction by instruction. */
#include "ptx/same.h"

#include <string.h>
#include "ptx/ptx.h"

struct side {
	const struct sc_ptx *module;
	const struct sc_function *function;
};

static const char *name_of(const struct side *s, uint32_t name)
{
	return name < s->module->names.count ? s->module->names.items[name] : "";
}

/* A name by its number among the module's, in both. */
static bool is_same_name(const struct side *a, uint32_t x, const struct side *b, uint32_t y)
{
	return !strcmp(name_of(a, x), name_of(b, y));
}

static bool is_same_symbol(const struct side *a, uint32_t x, const struct side *b, uint32_t y)
{
	const struct sc_ptx_symbol *s = &a->module->symbols.items[x];
	const struct sc_ptx_symbol *t = &b->module->symbols.items[y];

	return s->space == t->space && s->is_pointer == t->is_pointer &&
	       s->is_extern == t->is_extern && s->align == t->align && s->bytes == t->bytes &&
	       s->offset == t->offset && is_same_name(a, s->name, b, t->name);
}

static bool are_same_symbols(const struct side *a, uint32_t x, uint32_t count_a,
			     const struct side *b, uint32_t y, uint32_t count_b)
{
	for (uint32_t i = 0; count_a == count_b && i < count_a; i++)
		if (!is_same_symbol(a, x + i, b, y + i))
			return false;
	return count_a == count_b;
}

/* What a name stands for, a function above all, may be something else in the other module. */
static bool is_same_operand(const struct side *a, const struct sc_ptx_operand *x,
			    const struct side *b, const struct sc_ptx_operand *y)
{
	if (x->kind != y->kind || x->negated != y->negated || x->partial != y->partial ||
	    x->is_single != y->is_single || x->count != y->count || x->value != y->value)
		return false;
	if (x->kind == SC_OPERAND_NAME)
		return false;
	if (x->kind == SC_OPERAND_SYMBOL)
		return is_same_symbol(a, x->id, b, y->id);
	return x->id == y->id;
}

/* All but the lines. */
static bool is_same_instruction(const struct side *a, const struct sc_instruction *x,
				const struct side *b, const struct sc_instruction *y)
{
	return x->opcode == y->opcode && x->space == y->space && x->space2 == y->space2 &&
	       x->type == y->type && x->type2 == y->type2 && x->vector == y->vector &&
	       x->compare == y->compare && x->boolean == y->boolean &&
	       x->guard_negated == y->guard_negated && x->flags == y->flags && x->rows == y->rows &&
	       x->columns == y->columns && x->depth == y->depth && x->guard == y->guard &&
	       x->used == y->used && x->first == y->first && x->count == y->count &&
	       is_same_name(a, x->name, b, y->name);
}

static bool is_same_code(const struct side *a, const struct side *b)
{
	const struct sc_function *f = a->function, *g = b->function;

	if (f->code.count != g->code.count || f->operands.count != g->operands.count)
		return false;
	for (size_t i = 0; i < f->code.count; i++)
		if (!is_same_instruction(a, &f->code.items[i], b, &g->code.items[i]))
			return false;
	for (size_t i = 0; i < f->operands.count; i++)
		if (!is_same_operand(a, &f->operands.items[i], b, &g->operands.items[i]))
			return false;
	return true;
}

#define ARE_SAME(x, y)             \
	((x).count == (y).count && \
	 (!(x).count || !memcmp((x).items, (y).items, (x).count * sizeof(*(x).items))))

bool sc_ptx_is_same(const struct sc_ptx *m, const struct sc_function *f, const struct sc_ptx *n,
		    const struct sc_function *g)
{
	const struct side a = {m, f}, b = {n, g};

	return f->is_kernel == g->is_kernel && f->has_body == g->has_body &&
	       f->no_return == g->no_return && f->is_odd == g->is_odd &&
	       f->clusters == g->clusters && f->odd_params == g->odd_params &&
	       are_same_symbols(&a, f->param_first, f->param_count, &b, g->param_first,
				g->param_count) &&
	       are_same_symbols(&a, f->return_first, f->return_count, &b, g->return_first,
				g->return_count) &&
	       ARE_SAME(f->labels, g->labels) && ARE_SAME(f->registers, g->registers) &&
	       ARE_SAME(f->targets, g->targets) && is_same_code(&a, &b);
}
