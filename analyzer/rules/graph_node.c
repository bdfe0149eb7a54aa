/* Rules 118, 119, 128, 135, 136, 142, 323 for the nodes of graphs that are launched. */
#include "analyzer/rules/graph_node.h"

#include <string.h>
#include "analyzer/access/launch.h"
#include "analyzer/model/make_finding.h"
#include "analyzer/rules/copy_overlap.h"
#include "analyzer/rules/lifetime.h"
#include "analyzer/rules/misuse.h"
#include "analyzer/rules/rights.h"

struct sc_finding sc_graph_node_finding(const struct sc_graph_node *n, unsigned rule,
					const struct sc_step *step)
{
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, &n->op, n->sequence);

	f.side[0].launch = step->sequence + 1;
	f.side[0].stream = step->op->stream;
	f.side[0].thread = step->op->thread;
	return f;
}

/* SC-135: a node that comes before the node that begins its memory, or after the one that ends it.
 */
static void check_life(struct sc_analysis *a, const struct sc_step *step, const struct sc_graph *g,
		       const struct sc_replay_use *u)
{
	const struct sc_allocation *memory = u->use.allocation;
	const struct sc_graph_node *n = &g->nodes.items[u->node], *other;
	const struct sc_graph_lifetime *life;
	uint32_t wrong;
	struct sc_finding f;

	if (memory->graph != g->id || sc_graph_lifetime_of(g, u->node))
		return;
	life = sc_graph_lifetime_at(g, memory->arena, u->node, u->use.shape.base,
				    sc_shape_end(&u->use.shape));
	wrong = life ? sc_graph_lifetime_misses(g, life, u->node) : SC_NO_NODE;
	if (wrong == SC_NO_NODE)
		return;
	other = &g->nodes.items[wrong];
	f = sc_finding_begin(SC_RULE_135, &other->op, other->sequence, &n->op, n->sequence);
	f.side[0].launch = f.side[1].launch = step->sequence + 1;
	f.side[0].stream = f.side[1].stream = step->op->stream;
	f.side[0].mode = wrong == life->end ? SC_SIDE_FREE : SC_SIDE_WRITE;
	f.side[1].address = u->use.shape.base;
	f.side[1].bytes = sc_shape_end(&u->use.shape) - u->use.shape.base;
	f.side[1].mode = sc_mode_writes(u->use.shape.mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
	f.side[1].known = u->use.shape.known;
	f.allocation = g->nodes.items[life->begin].sequence + 1;
	sc_finding_doubt_bytes(&f, u->use.shape.known);
	if (f.doubt == SC_DOUBT_OVER && sc_graph_node_is_unsure(n) && !u->use.reason)
		f.doubt = SC_DOUBT_BODY;
	sc_finding_file(a, &f, &other->op, &n->op);
}

/* ---- freed operands (SC-136) ---- */

uint64_t sc_graph_node_given(const struct sc_graph_node *n)
{
	return n->op.link ? n->op.link - 1 : n->sequence;
}

static struct sc_range range_of(const struct sc_dead *memory)
{
	struct sc_range range = memory->home;

	if (!range.end)
		range.end = memory->former_end;
	return range;
}

/* Of an address that a node was given: what it led to then, if that is gone by now. Of memory that
 * launches begin, what is there tells nothing of what was. */
static const struct sc_dead *find_gone(struct sc_analysis *a, const struct sc_graph_node *n,
				       uint64_t address, struct sc_gone *gone)
{
	const uint64_t given = sc_graph_node_given(n);
	const struct sc_allocation *live;
	const struct sc_dead *dead;
	uint64_t unused;

	*gone = (struct sc_gone){0};
	if (!address)
		return NULL;
	live = sc_memory_find(&a->memory, address, &unused);
	if (live && (live->graph || live->sequence <= given + 1))
		return NULL;
	if (!live && !sc_memory_find_dead(&a->memory, address))
		return NULL;
	dead = sc_memory_find_former(&a->memory, address, given);
	if (!dead || dead->is_graph || dead->kind == SC_MEM_PAGEABLE)
		return NULL;
	gone->was = range_of(dead);
	if (live && live->home.range.start == gone->was.start)
		gone->now = live->home.range;
	return dead;
}

/* The same of an operand of a copy or fill, which ended memory of another graph's launch may be, or
 * memory that CUDA did not know. */
static const struct sc_dead *find_gone_operand(struct sc_analysis *a, const struct sc_graph_node *n,
					       uint64_t address, struct sc_gone *gone)
{
	const struct sc_dead *dead = find_gone(a, n, address, gone);
	uint64_t unused;

	if (dead || !address || sc_memory_find(&a->memory, address, &unused))
		return dead;
	dead = sc_memory_find_dead(&a->memory, address);
	if (dead && dead->is_graph)
		return dead;
	if (!a->memory.pageable_ends)
		return NULL;
	dead = sc_memory_find_former(&a->memory, address, sc_graph_node_given(n));
	return dead && dead->kind == SC_MEM_PAGEABLE ? dead : NULL;
}

struct sc_finding sc_graph_node_operand(const struct sc_graph_node *n, const struct sc_step *step,
					const struct sc_access *use, uint8_t mode, uint64_t begun)
{
	struct sc_finding f = sc_graph_node_finding(n, SC_RULE_136, step);

	f.side[0].address = use->base;
	f.side[0].bytes = sc_shape_end(use) - use->base;
	f.side[0].mode = mode;
	f.allocation = begun;
	return f;
}

/* How sure it is that the memory is none of the program's any more. Of host memory that CUDA knew,
 * a node keeps that it was locked, too: what came to its place later is no other memory for it (an
 * H200 reports error 719). malloc gives addresses out again, of which no op is made; what lies
 * where a function had its locals is no program's to use. */
static void doubt_dead(struct sc_analysis *a, const struct sc_dead *dead, bool is_replaced,
		       struct sc_finding *f)
{
	if (dead->kind == SC_MEM_PINNED || dead->kind == SC_MEM_REGISTERED)
		is_replaced = 0;
	sc_graph_node_doubt_gone(a, is_replaced, f);
	if (dead->kind != SC_MEM_PAGEABLE || dead->is_frame)
		return;
	f->confidence = SC_LIKELY;
	f->doubt = SC_DOUBT_REUSED;
}

static bool check_operand(struct sc_analysis *a, const struct sc_step *step,
			  const struct sc_graph_node *n, const struct sc_access *use, uint8_t mode)
{
	struct sc_gone gone;
	const struct sc_dead *dead = find_gone_operand(a, n, use->base, &gone);
	struct sc_finding f;

	if (!dead)
		return 0;
	f = sc_graph_node_operand(n, step, use, mode, dead->sequence);
	doubt_dead(a, dead, sc_gone_is_replaced(&gone, use), &f);
	sc_graph_node_file_gone(a, n, dead->freed, &f);
	return 1;
}

/* The list of a batch is checked, the fields of other ops. */
static const struct sc_access *batch_of(const struct sc_graph_node *n, uint32_t *count)
{
	const struct sc_record node = sc_graph_node_record(n);
	uint32_t bytes = 0;
	const struct sc_access *list =
		sc_op_is_batch(&n->op) ? sc_record_attachment(&node, SC_ATTACH_ACCESSES, &bytes)
				       : NULL;

	*count = bytes / (uint32_t)sizeof(*list);
	return list;
}

void sc_graph_node_visit(struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_graph_node *n,
			 bool (*check)(struct sc_analysis *a, const struct sc_step *step,
				       const struct sc_graph_node *n, const struct sc_access *use,
				       uint8_t mode))
{
	struct sc_access use;
	uint32_t count;
	const struct sc_access *list = batch_of(n, &count);

	if (n->op.kind != SC_OP_COPY && n->op.kind != SC_OP_SET)
		return;
	for (uint32_t i = 0; i < count; i++) {
		use = list[i];
		use.mode = SC_READ_WRITE;
		if (check(a, step, n, &use,
			  sc_mode_writes(list[i].mode) ? SC_SIDE_WRITE : SC_SIDE_READ))
			return;
	}
	use = sc_shape_linear(n->op.src, n->op.bytes, SC_READ_WRITE, SC_KNOWN_EXACT);
	if (check(a, step, n, &use, SC_SIDE_READ))
		return;
	use = sc_shape_linear(n->op.dst, n->op.bytes, SC_READ_WRITE, SC_KNOWN_EXACT);
	check(a, step, n, &use, SC_SIDE_WRITE);
}

struct sc_record sc_graph_node_record(const struct sc_graph_node *n)
{
	return (struct sc_record){.op = n->op,
				  .sequence = n->sequence,
				  .attachments = n->attachments,
				  .attachment_bytes = n->attachment_bytes};
}

bool sc_graph_node_judge_gone(struct sc_analysis *a, const struct sc_graph_node *n, uint32_t offset,
			      const struct sc_gone *gone, struct sc_finding *f)
{
	const struct sc_record node = sc_graph_node_record(n);
	struct sc_touched touched = sc_access_touched_node(&a->kernels, n->executed);
	int known = sc_launch_parameter(&a->kernels, &node, offset);
	struct sc_access use;
	enum sc_use_of_dead kind;

	kind = sc_access_uses_dead(&a->kernels, &node, &touched, offset, gone, &use);
	if (kind == SC_USE_NONE)
		return 0;
	if (kind != SC_USE_SURE && sc_launch_is_in_table(&a->kernels, &node, offset)) {
		a->kernels.stale_rows++;
		return 0;
	}
	f->side[0].how = kind == SC_USE_SURE ? use.how : SC_HOW_PARAMETER;
	if (kind == SC_USE_SURE) {
		f->side[0].mode = sc_mode_writes(use.mode) ? SC_SIDE_WRITE : SC_SIDE_READ;
		f->side[0].address = use.base;
		f->side[0].bytes = use.width;
		sc_graph_node_doubt_gone(a, sc_gone_is_replaced(gone, &use), f);
	} else {
		sc_finding_doubt_bytes(f, known == SC_KNOWN_PARAMETER ? known : SC_KNOWN_OVER);
	}
	if (f->doubt == SC_DOUBT_FOOTPRINT) {
		f->side[0].known = SC_KNOWN_PARAMETER;
		f->confidence = SC_LIKELY;
	}
	return 1;
}

void sc_graph_node_doubt_gone(struct sc_analysis *a, bool is_replaced, struct sc_finding *f)
{
	if (!is_replaced && !sc_lifetime_may_be_unseen(a, f->side[0].address))
		return;
	f->confidence = SC_LIKELY;
	f->doubt = is_replaced ? SC_DOUBT_TAKEN : SC_DOUBT_REUSED;
}

void sc_graph_node_file_gone(struct sc_analysis *a, const struct sc_graph_node *n, uint64_t ended,
			     struct sc_finding *f)
{
	if (f->confidence == SC_PROVEN && sc_graph_node_is_unsure(n)) {
		f->confidence = SC_POSSIBLE;
		f->doubt = SC_DOUBT_BODY;
	}
	if (f->confidence != SC_PROVEN)
		f->severity = SC_WARNING;
	sc_finding_add_earlier(f, ended - 1, SC_SIDE_FREE);
	sc_finding_file(a, f, NULL, &n->op);
}

/* A kernel node keeps the addresses that it was given. */
static void check_parameters(struct sc_analysis *a, const struct sc_step *step,
			     const struct sc_graph_node *n)
{
	const struct sc_record node = sc_graph_node_record(n);
	uint32_t bytes = 0, head = sizeof(struct sc_launch);
	const uint8_t *data = sc_record_attachment(&node, SC_ATTACH_LAUNCH, &bytes);

	for (uint32_t at = head; data && at + 8 <= bytes; at += 8) {
		struct sc_finding f = sc_graph_node_finding(n, SC_RULE_136, step);
		const struct sc_dead *dead;
		struct sc_gone gone;

		memcpy(&f.side[0].address, data + at, sizeof(uint64_t));
		dead = find_gone(a, n, f.side[0].address, &gone);
		if (!dead || !sc_graph_node_judge_gone(a, n, at - head, &gone, &f))
			continue;
		f.allocation = dead->sequence;
		sc_graph_node_file_gone(a, n, dead->freed, &f);
		return;
	}
}

static void check_event(struct sc_analysis *a, const struct sc_step *step,
			const struct sc_graph_node *n)
{
	struct sc_finding f;

	if (!sc_misuse_is_dead_event(a, n->op.object))
		return;
	f = sc_graph_node_finding(n, SC_RULE_136, step);
	sc_finding_file(a, &f, NULL, &n->op);
}

void sc_graph_node_check_operands(struct sc_analysis *a, const struct sc_step *step,
				  const struct sc_graph_node *n)
{
	if (n->is_disabled)
		return;
	if (n->op.kind == SC_OP_KERNEL)
		check_parameters(a, step, n);
	else
		sc_graph_node_visit(a, step, n, check_operand);
}

void sc_graph_node_check_events(struct sc_analysis *a, const struct sc_step *step,
				const struct sc_graph *g)
{
	for (size_t i = 0; i < g->records.count; i++)
		check_event(a, step, sc_graph_at(g, g->records.items[i].node));
	for (size_t i = 0; i < g->waits.count; i++)
		check_event(a, step, sc_graph_at(g, g->waits.items[i].node));
}

/* SC-323: a programmatic edge out of a kernel that never triggers. */
static void check_edges(struct sc_analysis *a, const struct sc_step *step, const struct sc_graph *g,
			uint32_t place)
{
	const struct sc_edges *e = &g->topology->rows.edges;
	const struct sc_graph_node *n = sc_graph_at(g, place);
	struct sc_finding f;

	if (!g->topology->rows.sorted || n->is_disabled || n->op.flags & SC_FLAG_LIBRARY)
		return;
	for (uint32_t k = e->first[place]; k < e->first[place + 1]; k++) {
		unsigned grid;

		if (e->ports[k] != SC_PORT_TRIGGER)
			continue;
		grid = sc_code_grid(&a->kernels.code, sc_graph_at(g, e->list[k])->op.object);
		if (!(grid & SC_GRID_KNOWN) || grid & SC_GRID_TRIGGER)
			continue;
		f = sc_graph_node_finding(n, SC_RULE_323, step);
		sc_finding_file(a, &f, NULL, &n->op);
		return;
	}
}

static void take_uses(struct sc_analysis *a, const struct sc_replay *r, uint32_t place)
{
	const struct sc_replay_part *p = &r->parts[place];

	sc_vector_clear(&a->uses);
	for (uint32_t i = p->first; i < p->first + p->count; i++)
		sc_vector_push(&a->uses, r->uses.items[i].use);
}

/* D-4, P-12: what the device that a kernel runs on may use. */
void sc_graph_node_check_rights(struct sc_analysis *a, const struct sc_step *step,
				const struct sc_replay *r, uint32_t place)
{
	const struct sc_graph_node *n = sc_graph_at(r->graph, place);
	struct sc_worker worker = {.step = step, .node = n};

	if (n->op.kind != SC_OP_KERNEL || !n->op.context ||
	    !(a->machine.has_others || a->memory.mapped.count))
		return;
	take_uses(a, r, place);
	worker.context = sc_context_of(&a->order.streams, n->op.context);
	sc_rights_check(a, &worker);
	sc_mapping_check(a, &worker);
	sc_vector_clear(&a->uses); /* a launch has none of its own */
}

static void check_copy(struct sc_analysis *a, const struct sc_step *step, const struct sc_replay *r,
		       uint32_t place)
{
	const struct sc_graph_node *n = sc_graph_at(r->graph, place);

	if (n->op.kind != SC_OP_COPY || n->is_disabled)
		return;
	take_uses(a, r, place);
	sc_copy_overlap_check(a, &(struct sc_worker){.step = step, .node = n});
	sc_vector_clear(&a->uses); /* a launch has none of its own */
}

void sc_graph_node_check(struct sc_analysis *a, const struct sc_step *step,
			 const struct sc_replay *r, uint32_t place)
{
	const struct sc_replay_part *p = &r->parts[place];

	sc_graph_node_check_operands(a, step, sc_graph_at(r->graph, place));
	sc_graph_node_check_rights(a, step, r, place);
	check_copy(a, step, r, place);
	check_edges(a, step, r->graph, place);
	for (uint32_t i = p->first; i < p->first + p->count; i++)
		if (r->uses.items[i].use.allocation->graph)
			check_life(a, step, r->graph, &r->uses.items[i]);
}
