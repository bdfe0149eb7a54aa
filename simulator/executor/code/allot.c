/* Allotting: places for registers, by when they hold values that are still read.
 *
 * A register holds a value at most from the first instruction that names it to the last one, in the
 * order of the text, and in all of each loop that touches this span: control leaves a span and
 * comes back to it only by a branch backwards, whose target and source are the ends of a loop.
 * Loops that overlap count as one. Within a basic block that begins with a write of the register,
 * and has all that names it, loops do not matter. One that is read first has its place from the
 * beginning, where it is zero.
 *
 * What an instruction writes never shares a place with what it reads or writes besides, since
 * handlers write a result before they have read all. Lanes of other paths do not matter: they have
 * their own parts of each place, and each lane follows one way through the text.
 *
 * A place that some way from the beginning reads before it writes it begins with zeros: it is
 * exposed. The others keep what they had, so that a block costs less to start. Exposed places are
 * the first of their class.
 */
#include "simulator/executor/code/allot.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/flow.h"

#define NONE	  UINT32_MAX
#define CLASSES	  EXEC_CLASSES
#define NO_MEMORY "it needs more memory than there is"

/* By width: 8, 4 and 2 bytes a lane, a bit a lane. */
static const uint32_t class_bytes[CLASSES] = {8 * EXEC_LANES, 4 * EXEC_LANES, 2 * EXEC_LANES,
					      EXEC_LANES / 8};

static unsigned class_of(unsigned width)
{
	return width == 8 ? 0 : width == 4 ? 1 : width == 2 ? 2 : 3;
}

struct span {
	uint32_t first, last; /* instructions */
	uint32_t next_first;  /* the next register with the same first, */
	uint32_t next_last;   /* and last one; NONE: no more */
	uint32_t place;	      /* number in its class */
	bool is_named;
	bool is_read_first;
};

struct instruction {
	uint32_t block;
	uint32_t loop_first, loop_last; /* of the loop that it is in; else itself */
	uint32_t begins, ends;		/* the first register that does here; NONE: none */
};

struct allotment {
	const struct sc_function *f;
	struct span *spans;		  /* owned; of each register */
	struct instruction *instructions; /* owned; of each instruction, and the end */
	uint32_t register_count, count;
	uint32_t places[CLASSES];
	uint32_t bases[CLASSES]; /* the first place, counted in all classes */
	uint32_t exposed_count[CLASSES];
	bool *exposed;	   /* owned; of each place */
	uint32_t *numbers; /* owned; of each place: its new one in its class */
	SC_VECTOR(uint32_t) spare[CLASSES];
};

/* ---- loops and basic blocks ---- */

/* Marks where blocks begin, and as `loop_last` of an instruction the last branch back to it. */
static void mark_targets(struct allotment *a, uint32_t at)
{
	const struct sc_instruction *in = &a->f->code.items[at];
	uint32_t count = exec_flow_target_count(a->f, in);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t target = exec_flow_target(a->f, in, i);

		if (target > a->count)
			continue;
		a->instructions[target].block = 1;
		if (target <= at && at > a->instructions[target].loop_last)
			a->instructions[target].loop_last = at;
	}
	if (count)
		a->instructions[at + 1].block = 1;
}

static void join_loops(struct allotment *a)
{
	struct instruction *items = a->instructions;

	for (uint32_t i = 0, last; i < a->count; i = last + 1) {
		last = items[i].loop_last;
		for (uint32_t k = i; k <= last; k++)
			last = items[k].loop_last > last ? items[k].loop_last : last;
		for (uint32_t k = i; k <= last; k++) {
			items[k].loop_first = i;
			items[k].loop_last = last;
		}
	}
}

static void find_blocks(struct allotment *a)
{
	uint32_t block = 0;

	for (uint32_t i = 0; i <= a->count; i++)
		a->instructions[i] = (struct instruction){0, i, i, NONE, NONE};
	for (uint32_t i = 0; i < a->count; i++)
		mark_targets(a, i);
	for (uint32_t i = 0; i <= a->count; i++)
		a->instructions[i].block = block += a->instructions[i].block;
	join_loops(a);
}

/* ---- spans ---- */

static void name(struct allotment *a, const struct exec_reference *r)
{
	struct span *s = &a->spans[r->index];
	bool is_write = r->is_write && !a->f->code.items[r->at].guard;

	if (!s->is_named)
		*s = (struct span){.first = r->at, .is_named = 1};
	s->last = r->at;
	s->is_read_first |= r->at == s->first && !is_write;
}

