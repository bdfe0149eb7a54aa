/* Places: hashes of the inner parts of stacks. */
#include "extensions/repair/planner/place.h"

#include <stdbool.h>
#include <string.h>
#include "analyzer/symbol/callsite.h"

/* FNV-1a, as sc_hash_add. */
static uint64_t add_lines(uint64_t hash, const char *text, uint32_t lines)
{
	for (; *text && lines; text++) {
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001B3);
		lines -= *text == '\n';
	}
	return hash;
}

/* Returns false if the stack has no such part. */
static bool hash_part(const struct sc_reader *r, uint32_t stack, uint32_t frames, uint32_t lines,
		      uint64_t *hash)
{
	const uint64_t *addresses;
	size_t count = stack ? sc_reader_stack(r, stack, &addresses) : 0;

	if (!frames || count < frames)
		return 0;
	*hash = SC_HASH_START;
	for (uint32_t i = 0; i < frames; i++)
		if (!sc_callsite_add_frame(hash, r, addresses[i]))
			*hash = sc_hash_add(*hash, addresses[i]);
	*hash = add_lines(*hash, sc_reader_stack_python(r, stack), lines);
	return 1;
}

struct sc_edit_place sc_place_of(const struct sc_reader *r, uint32_t stack, uint64_t op,
				 struct sc_repair_depth depth)
{
	struct sc_edit_place p = {.frames = depth.frames,
				  .lines = depth.lines,
				  .op = op,
				  .stack = stack,
				  .inlined = depth.inlined,
				  .has_inner = depth.has_inner,
				  .is_outer = depth.is_outer,
				  .is_foreign = depth.is_foreign};

	if (!hash_part(r, stack, p.frames, p.lines, &p.hash)) {
		p.frames = p.lines = 0;
		p.hash = sc_hash_add(SC_HASH_START, op);
	}
	return p;
}

/* One frame, or one line of Python if there are such lines. */
static uint64_t hash_frame(const struct sc_reader *r, uint64_t address)
{
	uint64_t hash = SC_HASH_START;

	return sc_callsite_add_frame(&hash, r, address) ? hash : sc_hash_add(hash, address);
}

static uint64_t hash_text(const char *line)
{
	return add_lines(SC_HASH_START, line, 1);
}

static const char *next_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end ? end + 1 : "";
}

struct sc_edit_place sc_place_line(const struct sc_reader *r, const struct sc_edit_place *place)
{
	const char *text = sc_reader_stack_python(r, place->stack);
	struct sc_edit_place line = *place;
	const uint64_t *frames;

	if (!place->frames || sc_reader_stack(r, place->stack, &frames) < place->frames)
		return line;
	line.is_line = 1;
	line.hash = hash_frame(r, frames[place->frames - 1]);
	for (uint32_t i = 0; *text && i < place->lines; i++, text = next_line(text)) {
		line.hash = hash_text(text);
		if (place->lines == UINT32_MAX)
			break; /* the innermost */
	}
	return line;
}

static bool is_from_line(const struct sc_reader *r, uint32_t stack, const struct sc_edit_place *p)
{
	const uint64_t *frames;
	size_t count = stack ? sc_reader_stack(r, stack, &frames) : 0;

	for (size_t i = 0; i < count; i++)
		if (hash_frame(r, frames[i]) == p->hash)
			return 1;
	for (const char *text = sc_reader_stack_python(r, stack); *text; text = next_line(text))
		if (hash_text(text) == p->hash)
			return 1;
	return 0;
}

uint32_t sc_places_add(struct sc_places *p, const struct sc_edit_place *place)
{
	for (size_t i = 0; i < p->list.count; i++)
		if (p->list.items[i].hash == place->hash &&
		    p->list.items[i].is_line == place->is_line)
			return (uint32_t)i;
	sc_vector_push(&p->list, *place);
	return (uint32_t)p->list.count - 1;
}

static uint64_t find_op(struct sc_places *p, uint64_t op)
{
	size_t first = p->hits.count;

	for (size_t i = 0; i < p->list.count; i++)
		if (!p->list.items[i].frames && p->list.items[i].op == op)
			sc_vector_push(&p->hits, (uint32_t)i);
	sc_vector_push(&p->hits, SC_PLACE_END);
	return first + 1;
}

/* Places of one depth mostly follow each other, and have one hash of the stack. */
static uint64_t find_stack(struct sc_places *p, uint32_t stack)
{
	size_t first = p->hits.count;
	uint32_t frames = 0, lines = 0;
	bool has_part = 0;
	uint64_t hash = 0;

	for (size_t i = 0; i < p->list.count; i++) {
		const struct sc_edit_place *place = &p->list.items[i];

		if (!place->frames)
			continue;
		if (place->is_line) {
			if (is_from_line(p->reader, stack, place))
				sc_vector_push(&p->hits, (uint32_t)i);
			continue;
		}
		if (place->frames != frames || place->lines != lines) {
			frames = place->frames;
			lines = place->lines;
			has_part = hash_part(p->reader, stack, frames, lines, &hash);
		}
		if (has_part && hash == place->hash)
			sc_vector_push(&p->hits, (uint32_t)i);
	}
	sc_vector_push(&p->hits, SC_PLACE_END);
	return first + 1;
}

/* Places without a stack are few, and each is one op's. */
static void number_ops(struct sc_places *p)
{
	if (p->by_op.count)
		return;
	*sc_u64_map_get(&p->by_op, UINT64_MAX - 1) = 1;
	for (size_t i = 0; i < p->list.count; i++) {
		uint64_t op = p->list.items[i].op;

		if (!p->list.items[i].frames)
			*sc_u64_map_get(&p->by_op, op) = find_op(p, op);
	}
}

const uint32_t *sc_places_of(struct sc_places *p, uint32_t stack, uint64_t op)
{
	static const uint32_t none[] = {SC_PLACE_END};
	const uint64_t *frames, *own;
	uint64_t *place;

	number_ops(p);
	own = sc_u64_map_find(&p->by_op, op);
	if (own)
		return p->hits.items + *own - 1;
	if (!stack || !sc_reader_stack(p->reader, stack, &frames))
		return none;
	place = sc_u64_map_get(&p->by_stack, stack);
	if (!*place)
		*place = find_stack(p, stack);
	return p->hits.items + *place - 1;
}

void sc_places_fini(struct sc_places *p)
{
	sc_vector_fini(&p->list);
	sc_vector_fini(&p->hits);
	sc_u64_map_fini(&p->by_stack);
	sc_u64_map_fini(&p->by_op);
}
