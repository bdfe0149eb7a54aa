/* The test machine: what each instruction does. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "tests/footprint/compute.h"
#include "tests/footprint/machine.h"

struct step {
	struct machine *c;
	struct thread *t;
	struct frame *frame;
	const struct sc_instruction *in;
	const struct sc_ptx_operand *o;
	const char *opcode;
	struct decoded d;
};

static uint64_t value(const struct step *s, uint32_t index)
{
	return index < s->in->count ? machine_value(s->c, s->t, &s->o[index]) : 0;
}

static void set(const struct step *s, uint64_t result)
{
	const struct sc_ptx_operand *to = &s->o[0];

	if (to->kind == SC_OPERAND_VECTOR)
		to = machine_inner(s->t, to, 0);
	machine_set(s->t, to, result);
}

static uint64_t load(const struct step *s, uint64_t address, unsigned mode)
{
	unsigned bytes = s->d.bits / 8;
	void *host = memory_at(s->c->memory, address, bytes, mode);
	uint64_t raw = 0;

	if (host)
		memcpy(&raw, host, bytes);
	return s->d.kind == 's' ? (uint64_t)sign_extended(raw, s->d.bits) : raw;
}

static void do_load(const struct step *s)
{
	uint64_t address = value(s, 1);

	if (s->o[0].kind != SC_OPERAND_VECTOR) {
		set(s, load(s, address, SC_FOOTPRINT_READ));
		return;
	}
	for (uint32_t i = 0; i < s->o[0].count; i++)
		machine_set(s->t, machine_inner(s->t, &s->o[0], i),
			    load(s, address + i * (s->d.bits / 8), SC_FOOTPRINT_READ));
}

static void store(const struct step *s, uint64_t address, uint64_t word, unsigned mode)
{
	void *host = memory_at(s->c->memory, address, s->d.bits / 8, mode);

	if (host)
		memcpy(host, &word, s->d.bits / 8);
}

static void do_store(const struct step *s)
{
	uint64_t address = value(s, 0);

	if (s->o[1].kind != SC_OPERAND_VECTOR) {
		store(s, address, value(s, 1), SC_FOOTPRINT_WRITE);
		return;
	}
	for (uint32_t i = 0; i < s->o[1].count; i++)
		store(s, address + i * (s->d.bits / 8),
		      machine_value(s->c, s->t, machine_inner(s->t, &s->o[1], i)),
		      SC_FOOTPRINT_WRITE);
}

static void do_atomic(const struct step *s)
{
	bool has_result = s->d.word == WORD_ATOM;
	uint64_t address = value(s, has_result), x = value(s, has_result + 1u);
	uint64_t y = s->in->count > has_result + 2u ? value(s, has_result + 2u) : 0;
	uint64_t old = load(s, address, SC_FOOTPRINT_ATOMIC);

	store(s, address, compute_atomic(&s->d, old, x, y), SC_FOOTPRINT_ATOMIC);
	if (has_result)
		set(s, old);
}

static void do_setp(const struct step *s)
{
	bool p = compute_compare(&s->d, value(s, 1), value(s, 2)), q = !p;

	if (*s->d.boolean && s->in->count > 3) {
		bool c = value(s, 3) != 0;

		p = compute_boolean(s->d.boolean, p, c);
		q = compute_boolean(s->d.boolean, q, c);
	}
	set(s, p);
	if (s->o[0].kind == SC_OPERAND_VECTOR && s->o[0].count > 1)
		machine_set(s->t, machine_inner(s->t, &s->o[0], 1), q);
}

static void do_move(const struct step *s)
{
	unsigned part;
	uint64_t word = 0;

	if (s->o[0].kind == SC_OPERAND_VECTOR) {
		part = s->d.bits / s->o[0].count;
		word = value(s, 1);
		for (uint32_t i = 0; i < s->o[0].count; i++)
			machine_set(s->t, machine_inner(s->t, &s->o[0], i),
				    masked(word >> (i * part), part));
		return;
	}
	if (s->o[1].kind != SC_OPERAND_VECTOR) {
		word = value(s, 1);
		set(s, s->d.kind == 'p' ? word != 0 : masked(word, s->d.bits));
		return;
	}
	part = s->d.bits / s->o[1].count;
	for (uint32_t i = 0; i < s->o[1].count; i++)
		word |= masked(machine_value(s->c, s->t, machine_inner(s->t, &s->o[1], i)), part)
			<< (i * part);
	set(s, word);
}

static void jump(const struct step *s, uint32_t label)
{
	s->frame->pc = s->frame->f->labels.items[label];
}

static void do_indexed_jump(const struct step *s)
{
	uint32_t list = s->frame->f->labels.items[s->o[1].id] & ~SC_LABEL_TARGETS;
	uint64_t index = masked(value(s, 0), 32);

	if (index < s->frame->f->targets.items[list])
		jump(s, s->frame->f->targets.items[list + 1 + index]);
	else
		machine_fail(s->c, "a jump leaves its list", s->opcode);
}

static void copy_param(const struct step *s, uint32_t to, uint32_t from)
{
	uint64_t bytes = s->c->m->symbols.items[to].bytes;
	void *target = memory_at(s->c->memory, machine_symbol(s->c, to), (unsigned)bytes, 0);
	void *source = memory_at(s->c->memory, machine_symbol(s->c, from), (unsigned)bytes, 0);

	if (target && source)
		memmove(target, source, bytes);
}

/* Operands: results (or nothing), function, arguments (or nothing). */
static void do_call(const struct step *s)
{
	unsigned at = s->o[0].kind == SC_OPERAND_VECTOR;
	const struct sc_function *f = sc_ptx_function(s->c->m, s->o[at].id);
	struct frame *callee = &s->t->frames[s->t->depth + 1];

	if (!f || s->t->depth + 1 == FRAMES) {
		machine_fail(s->c, "a call cannot be made", s->opcode);
		return;
	}
	for (uint32_t i = 0; i < f->param_count; i++)
		copy_param(s, f->param_first + i, machine_inner(s->t, &s->o[at + 1], i)->id);
	memset(callee, 0, sizeof(*callee));
	callee->f = f;
	callee->registers = sc_heap_xcalloc(f->registers.count + 1, sizeof(uint64_t));
	callee->caller_call = s->frame->pc - 1;
	s->t->depth++;
}

