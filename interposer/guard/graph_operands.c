/* What an executable graph touches of the host's memory, and which events it records. */
#include "interposer/guard/graph_operands.h"

#include <string.h>
#include "base/search.h"
#include "interposer/guard/loaded.h"
#include "interposer/core/packed_list.h"
#include "interposer/guard/operand.h"
#include "interposer/guard/guard.h"
#include "interposer/object/memory.h"

struct sc_node_operand {
	struct sc_access access;
	uint32_t node;
	bool is_off;
};

struct sc_node_record {
	struct sc_handle_ref event;
	uint32_t node;
};

static struct sc_node_operand *first_of(const struct sc_graph_operands *r)
{
	return r->operands.start;
}

static size_t count_of(const struct sc_graph_operands *r)
{
	return r->operands.used / sizeof(struct sc_node_operand);
}

/* ---- operands of nodes ---- */

static void remove_node(struct sc_graph_operands *r, uint32_t index)
{
	struct sc_node_operand *list = first_of(r);
	size_t count = count_of(r), kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i].node != index)
			list[kept++] = list[i];
	}
	r->operands.used = kept * sizeof(*list);
}

/* Where an operand at this address belongs. */
static size_t place_of(const struct sc_graph_operands *r, uint64_t base)
{
	const struct sc_node_operand *list = first_of(r);
	size_t at;

	SC_SEARCH(at, count_of(r), list[at].access.base <= base);
	return at;
}

struct adding {
	struct sc_graph_operands *operands;
	uint32_t node;
};

static void add(void *context, const struct sc_access *access)
{
	const struct adding *to = context;
	struct sc_graph_operands *r = to->operands;
	size_t count = count_of(r), at = place_of(r, access->base);
	struct sc_node_operand *list;

	if (count >= SC_GRAPH_OPERANDS_KEPT || !sc_mapped_list_grow(&r->operands, sizeof(*list))) {
		r->lost++;
		return;
	}
	list = first_of(r);
	memmove(list + at + 1, list + at, (count - at) * sizeof(*list));
	list[at] = (struct sc_node_operand){.access = *access, .node = to->node};
}

/* ---- events ---- */

static struct sc_node_record *record_of(const struct sc_graph_operands *r, uint32_t index)
{
	struct sc_node_record *list = r->records.start;

	for (size_t i = 0; i < r->records.used / sizeof(*list); i++) {
		if (list[i].node == index)
			return &list[i];
	}
	return NULL;
}

/* Without memory for it the guard may open too early, as it may always. */
static void set_record(struct sc_graph_operands *r, uint32_t index, struct sc_handle_ref event)
{
	struct sc_node_record *record = index < r->next ? record_of(r, index) : NULL;

	if (!record)
		record = sc_mapped_list_grow(&r->records, sizeof(*record));
	if (record)
		*record = (struct sc_node_record){event, index};
}

void sc_graph_operands_record(const struct sc_graph_operands *r, const struct sc_enqueued *launch)
{
	const struct sc_node_record *list = r->records.start;

	for (size_t i = 0; i < r->records.used / sizeof(*list); i++)
		sc_guard_record(list[i].event, launch->stream, launch->sequence);
}

/* ---- nodes ---- */

void sc_graph_operands_set_node(struct sc_graph_operands *r, uint32_t index,
				const struct sc_enqueued *node)
{
	struct adding to = {r, index};

	if (node->op->kind == SC_OP_EVENT_RECORD && node->event.handle)
		set_record(r, index, node->event);
	if (index < r->next)
		remove_node(r, index);
	else
		r->next = index + 1;
	sc_operand_visit(node, (struct sc_operand_visitor){add, &to});
	r->loads |= node->op->kind == SC_OP_KERNEL && sc_loaded_is_used_by(node->function);
	r->is_merged = false;
}

void sc_graph_operands_switch(struct sc_graph_operands *r, uint32_t index, bool is_on)
{
	struct sc_node_operand *list = first_of(r);

	for (size_t i = 0; i < count_of(r); i++) {
		if (list[i].node == index)
			list[i].is_off = !is_on;
	}
	r->is_merged = false;
}

