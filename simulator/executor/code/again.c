/* Again: accesses by an address of which an access before them has found the shape. */
#include "simulator/executor/code/again.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/flow.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/path.h"

/* The addresses whose shapes accesses before have found. */
struct found {
	exec_slot slot[EXEC_KNOWN];
	bool is_there[EXEC_KNOWN];
	unsigned next; /* that gets another address; goes on from block to block */
};

static const struct sc_instruction *source_of(const struct exec_decoder *d,
					      const struct exec_instruction *in)
{
	return in->source < d->f->code.count ? &d->f->code.items[in->source] : NULL;
}

/* Its handler is one of those that look for shapes (op_access.c). */
static bool is_access(const struct exec_decoder *d, const struct exec_instruction *in)
{
	const struct sc_instruction *source = source_of(d, in);

	if (!source || in->run == exec_path_join || in->used || exec_is_parameter(in))
		return 0;
	if (source->opcode == SC_PTX_ST)
		return strncmp(d->m->names.items[source->name], "st.async", 8) != 0;
	return source->opcode == SC_PTX_LD || source->opcode == SC_PTX_LDU;
}

/* Lanes may come together there, or its registers are in a list, or in another frame. */
static bool is_end(const struct exec_decoder *d, const struct exec_instruction *in, bool is_target)
{
	const struct sc_instruction *source = source_of(d, in);

	if (is_target || !source || in->run == exec_path_join)
		return 1;
	if (source->opcode == SC_PTX_BRA || source->opcode == SC_PTX_BRX)
		return 0;
	return in->list != NULL;
}

/* Forgets addresses that an instruction may write. */
static void forget(struct found *f, const struct exec_instruction *in, bool is_access)
{
	for (unsigned i = 0; i < EXEC_KNOWN; i++)
		for (unsigned k = 0; k < EXEC_SLOTS; k++)
			if (f->slot[i] == in->slot[k] && !(is_access && k == 1))
				f->is_there[i] = 0;
}

/* Words by which threads may notify each other are looked at each time (race.h). */
static void mark(struct found *f, struct exec_instruction *in)
{
	for (uint8_t i = 0; i < EXEC_KNOWN; i++)
		if (f->is_there[i] && f->slot[i] == in->slot[1] &&
		    !(in->order & (EXEC_ORDER_POLLS | EXEC_ORDER_UNCACHED))) {
			in->known = i;
			in->again = 1;
			return;
		}
	in->known = (uint8_t)(f->next++ % EXEC_KNOWN);
	f->is_there[in->known] = 0;
	if (in->guard != EXEC_SLOT_TRUE || in->guard_flip)
		return;
	f->slot[in->known] = in->slot[1];
	f->is_there[in->known] = 1;
}

static void mark_targets(const struct exec_decoder *d, bool *is_target)
{
	for (size_t i = 0; i < d->f->code.count; i++) {
		const struct sc_instruction *in = &d->f->code.items[i];

		if (in->opcode != SC_PTX_BRA && in->opcode != SC_PTX_BRX)
			continue;
		for (uint32_t k = 0; k < exec_flow_target_count(d->f, in); k++)
			is_target[d->at[exec_flow_target(d->f, in, k)]] = 1;
	}
}

void exec_again_mark(const struct exec_decoder *d)
{
	bool *is_target = calloc(d->k->code_count, sizeof(*is_target));
	struct found found = {0};

	if (!is_target)
		return;
	mark_targets(d, is_target);
	for (size_t i = 0; i < d->k->code_count; i++) {
		struct exec_instruction *in = &d->k->code[i];
		bool access = is_access(d, in);

		if (is_end(d, in, is_target[i]))
			found = (struct found){.next = found.next};
		if (access)
			mark(&found, in);
		forget(&found, in, access);
	}
	free(is_target);
}
