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

static void add_stack(struct sc_definitions *d, const struct sc_record *record)
{
	uint32_t bytes = 0;
	const void *frames = sc_record_attachment(record, SC_ATTACH_FRAMES, &bytes);
	struct sc_stack *stack = sc_arena_xalloc(&d->arena, 1, sizeof(*stack) + bytes);

	stack->count = bytes / sizeof(stack->frames[0]);
	if (bytes)
		memcpy(stack->frames, frames, bytes);
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
	case SC_OP_NAME: add_text(d, &d->names, record); break;
	case SC_OP_STACK: add_stack(d, record); break;
	case SC_OP_MAP: add_map(d, record); break;
	}
}

const char *sc_definitions_text(const struct sc_u64_map *m, uint32_t id)
{
	const uint64_t *value = sc_u64_map_find(m, id);

	return value ? (const char *)(uintptr_t)*value : NULL;
}
