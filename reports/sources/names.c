/* Names: one walk over a trace that keeps its definitions. */
#include "reports/sources/names.h"

#include <stdbool.h>
#include <string.h>

static struct sc_named describe(uint32_t id, const struct sc_op *op)
{
	return (struct sc_named){
		.id = id,
		.flags = op->flags,
		.context = op->context,
		.thread = op->thread,
		.stack = op->stack,
		.device = op->device,
	};
}

static void add_stream(struct sc_names *n, const struct sc_op *op)
{
	uint64_t *index = sc_u64_map_get(&n->stream_index, op->stream);

	if (*index)
		return;
	if (!n->most || n->streams.count < n->most) {
		sc_vector_push(&n->streams, describe(op->stream, op));
		*index = n->streams.count;
		return;
	}
	*index = n->oldest + 1;
	sc_u64_map_remove(&n->stream_index, n->streams.items[n->oldest].id);
	n->streams.items[n->oldest] = describe(op->stream, op);
	n->oldest = (n->oldest + 1) % n->most;
}

static void add_context(struct sc_names *n, const struct sc_op *op)
{
	uint64_t *index = sc_u64_map_get(&n->context_index, op->context);

	if (*index)
		return;
	for (size_t i = 0; i <= n->contexts.count; i++) {
		if (i == n->contexts.count)
			n->devices++;
		else if (n->contexts.items[i].device == op->device)
			break;
	}
	sc_vector_push(&n->contexts, describe(op->context, op));
	*index = n->contexts.count;
}

static void set_process(struct sc_names *n, const struct sc_record *record)
{
	uint32_t bytes;
	const void *text = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);

	n->process = (uint32_t)record->op.value;
	/* The recorder keeps the rank as the object, plus one. */
	n->rank = (int)(record->op.object & INT32_MAX) - 1;
	n->is_child = record->op.peer != 0;
	if (text)
		n->command = sc_arena_xtext(&n->arena, text, bytes);
	text = sc_record_attachment(record, SC_ATTACH_RUN, &bytes);
	if (text)
		n->run = sc_arena_xtext(&n->arena, text, bytes);
}

static void add_bytes(struct sc_names *n, const struct sc_record *record)
{
	struct sc_named_bytes b = {
		.start = record->op.dst, .bytes = record->op.bytes, .sequence = record->sequence};
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);

	if (n->most && n->bytes.count >= n->most)
		return;
	b.name = sc_arena_xtext(&n->arena, text, bytes);
	sc_vector_push(&n->bytes, b);
}

static void add_made(struct sc_names *n, const struct sc_op *op)
{
	uint64_t *index;

	if (!op->stack)
		return;
	index = sc_u64_map_find(&n->made_index, (uint64_t)op->kind << 32 | op->stack);
	if (index) {
		n->made.items[*index - 1].count++;
		return;
	}
	if (n->made_counts[op->kind] >= SC_NAMES_MADE_MOST)
		return;
	n->made_counts[op->kind]++;
	sc_vector_push(&n->made, ((struct sc_origin_stack){op->kind, op->stack, 1}));
	*sc_u64_map_get(&n->made_index, (uint64_t)op->kind << 32 | op->stack) = n->made.count;
}

static uint64_t place_key(unsigned kind, uint32_t id)
{
	return (uint64_t)kind << 32 | id;
}

static void add_place(struct sc_names *n, const struct sc_op *op)
{
	size_t most = n->most ? n->most : SC_NAMES_PLACES;
	uint64_t *stack;

	if (n->places.count >= most)
		return;
	stack = sc_u64_map_get(&n->places, place_key(op->kind, op->object));
	if (!*stack)
		*stack = op->stack;
}

static void add_node(struct sc_names *n, const struct sc_op *op)
{
	uint64_t key = (uint64_t)op->object << 32 | (uint32_t)op->value;
	size_t most = n->most ? n->most : SC_NAMES_PLACES;

	if (n->nodes.count < most || sc_u64_map_find(&n->nodes, key))
		*sc_u64_map_get(&n->nodes, key) = (uint64_t)op->peer << 32 | (uint32_t)op->bytes;
}

static bool has_place(unsigned kind)
{
	return kind == SC_OP_EVENT_CREATE || kind == SC_OP_INSTANTIATE;
}

/* Objects that a program has so many of that one is named by where it was made. */
static bool is_made(unsigned kind)
{
	return kind == SC_OP_STREAM_CREATE || kind == SC_OP_ALLOC || kind == SC_OP_ALLOC_ASYNC ||
	       kind == SC_OP_PIN || has_place(kind);
}

