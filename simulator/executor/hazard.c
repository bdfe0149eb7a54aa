/* Hazards: those of the same places in the code are one. */
#include "simulator/executor/hazard.h"

#include "simulator/executor/code/kernel.h"

const char *exec_file_name(const struct sc_ptx *m, uint32_t number)
{
	for (size_t i = 0; number && i < m->files.count; i++)
		if (m->files.items[i].number == number)
			return m->names.items[m->files.items[i].name];
	return NULL;
}

/* The PTX in whose function the instruction stands; NULL: none that the kernel knows. */
static const struct sc_ptx *ptx_of(const struct exec_kernel *k, const struct sc_instruction *at)
{
	const struct exec_kernel *one = k;

	for (size_t i = 0; i <= k->function_count; i++) {
		const struct sc_function *f = one->function;

		if (at >= f->code.items && at < f->code.items + f->code.count)
			return one->ptx;
		if (i < k->function_count)
			one = k->functions[i];
	}
	return NULL;
}

void exec_hazard_set_place(struct exec_hazard_side *s, const struct exec_kernel *k,
			   const struct sc_instruction *at)
{
	const struct sc_ptx *m = at ? ptx_of(k, at) : NULL;

	if (at)
		s->ptx_line = at->line;
	if (m) {
		s->file = exec_file_name(m, at->source_file);
		s->line = at->source_line;
	}
}

static bool is_same_side(const struct exec_hazard_side *a, const struct exec_hazard_side *b)
{
	if (a->is_write != b->is_write || a->is_copy != b->is_copy || a->is_end != b->is_end)
		return 0;
	return a->line && b->line ? a->file == b->file && a->line == b->line
				  : a->ptx_line == b->ptx_line;
}

static struct exec_hazard *find(struct exec_hazards *all, const struct exec_hazard *h)
{
	const struct exec_hazard_side *first = &h->side[0], *second = &h->side[1];

	for (uint32_t i = 0; i < all->count; i++) {
		struct exec_hazard_side *s = all->items[i].side;

		if (!all->items[i].address != !h->address)
			continue;
		if ((is_same_side(&s[0], first) && is_same_side(&s[1], second)) ||
		    (is_same_side(&s[0], second) && is_same_side(&s[1], first)))
			return &all->items[i];
	}
	return NULL;
}

static bool is_before(const uint32_t *block, const uint32_t *other)
{
	for (unsigned d = 3; d-- > 0;)
		if (block[d] != other[d])
			return block[d] < other[d];
	return 0;
}

static struct exec_hazard_pair *place_of(struct exec_hazards *all,
					 const struct exec_hazard_pair *pair)
{
	uint64_t hash = (pair->at[0] * 3 + pair->at[1]) * UINT64_C(0x9e3779b97f4a7c15);

	return &all->pairs[(hash >> 32) % EXEC_HAZARD_PAIRS];
}

bool exec_hazards_again(struct exec_hazards *all, const struct exec_hazard_pair *pair,
			const uint32_t *block, uint64_t count)
{
	const struct exec_hazard_pair *known = place_of(all, pair);
	struct exec_hazard *h;

	if (!known->item || known->at[0] != pair->at[0] || known->at[1] != pair->at[1] ||
	    known->ways != pair->ways)
		return 0;
	h = &all->items[known->item - 1];
	if (is_before(block, h->side[1].block))
		return 0;
	h->count += count;
	return 1;
}

void exec_hazards_add(struct exec_hazards *to, const struct exec_hazard *h,
		      const struct exec_hazard_pair *pair)
{
	struct exec_hazard *same = find(to, h);
	uint64_t count = h->count + (same ? same->count : 0);
	struct exec_hazard_pair *known;

	if (!same && to->count == EXEC_HAZARDS_MOST)
		return;
	if (!same)
		same = &to->items[to->count++];
	else if (!is_before(h->side[1].block, same->side[1].block))
		h = same;
	*same = *h;
	same->count = count;
	if (!pair)
		return;
	known = place_of(to, pair);
	*known = *pair;
	known->item = (uint32_t)(same - to->items) + 1;
}

void exec_hazards_join(struct exec_hazards *to, const struct exec_hazards *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		exec_hazards_add(to, &from->items[i], NULL);
}