static void do_return(const struct step *s)
{
	struct frame *frame = s->frame, *caller = frame - 1;
	const struct sc_instruction *call;
	const struct sc_ptx_operand *results;

	if (!s->t->depth) {
		s->t->wait = WAIT_DONE;
		return;
	}
	s->t->depth--;
	call = &caller->f->code.items[frame->caller_call];
	results = machine_operands(s->t, call);
	for (uint32_t i = 0; i < frame->f->return_count; i++)
		copy_param(s, machine_inner(s->t, results, i)->id, frame->f->return_first + i);
	free(frame->registers);
	frame->registers = NULL;
}

static void do_compute(const struct step *s)
{
	uint64_t args[4] = {0};
	bool known = 1;
	uint64_t result;

	for (uint32_t i = 1; i < s->in->count && i < 5; i++)
		if (s->o[i].kind != SC_OPERAND_VECTOR && s->o[i].kind != SC_OPERAND_SINK)
			args[i - 1] = value(s, i);
	result = compute(&s->d, s->opcode, args, &known);
	if (!known)
		machine_fail(s->c, "an instruction is not known", s->opcode);
	else if (s->in->count)
		set(s, result);
}

static void execute(const struct step *s)
{
	switch (s->d.word) {
	case WORD_LD:
	case WORD_LDU: do_load(s); return;
	case WORD_ST: do_store(s); return;
	case WORD_ATOM:
	case WORD_RED: do_atomic(s); return;
	case WORD_SETP: do_setp(s); return;
	case WORD_MOV: do_move(s); return;
	case WORD_CVTA: set(s, value(s, 1)); return;
	case WORD_SELP: set(s, masked(value(s, value(s, 3) ? 1 : 2), s->d.bits)); return;
	case WORD_BRA: jump(s, s->o[0].id); return;
	case WORD_BRX: do_indexed_jump(s); return;
	case WORD_CALL: do_call(s); return;
	case WORD_RET: do_return(s); return;
	case WORD_EXIT: s->t->wait = WAIT_DONE; return;
	case WORD_TRAP: machine_fail(s->c, "the kernel traps", s->opcode); return;
	case WORD_BAR:
	case WORD_BARRIER:
		s->t->wait = has_part(s->opcode, "warp") ? WAIT_NONE : WAIT_BARRIER;
		return;
	case WORD_MEMBAR:
	case WORD_FENCE:
	case WORD_PREFETCH: return;
	default: do_compute(s); return; /* arithmetic */
	}
}

void machine_step(struct machine *c)
{
	struct step s = {.c = c, .t = c->current};

	s.frame = &s.t->frames[s.t->depth];
	if (s.frame->pc >= s.frame->f->code.count) {
		do_return(&s);
		return;
	}
	s.in = &s.frame->f->code.items[s.frame->pc];
	s.o = machine_operands(s.t, s.in);
	s.opcode = c->m->names.items[s.in->name];
	if (s.in->guard && !s.frame->registers[s.in->guard - 1] != s.in->guard_negated) {
		s.frame->pc++;
		return;
	}
	if (machine_is_exchange(s.opcode)) {
		s.t->wait = WAIT_WARP;
		return;
	}
	s.d = *machine_decoded(c, s.in->name);
	s.frame->pc++;
	execute(&s);
}
