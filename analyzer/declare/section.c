/* Sections: stacks of ranges, one a thread, and those of the process. */
#include "analyzer/declare/section.h"

#include <string.h>

static struct sc_section_stack *stack_of(struct sc_sections *p, uint32_t thread)
{
	uint64_t *place = sc_u64_map_get(&p->threads, thread);

	if (!*place) {
		sc_vector_push(&p->stacks, (struct sc_section_stack){0});
		*place = p->stacks.count;
	}
	return &p->stacks.items[*place - 1];
}

static char *text_of(struct sc_sections *p, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);

	return sc_arena_xtext(&p->arena, text, text ? bytes : 0);
}

static void push(struct sc_sections *p, const struct sc_record *r)
{
	struct sc_section_stack *s = stack_of(p, r->op.thread);

	if (s->depth < SC_SECTION_DEPTH)
		s->section[s->depth] = (struct sc_section){r->op.object, text_of(p, r)};
	s->depth++;
}

/* The last range of that domain ends; those of others in it stay. */
static void pop(struct sc_sections *p, const struct sc_op *op)
{
	struct sc_section_stack *s = stack_of(p, op->thread);
	size_t i = s->depth < SC_SECTION_DEPTH ? s->depth : SC_SECTION_DEPTH;

	if (s->depth > SC_SECTION_DEPTH) {
		s->depth--; /* which one is not known */
		return;
	}
	while (i && s->section[i - 1].object != op->object)
		i--;
	if (!i)
		return;
	memmove(&s->section[i - 1], &s->section[i], (s->depth - i) * sizeof(s->section[0]));
	s->depth--;
}

static void start(struct sc_sections *p, const struct sc_record *r)
{
	if (p->open.count < SC_SECTIONS_OPEN)
		sc_vector_push(&p->open, ((struct sc_section){r->op.object, text_of(p, r)}));
}

static void end(struct sc_sections *p, uint32_t object)
{
	for (size_t i = p->open.count; i--;) {
		if (p->open.items[i].object != object)
			continue;
		memmove(&p->open.items[i], &p->open.items[i + 1],
			(p->open.count - i - 1) * sizeof(p->open.items[0]));
		p->open.count--;
		return;
	}
}

void sc_sections_visit(struct sc_sections *p, const struct sc_record *r)
{
	switch (r->op.kind) {
	case SC_OP_RANGE_PUSH: push(p, r); break;
	case SC_OP_RANGE_POP: pop(p, &r->op); break;
	case SC_OP_RANGE_START: start(p, r); break;
	case SC_OP_RANGE_END: end(p, r->op.object); break;
	}
}

static void add(struct sc_buf *line, const char *text)
{
	sc_buf_add(line, line->bytes ? " > " : "");
	sc_buf_add(line, text);
}

void sc_sections_keep(struct sc_sections *p, const struct sc_record *r)
{
	const struct sc_section_stack *s = stack_of(p, r->op.thread);

	sc_buf_clear(&p->line);
	for (size_t i = 0; i < p->open.count; i++)
		add(&p->line, p->open.items[i].text);
	for (size_t i = 0; i < s->depth && i < SC_SECTION_DEPTH; i++)
		add(&p->line, s->section[i].text);
	if (p->line.bytes)
		*sc_u64_map_get(&p->texts, r->sequence) =
			(uintptr_t)sc_arena_xtext(&p->arena, p->line.text, (uint32_t)p->line.bytes);
}

const char *sc_sections_of(const struct sc_sections *p, uint64_t sequence)
{
	const uint64_t *place = sc_u64_map_find(&p->texts, sequence);

	return place ? (const char *)(uintptr_t)*place : NULL;
}

void sc_sections_fini(struct sc_sections *p)
{
	sc_u64_map_fini(&p->threads);
	sc_u64_map_fini(&p->texts);
	sc_vector_fini(&p->stacks);
	sc_vector_fini(&p->open);
	sc_buf_fini(&p->line);
	sc_arena_fini(&p->arena);
}