static void extend(const struct allotment *a, struct span *s)
{
	const struct instruction *first = &a->instructions[s->first];
	const struct instruction *last = &a->instructions[s->last];

	if (!s->is_named) { /* what calls set in a new frame */
		s->last = a->count;
		return;
	}
	if (s->is_read_first)
		s->first = 0;
	else if (first->block != last->block)
		s->first = first->loop_first;
	if (s->is_read_first || first->block != last->block)
		s->last = last->loop_last;
}

static void find_spans(struct allotment *a, const struct exec_decoder *d)
{
	for (size_t i = 0; i < d->references.count; i++)
		name(a, &d->references.items[i]);
	for (uint32_t i = a->register_count; i-- > 0;) {
		struct span *s = &a->spans[i];

		extend(a, s);
		s->next_first = a->instructions[s->first].begins;
		a->instructions[s->first].begins = i;
		s->next_last = a->instructions[s->last].ends;
		a->instructions[s->last].ends = i;
	}
}

/* ---- places ---- */

static void find_places(struct allotment *a, const struct exec_decoder *d)
{
	for (uint32_t i = 0; i <= a->count; i++) {
		for (uint32_t r = a->instructions[i].begins; r != NONE;
		     r = a->spans[r].next_first) {
			unsigned class = class_of(d->widths.items[r]);

			a->spans[r].place = a->spare[class].count
						    ? a->spare[class].items[--a->spare[class].count]
						    : a->places[class]++;
		}
		for (uint32_t r = a->instructions[i].ends; r != NONE; r = a->spans[r].next_last)
			sc_vector_push(&a->spare[class_of(d->widths.items[r])], a->spans[r].place);
	}
}

/* ---- exposed places ---- */

/* For each basic block, the places that every way to its begin has written. */
struct written {
	uint64_t *blocks; /* owned */
	size_t words;	  /* of a block */
	uint64_t *now;	  /* owned; at the instruction that is looked at */
	bool changed;
};

static uint32_t place_of(const struct allotment *a, const struct exec_decoder *d, uint32_t r)
{
	return a->bases[class_of(d->widths.items[r])] + a->spans[r].place;
}

static void arrive(struct written *w, uint32_t block)
{
	uint64_t *there = w->blocks + block * w->words;

	for (size_t i = 0; i < w->words; i++) {
		w->changed |= (there[i] & ~w->now[i]) != 0;
		there[i] &= w->now[i];
	}
}

/* What the references from `from` on, those of one instruction, read and write. Results of wgmma
 * are sums that it reads, too. Returns the next reference. */
static size_t use(struct allotment *a, const struct exec_decoder *d, struct written *w, size_t from)
{
	const struct exec_reference *items = d->references.items;
	const struct sc_instruction *in = &a->f->code.items[items[from].at];
	size_t end = from;

	for (; end < d->references.count && items[end].at == items[from].at; end++) {
		uint32_t place = place_of(a, d, items[end].index);

		if ((!items[end].is_write || in->opcode == SC_PTX_WGMMA) &&
		    !(w->now[place / 64] >> place % 64 & 1))
			a->exposed[place] = 1;
	}
	for (; from < end; from++) {
		uint32_t place = place_of(a, d, items[from].index);

		if (items[from].is_write && !in->guard)
			w->now[place / 64] |= UINT64_C(1) << place % 64;
	}
	return end;
}

/* Follows the text once. Every instruction counts as one after which the next may come. */
static void follow(struct allotment *a, const struct exec_decoder *d, struct written *w)
{
	size_t next = 0;

	for (uint32_t i = 0; i < a->count; i++) {
		const struct sc_instruction *in = &a->f->code.items[i];
		uint32_t count = exec_flow_target_count(a->f, in), block = a->instructions[i].block;

		if (!i || a->instructions[i - 1].block != block)
			memcpy(w->now, w->blocks + block * w->words, w->words * sizeof(*w->now));
		if (next < d->references.count && d->references.items[next].at == i)
			next = use(a, d, w, next);
		for (uint32_t k = 0; k < count; k++)
			if (exec_flow_target(a->f, in, k) <= a->count)
				arrive(w, a->instructions[exec_flow_target(a->f, in, k)].block);
		if (a->instructions[i + 1].block != block)
			arrive(w, a->instructions[i + 1].block);
	}
}