void sc_names_take(struct sc_names *n, const struct sc_record *record)
{
	if (is_made(record->op.kind))
		add_made(n, &record->op);
	if (has_place(record->op.kind))
		add_place(n, &record->op);
	if (record->op.kind == SC_OP_STREAM_CREATE)
		add_stream(n, &record->op);
	else if (record->op.kind == SC_OP_CONTEXT_CREATE)
		add_context(n, &record->op);
	else if (record->op.kind == SC_OP_LABEL)
		add_bytes(n, record);
	else if (record->op.kind == SC_OP_NODE_NAME)
		add_node(n, &record->op);
	else if (record->op.kind == SC_OP_PROCESS)
		set_process(n, record);
}

void sc_names_begin(struct sc_names *n, const struct sc_reader *r)
{
	*n = (struct sc_names){
		.process = sc_reader_header(r)->process, .rank = -1, .command = "", .run = ""};
}

static bool has_names(unsigned kind)
{
	return is_made(kind) || kind == SC_OP_CONTEXT_CREATE || kind == SC_OP_LABEL ||
	       kind == SC_OP_NODE_NAME || kind == SC_OP_PROCESS;
}

static bool is_wanted(void *data, const struct sc_op *op, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return has_names(op->kind);
}

static void take(void *data, const struct sc_record *record)
{
	sc_names_take(data, record);
}

static void visit_all(struct sc_names *n, struct sc_reader *r)
{
	struct sc_kinds kinds = {0};
	struct sc_visit visit = {.is_wanted = is_wanted, .take = take, .data = n, .kinds = &kinds};

	for (unsigned kind = 0; kind < SC_OP_KINDS; kind++)
		if (has_names(kind))
			sc_kinds_add(&kinds, kind);
	sc_reader_visit(r, &visit);
}

void sc_names_init(struct sc_names *n, struct sc_reader *r, bool process_only)
{
	struct sc_record record;

	sc_names_begin(n, r);
	if (!process_only) {
		visit_all(n, r);
		return;
	}
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) > 0) {
		sc_names_take(n, &record);
		if (record.op.kind == SC_OP_PROCESS)
			return;
	}
}

void sc_names_fini(struct sc_names *n)
{
	sc_u64_map_fini(&n->stream_index);
	sc_u64_map_fini(&n->context_index);
	sc_u64_map_fini(&n->made_index);
	sc_u64_map_fini(&n->places);
	sc_u64_map_fini(&n->nodes);
	sc_vector_fini(&n->made);
	sc_vector_fini(&n->streams);
	sc_vector_fini(&n->bytes);
	sc_vector_fini(&n->contexts);
	sc_arena_fini(&n->arena);
}

const char *sc_names_memory(const struct sc_names *n, uint64_t address, uint64_t since)
{
	for (size_t i = n->bytes.count; i--;) {
		const struct sc_named_bytes *b = &n->bytes.items[i];

		if (address >= b->start && address - b->start < b->bytes && b->sequence >= since)
			return b->name;
	}
	return NULL;
}

const struct sc_named *sc_names_stream(const struct sc_names *n, uint32_t id)
{
	const uint64_t *index = sc_u64_map_find(&n->stream_index, id);

	return index ? &n->streams.items[*index - 1] : NULL;
}

const struct sc_named *sc_names_context(const struct sc_names *n, uint32_t id)
{
	const uint64_t *index = sc_u64_map_find(&n->context_index, id);

	return index ? &n->contexts.items[*index - 1] : NULL;
}

uint32_t sc_names_made_at(const struct sc_names *n, unsigned kind, uint32_t id)
{
	const uint64_t *stack = sc_u64_map_find(&n->places, place_key(kind, id));

	return stack ? (uint32_t)*stack : 0;
}

bool sc_names_node(const struct sc_names *n, uint32_t exec, uint32_t node, uint32_t *graph,
		   uint32_t *local)
{
	const uint64_t *name = sc_u64_map_find(&n->nodes, (uint64_t)exec << 32 | node);

	if (!name)
		return false;
	*graph = (uint32_t)(*name >> 32);
	*local = (uint32_t)*name;
	return true;
}

uint64_t sc_names_made_count(const struct sc_names *n, unsigned kind, uint32_t stack)
{
	const uint64_t *index = sc_u64_map_find(&n->made_index, (uint64_t)kind << 32 | stack);

	return index ? n->made.items[*index - 1].count : 0;
}

bool sc_names_has_sibling(const struct sc_names *n, const struct sc_named *context)
{
	for (size_t i = 0; i < n->contexts.count; i++)
		if (&n->contexts.items[i] != context &&
		    n->contexts.items[i].device == context->device)
			return 1;
	return 0;
}
