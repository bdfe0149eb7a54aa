/* Definitions: the strings, stacks, functions, names and maps of a trace, by id. */
#include "trace/definition.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)

void sc_definitions_fini(struct sc_definitions *d)
{
	sc_vector_fini(&d->maps);
	sc_u64_map_fini(&d->strings);
	sc_u64_map_fini(&d->functions);
	sc_u64_map_fini(&d->names);
	sc_u64_map_fini(&d->stacks);
	sc_u64_map_fini(&d->texts);
	sc_u64_map_fini(&d->known_maps);
	sc_arena_fini(&d->arena);
}

static bool is_full(const struct sc_definitions *d)
{
	return d->most && d->arena.total / SC_DEFINITION_BYTES >= d->most;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Each text is kept once. NULL: there is no room. */
static char *attached_text(struct sc_definitions *d, const struct sc_record *record)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);
	const uint64_t *place;
	char *known;

	if (!text)
		text = "";
	place = sc_u64_map_find(&d->texts, hash_bytes(HASH_START, text, bytes));
	known = place ? (char *)(uintptr_t)*place : NULL;
	if (known && strlen(known) == bytes && !memcmp(known, text, bytes))
		return known;
	if (is_full(d))
		return NULL;
	known = sc_arena_xtext(&d->arena, text, bytes);
	*sc_u64_map_get(&d->texts, hash_bytes(HASH_START, text, bytes)) = (uintptr_t)known;
	return known;
}

/* The place of an id's definition; NULL: there is no room. */
static uint64_t *place_of(struct sc_definitions *d, struct sc_u64_map *m, uint64_t id)
{
	uint64_t *known = sc_u64_map_find(m, id);

	if (known || !d->most || m->count < d->most)
		return known ? known : sc_u64_map_get(m, id);
	return NULL;
}

static void define_text(struct sc_definitions *d, struct sc_u64_map *m, uint64_t id,
			const struct sc_record *record)
{
	uint64_t *place = place_of(d, m, id);
	char *text = place ? attached_text(d, record) : NULL;

	if (text)
		*place = (uintptr_t)text;
	else
		d->dropped++;
}

static void add_stack(struct sc_definitions *d, const struct sc_record *record)
{
	uint32_t bytes = 0, python_bytes = 0;
	const void *frames = sc_record_attachment(record, SC_ATTACH_FRAMES, &bytes);
	const char *python = sc_record_attachment(record, SC_ATTACH_PYTHON, &python_bytes);
	const uint64_t *below = sc_u64_map_find(&d->stacks, record->op.peer);
	const struct sc_stack_definition *base = below ? (const void *)(uintptr_t)*below : NULL;
	struct sc_stack_definition *stack;
	uint64_t *place = is_full(d) ? NULL : place_of(d, &d->stacks, record->op.object);

	if (!place) {
		d->dropped++;
		return;
	}
	stack = sc_arena_xalloc(&d->arena, 1, sizeof(*stack));
	stack->python = python ? sc_arena_xtext(&d->arena, python, python_bytes) : "";
	if (frames) {
		stack->count = bytes / sizeof(stack->frames[0]);
		stack->frames = sc_arena_xcopy(&d->arena, frames, bytes);
	} else if (base && record->op.peer) {
		stack->count = base->count;
		stack->frames = base->frames;
	}
	*place = (uintptr_t)stack;
}

/* A file that is mapped as one was before, as a plug-in that comes and goes, is known. */
static bool is_known_map(struct sc_definitions *d, const struct sc_record *record,
			 const void *build_id, uint32_t build_id_bytes)
{
	uint32_t bytes = 0;
	const char *path = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);
	const uint64_t range[] = {record->op.dst, record->op.bytes, record->op.value};
	uint64_t hash = hash_bytes(hash_bytes(HASH_START, path, bytes), range, sizeof(range));
	uint64_t *number =
		sc_u64_map_get(&d->known_maps, hash_bytes(hash, build_id, build_id_bytes));
	bool is_one = *number && *number <= d->maps.count; /* else there was no room for it */
	const struct sc_map *m = is_one ? &d->maps.items[*number - 1] : NULL;

	*number = d->maps.count + 1; /* if it is not known, that is its number */
	if (!m || m->start != range[0] || m->bytes != range[1] || m->offset != range[2] ||
	    strlen(m->path) != bytes || (bytes && memcmp(m->path, path, bytes) != 0) ||
	    m->build_id_bytes != build_id_bytes ||
	    (build_id_bytes && memcmp(m->build_id, build_id, build_id_bytes) != 0))
		return 0;
	*number = (uint64_t)(m - d->maps.items) + 1;
	return 1;
}

static void add_map(struct sc_definitions *d, const struct sc_record *record)
{
	uint32_t bytes = 0;
	const void *build_id = sc_record_attachment(record, SC_ATTACH_BUILD_ID, &bytes);
	struct sc_map map = {
		.start = record->op.dst,
		.bytes = record->op.bytes,
		.offset = record->op.value,
		.build_id_bytes = bytes,
	};

	if (is_known_map(d, record, build_id, bytes))
		return;
	map.path = d->most && d->maps.count >= d->most ? NULL : attached_text(d, record);
	if (!map.path) {
		d->dropped++;
		return;
	}
	map.build_id = build_id ? sc_arena_xcopy(&d->arena, build_id, bytes) : NULL;
	sc_vector_push(&d->maps, map);
}

void sc_definitions_add(struct sc_definitions *d, const struct sc_record *record)
{
	sc_assert(sc_op_kind_class(record->op.kind) == SC_CLASS_DEFINE);
	switch (record->op.kind) {
	case SC_OP_STRING: define_text(d, &d->strings, record->op.object, record); break;
	case SC_OP_FUNCTION: define_text(d, &d->functions, record->op.object, record); break;
	case SC_OP_NAME:
		define_text(d, &d->names,
			    sc_definitions_name_key(record->op.value, record->op.object), record);
		break;
	case SC_OP_STACK: add_stack(d, record); break;
	case SC_OP_MAP: add_map(d, record); break;
	}
}

const struct sc_stack_definition *sc_definitions_stack(const struct sc_definitions *d, uint32_t id)
{
	const uint64_t *value = sc_u64_map_find(&d->stacks, id);

	return value ? (const void *)(uintptr_t)*value : NULL;
}

const char *sc_definitions_text(const struct sc_u64_map *m, uint64_t id)
{
	const uint64_t *value = sc_u64_map_find(m, id);

	return value ? (const char *)(uintptr_t)*value : NULL;
}