/* False: there is no memory. */
static bool find_exposed(struct allotment *a, const struct exec_decoder *d)
{
	size_t blocks = (size_t)a->instructions[a->count].block + 1, all = 0;
	struct written w = {.changed = 1};
	bool has_memory;

	for (unsigned class = 0; class < CLASSES; all += a->places[class ++])
		a->bases[class] = (uint32_t)all;
	w.words = all / 64 + 1;
	a->exposed = calloc(all + 1, sizeof(*a->exposed));
	a->numbers = calloc(all + 1, sizeof(*a->numbers));
	w.blocks = malloc(blocks * w.words * sizeof(*w.blocks));
	w.now = calloc(w.words, sizeof(*w.now));
	has_memory = a->exposed && a->numbers && w.blocks && w.now;
	if (has_memory) {
		memset(w.blocks, 0xFF, blocks * w.words * sizeof(*w.blocks));
		memset(w.blocks + a->instructions[0].block * w.words, 0,
		       w.words * sizeof(*w.blocks));
		while (w.changed) {
			w.changed = 0;
			follow(a, d, &w);
		}
	}
	free(w.blocks);
	free(w.now);
	return has_memory;
}

/* Those that are exposed first. */
static void number_places(struct allotment *a)
{
	for (unsigned class = 0; class < CLASSES; class ++) {
		uint32_t next = 0;

		for (unsigned exposed = 2; exposed-- > 0;) {
			for (uint32_t i = 0; i < a->places[class]; i++)
				if (a->exposed[a->bases[class] + i] == exposed)
					a->numbers[a->bases[class] + i] = next++;
			if (exposed)
				a->exposed_count[class] = next;
		}
	}
}

static bool is_register(exec_slot slot)
{
	return (slot & 3) == EXEC_BANK_REGISTERS && slot >= EXEC_FIRST_REGISTER;
}

/* From the register's number to its place. */
static void set_slot(const struct allotment *a, const struct exec_decoder *d,
		     const uint32_t bases[CLASSES], exec_slot *slot)
{
	uint32_t r = (*slot - EXEC_FIRST_REGISTER) / EXEC_REGISTER_STEP;
	unsigned class;

	if (!is_register(*slot))
		return;
	class = class_of(d->widths.items[r]);
	*slot = (bases[class] + a->numbers[place_of(a, d, r)] * class_bytes[class]) |
		EXEC_BANK_REGISTERS;
}

static void set_slots(const struct allotment *a, struct exec_decoder *d,
		      const uint32_t bases[CLASSES])
{
	for (size_t i = 0; i < d->k->code_count; i++) {
		set_slot(a, d, bases, &d->k->code[i].guard);
		for (unsigned k = 0; k < EXEC_SLOTS; k++)
			set_slot(a, d, bases, &d->k->code[i].slot[k]);
	}
	for (size_t i = 0; i < d->lists.count; i++)
		for (unsigned k = 0; k < EXEC_LIST; k++)
			set_slot(a, d, bases, &d->lists.items[i][k]);
	for (size_t i = 0; i < d->frame_registers.count; i++)
		set_slot(a, d, bases, &d->frame_registers.items[i].slot);
}

static void place(struct allotment *a, struct exec_decoder *d)
{
	uint32_t bases[CLASSES];
	uint64_t bytes = EXEC_SINK_BYTES;

	find_blocks(a);
	find_spans(a, d);
	find_places(a, d);
	if (!find_exposed(a, d)) {
		strcpy(d->problem, NO_MEMORY);
		return;
	}
	number_places(a);
	for (unsigned class = 0; class < CLASSES; class ++) {
		bases[class] = (uint32_t)bytes;
		d->k->zeroed[class] = (struct exec_variable){
			bases[class], a->exposed_count[class] * class_bytes[class]};
		bytes += (uint64_t)a->places[class] * class_bytes[class];
	}
	if (bytes > EXEC_REGISTERS_MOST)
		strcpy(d->problem, "its registers are too many");
	else
		set_slots(a, d, bases);
	d->k->register_bytes = bytes;
}

void exec_allot(struct exec_decoder *d)
{
	struct allotment a = {.f = d->f,
			      .count = (uint32_t)d->f->code.count,
			      .register_count = (uint32_t)d->widths.count};

	a.spans = calloc(d->widths.count + 1, sizeof(*a.spans));
	a.instructions = calloc(d->f->code.count + 2, sizeof(*a.instructions));
	if (a.spans && a.instructions)
		place(&a, d);
	else
		strcpy(d->problem, NO_MEMORY);
	for (unsigned class = 0; class < CLASSES; class ++)
		sc_vector_fini(&a.spare[class]);
	free(a.exposed);
	free(a.numbers);
	free(a.spans);
	free(a.instructions);
}