void sc_graph_operands_clear(struct sc_graph_operands *r)
{
	r->operands.used = r->records.used = 0;
	r->next = r->lost = 0;
	r->is_merged = r->loads = false;
}

void sc_graph_operands_pack(struct sc_graph_operands *r)
{
	sc_packed_list_pack(&r->operands);
	sc_packed_list_pack(&r->records);
}

void sc_graph_operands_fini(struct sc_graph_operands *r)
{
	sc_mapped_list_fini(&r->operands);
	sc_mapped_list_fini(&r->records);
	sc_mapped_list_fini(&r->merged);
	*r = (struct sc_graph_operands){0};
}

/* ---- what a launch watches ---- */

static bool is_linear(const struct sc_access *a)
{
	return a->rows == 1 && a->slices == 1;
}

static bool is_alike(const struct sc_access *a, const struct sc_access *b)
{
	return a->mode == b->mode && a->memory == b->memory && a->known == b->known;
}

static bool is_same(const struct sc_access *a, const struct sc_access *b)
{
	return is_alike(a, b) && a->base == b->base && a->width == b->width && a->rows == b->rows &&
	       a->slices == b->slices && a->pitch == b->pitch && a->slice_pitch == b->slice_pitch;
}

/* How much of what is found in one allocation becomes one operand. */
enum joining { JOIN_SAME, JOIN_TOUCHING, JOIN_ALL };

/* Operands come in the order of addresses; b's address is not below a's. */
static bool is_joined(const struct sc_access *a, const struct sc_access *b, enum joining how)
{
	struct sc_known_allocation owner;

	if (is_same(a, b))
		return true;
	if (how == JOIN_SAME || !is_alike(a, b))
		return false;
	if (how == JOIN_TOUCHING && !(is_linear(a) && is_linear(b) && b->base <= sc_operand_end(a)))
		return false;
	return sc_memory_look_up(&sc_memory, a->base, &owner) &&
	       sc_operand_end(b) <= owner.start + owner.bytes;
}

static void join(struct sc_access *a, const struct sc_access *b)
{
	uint64_t end =
		sc_operand_end(a) > sc_operand_end(b) ? sc_operand_end(a) : sc_operand_end(b);

	if (is_same(a, b))
		return;
	a->rows = a->slices = 1;
	a->pitch = a->slice_pitch = 0;
	a->width = end - a->base;
}

static bool is_taken(struct sc_access *list, unsigned count, const struct sc_access *access,
		     enum joining how)
{
	while (count--) {
		if (!is_joined(&list[count], access, how))
			continue;
		join(&list[count], access);
		return true;
	}
	return false;
}

/* Fills the list, which has room for SC_GRAPH_OPERANDS. Returns its length; r->left counts the
 * operands that did not fit. */
static unsigned merge(struct sc_graph_operands *r, enum joining how)
{
	const struct sc_node_operand *from = first_of(r);
	struct sc_access *list = r->merged.start;
	size_t operands = count_of(r);
	unsigned count = 0;

	r->left = r->lost;
	for (size_t i = 0; i < operands; i++) {
		if (from[i].is_off || is_taken(list, count, &from[i].access, how))
			continue;
		if (count < SC_GRAPH_OPERANDS)
			list[count++] = from[i].access;
		else
			r->left++;
	}
	return count;
}

unsigned sc_graph_operands_merge(struct sc_graph_operands *r)
{
	unsigned count = 0;

	if (r->is_merged)
		return (unsigned)(r->merged.used / sizeof(struct sc_access));
	r->merged.used = 0;
	if (!sc_mapped_list_grow(&r->merged, SC_GRAPH_OPERANDS * sizeof(struct sc_access)))
		return 0;
	count = merge(r, JOIN_SAME);
	for (int how = JOIN_TOUCHING; how <= JOIN_ALL && r->left > r->lost; how++)
		count = merge(r, (enum joining)how);
	r->merged.used = count * sizeof(struct sc_access);
	sc_packed_list_pack(&r->merged);
	r->is_merged = true;
	return count;
}
