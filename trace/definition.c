/* Definitions: the strings, stacks, functions, names and maps of a trace, by id. */
#include "trace/definition.h"

#include <string.h>

void sc_definitions_fini(struct sc_definitions *d)
{
	sc_vector_fini(&d->maps);
	sc_u64_map_fini(&d->strings);
	sc_u64_map_fini(&d->functions);
	sc_u64_map_fini(&d->names);
	sc_u64_map_fini(&d->stacks);
	sc_arena_fini(&d->arena);
}

static char *attached_text(struct sc_definitions *d, const struct sc_record *record)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);

	return sc_arena_xtext(&d->arena, text, bytes);
}

static void add_text(struct sc_definitions *d, struct sc_u64_map *m, const struct sc_record *record)
{
	*sc_u64_map_get(m, record->op.object) = (uintptr_t)attached_text(d, record);
}

static void add_name(struct sc_definitions *d, const struct sc_record *record)
{
	*sc_u64_map_get(&d->names, sc_definitions_name_key(record->op.value, record->op.object)) =
		(uintptr_t)attached_text(d, record);
}

static void add_stack(struct sc_definitions *d, const struct sc_record *record)
{
	uint32_t bytes = 0, python_bytes = 0;
	const void *frames = sc_record_attachment(record, SC_ATTACH_FRAMES, &bytes);
	const char *python = sc_record_attachment(record, SC_ATTACH_PYTHON, &python_bytes);
	const uint64_t *below = sc_u64_map_find(&d->stacks, record->op.peer);
	const struct sc_stack_definition *base = below ? (const void *)(uintptr_t)*below : NULL;
	struct sc_stack_definition *stack = sc_arena_xalloc(&d->arena, 1, sizeof(*stack));

	stack->python = python ? sc_arena_xtext(&d->arena, python, python_bytes) : "";
	if (frames) {
		stack->count = bytes / sizeof(stack->frames[0]);
		stack->frames = sc_arena_xcopy(&d->arena, frames, bytes);
	} else if (base && record->op.peer) {
		stack->count = base->count;
		stack->frames = base->frames;
	}
	*sc_u64_map_get(&d->stacks, record->op.object) = (uintptr_t)stack;
}

static void add_map(struct sc_definitions *d, const struct sc_record *record)
{
	uint32_t bytes = 0;
	const void *build_id = sc_record_attachment(record, SC_ATTACH_BUILD_ID, &bytes);
	struct sc_map map = {
		.start = record->op.dst,
		.bytes = record->op.bytes,
		.offset = record->op.value,
		.path = attached_text(d, record),
		.build_id = build_id ? sc_arena_xcopy(&d->arena, build_id, bytes) : NULL,
		.build_id_bytes = bytes,
	};

	sc_vector_push(&d->maps, map);
}

void sc_definitions_add(struct sc_definitions *d, const struct sc_record *record)
{
	switch (record->op.kind) {
	case SC_OP_STRING: add_text(d, &d->strings, record); break;
	case SC_OP_FUNCTION: add_text(d, &d->functions, record); break;
	case SC_OP_NAME: add_name(d, record); break;
	case SC_OP_STACK: add_stack(d, record); break;
	case SC_OP_MAP: add_map(d, record); break;
	}
}

const char *sc_definitions_text(const struct sc_u64_map *m, uint64_t id)
{
	const uint64_t *value = sc_u64_map_find(m, id);

	return value ? (const char *)(uintptr_t)*value : NULL;
}
