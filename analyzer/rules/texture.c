/* Rules 115, 116, 117, 136 for texture and surface objects: kernels that have the handle of one
 * that is destroyed, or whose memory is gone (P-5, G-1). */
#include <stdbool.h>
#include "analyzer/access/access.h"
#include "analyzer/access/launch.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/graph_node.h"
#include "analyzer/rules/in_flight.h"
#include "analyzer/rules/lifetime.h"

#define USES_FIRST  4096 /* then those that the host knows to be over are forgotten */
#define ANY	    (UINT64_C(1) << 63)
#define ARRAY_APART (UINT64_C(1) << 36) /* addresses of arrays (trace/op.h) */
#define NONE	    SIZE_MAX

/* The last launch in a stream that uses an object so surely; or, by a handle that it loads, any
 * object of a kind. */
struct last_use {
	uint64_t object; /* of the map below */
	size_t next;	 /* of the same object, or NONE */
	struct sc_interval when;
	uint64_t launch; /* its sequence */
	uint64_t node;	 /* sequence of the graph's node, + 1, or 0 */
	uint32_t stream, context;
	uint8_t known; /* enum sc_known */
};

struct textures {
	SC_VECTOR(struct last_use) uses;
	struct sc_u64_map by_object; /* `made`, or ANY with context and kind → first use + 1 */
	size_t most;		     /* of them, where those that are over are forgotten */
	sc_handle_uses handles;	     /* of the current launch */
	bool has_any;
};

/* Who uses handles: a launch, or a node in it. */
struct user {
	const struct sc_step *step;
	const struct sc_graph_node *node; /* or NULL */
	const struct sc_op *op;		  /* the kernel's */
	uint64_t sequence;		  /* of that */
	struct sc_touched touched;
};

/* ---- what was executed ---- */

static bool is_executed(const struct user *u)
{
	return u->touched.list && u->touched.list->how == SC_HOW_EXECUTION &&
	       !u->touched.is_partial;
}

/* The launch was seen to touch nothing of the object's memory. */
static bool is_refuted(const struct sc_touched *t, const struct sc_texture *object)
{
	const struct sc_access all =
		sc_shape_linear(object->start, object->bytes ? object->bytes : ARRAY_APART,
				SC_WRITE, SC_KNOWN_EXACT);
	uint64_t first, end;

	if (!object->start || !t->list || t->list->how != SC_HOW_EXECUTION || t->is_partial)
		return 0;
	for (size_t i = 0; i < t->count; i++) {
		struct sc_access access = t->list[i];

		if (sc_shape_simplify(&access) &&
		    sc_shape_overlap(&access, &all, &first, &end) != SC_APART)
			return 0;
	}
	return 1;
}

/* ---- launches in flight ---- */

static bool is_over(const struct last_use *use, const struct sc_step *step)
{
	return sc_interval_before(&use->when, &step->host);
}

static void link_use(struct textures *s, size_t at)
{
	uint64_t *first = sc_u64_map_get(&s->by_object, s->uses.items[at].object);

	s->uses.items[at].next = *first ? *first - 1 : NONE;
	*first = at + 1;
}

static void forget_known(struct textures *s, const struct sc_step *step)
{
	size_t kept = 0;

	sc_u64_map_fini(&s->by_object);
	for (size_t i = 0; i < s->uses.count; i++) {
		if (is_over(&s->uses.items[i], step))
			continue;
		s->uses.items[kept] = s->uses.items[i];
		link_use(s, kept++);
	}
	s->uses.count = kept;
	s->most = kept * 2 > USES_FIRST ? kept * 2 : USES_FIRST;
}

static struct last_use *use_of(struct textures *s, uint64_t object, uint32_t stream, uint8_t known)
{
	const uint64_t *first = sc_u64_map_find(&s->by_object, object);

	for (size_t at = first ? *first - 1 : NONE; at != NONE; at = s->uses.items[at].next) {
		struct last_use *use = &s->uses.items[at];

		if (use->stream == stream && use->known == known)
			return use;
	}
	sc_vector_push(&s->uses,
		       ((struct last_use){.object = object, .stream = stream, .known = known}));
	link_use(s, s->uses.count - 1);
	return sc_vector_last(&s->uses);
}

static void note_use(struct textures *s, const struct user *u, uint64_t object, uint8_t known)
{
	struct last_use *use;

	if (s->uses.count > s->most)
		forget_known(s, u->step);
	use = use_of(s, object, u->step->stream->id, known);
	use->when = (struct sc_interval){.lane = u->step->when.lane,
					 .position = u->step->when.position,
					 .entered = u->step->when.position};
	use->launch = u->step->sequence;
	use->node = u->node ? u->sequence + 1 : 0;
	use->context = u->step->stream->context->id;
}

/* ---- the end of an object ---- */

static uint64_t any_of(bool is_surface, uint32_t context)
{
	return ANY | (uint64_t)context << 1 | is_surface;
}

static bool is_in_flight(struct sc_analysis *a, const struct last_use *use,
			 const struct sc_step *step)
{
	return !is_over(use, step) && !sc_context_of(&a->order.streams, use->context)->faulted;
}

static void doubt_use(struct sc_finding *f)
{
	f->confidence = SC_POSSIBLE;
	f->severity = SC_WARNING;
	if (f->doubt == SC_DOUBT_NONE)
		f->doubt = SC_DOUBT_HANDLE;
}

/* H-3: the host freed something between the two, and that may have waited for the launch. */
static void explain_free(struct sc_analysis *a, const struct last_use *use, struct sc_finding *f)
{
	if (sc_context_of(&a->order.streams, use->context)->last_free <= use->launch + 1)
		return;
	f->causes[0] = SC_RULE_204;
	f->severity = SC_WARNING;
}

static void file_end(struct sc_analysis *a, const struct sc_step *step, const struct last_use *use)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_115, NULL, 0, step->op, step->sequence);
	struct sc_finding *kept;

	f.side[0].mode = SC_SIDE_FREE;
	sc_finding_add_earlier(&f, use->node ? use->node - 1 : use->launch, SC_SIDE_READ);
	f.side[0].launch = use->node ? use->launch + 1 : 0;
	f.side[0].stream = use->stream;
	f.fix = SC_FIX_SYNC_STREAM;
	f.fix_stream = use->stream;
	f.fix_before = step->sequence + 1;
	explain_free(a, use, &f);
	sc_in_flight_judge(a, use->when.lane, use->when.position, step, &f);
	if (use->known != SC_KNOWN_EXACT)
		doubt_use(&f);
	kept = sc_finding_file(a, &f, NULL, step->op);
	if (kept)
		sc_in_flight_note(a, use->when.lane, use->when.position, step, kept);
}

/* One use of those in flight: a certain one, if there is one. */
static const struct last_use *find_use(struct textures *s, struct sc_analysis *a,
				       const struct sc_step *step, uint64_t object)
{
	const uint64_t *first = sc_u64_map_find(&s->by_object, object);
	const struct sc_texture *gone = &a->kernels.textures.gone;
	const struct last_use *found = NULL;

	for (size_t at = first ? *first - 1 : NONE; at != NONE; at = s->uses.items[at].next) {
		const struct last_use *use = &s->uses.items[at];
		struct sc_touched touched = {0};

		if (!is_in_flight(a, use, step) || (found && use->known != SC_KNOWN_EXACT))
			continue;
		if (!use->node && use->known != SC_KNOWN_EXACT)
			touched = sc_access_touched(&a->kernels, use->launch);
		if (!is_refuted(&touched, gone))
			found = use;
	}
	return found;
}

/* SC-115. A handle that a kernel loads may be that of any object. */
static void check_end(struct textures *s, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_texture *gone = &a->kernels.textures.gone;
	const struct last_use *use;

	if (!gone->made || a->has_ended || step->op->flags & SC_FLAG_LIBRARY)
		return;
	use = find_use(s, a, step, gone->made);
	if (!use)
		use = find_use(s, a, step, any_of(step->op->object != 0, step->op->context));
	if (use)
		file_end(a, step, use);
}

/* ---- uses after the end ---- */

static struct sc_finding begin_use(const struct user *u, unsigned rule)
{
	return u->node ? sc_graph_node_finding(u->node, SC_RULE_136, u->step)
		       : sc_finding_begin(rule, NULL, 0, u->op, u->sequence);
}

static void file_use(struct sc_analysis *a, const struct user *u, const struct sc_handle_use *h,
		     uint64_t ended, uint8_t mode, struct sc_finding *f)
{
	if (h->known != SC_KNOWN_EXACT)
		doubt_use(f);
	sc_finding_add_earlier(f, ended, mode);
	sc_finding_file(a, f, NULL, u->op);
}

/* SC-117, SC-136: the object is destroyed, whether the handle came back or not. What was executed
 * to its end has not used it. */
static void check_dead(struct sc_analysis *a, const struct user *u, const struct sc_handle_use *h)
{
	const uint64_t *destroyed = sc_textures_destroyed(&a->kernels.textures, h->is_surface,
							  u->op->context, h->handle);
	struct sc_finding f = begin_use(u, SC_RULE_117);

	if (!destroyed || (h->known != SC_KNOWN_EXACT && is_executed(u)))
		return;
	file_use(a, u, h, *destroyed, SC_SIDE_CALL, &f);
}

/* SC-116, SC-136: what the object was made of was freed, and nothing has that place. */
static void check_memory(struct sc_analysis *a, const struct user *u, const struct sc_handle_use *h,
			 const struct sc_texture *t)
{
	struct sc_finding f = begin_use(u, SC_RULE_116);
	const struct sc_dead *dead;
	uint64_t unused;

	if (!t->start || sc_memory_find(&a->memory, t->start, &unused))
		return;
	dead = sc_memory_find_dead(&a->memory, t->start);
	if (!dead || dead->freed <= t->made || (h->known != SC_KNOWN_EXACT && is_executed(u)))
		return;
	f.side[0].address = t->start;
	f.side[0].bytes = t->bytes;
	f.side[0].mode = SC_SIDE_READ;
	f.allocation = dead->sequence;
	if (sc_lifetime_may_be_unseen(a, t->start)) {
		f.confidence = SC_POSSIBLE;
		f.doubt = SC_DOUBT_REUSED;
	}
	file_use(a, u, h, dead->freed - 1, SC_SIDE_FREE, &f);
}

/* ---- launches ---- */

static void take_use(struct textures *s, struct sc_analysis *a, const struct user *u,
		     const struct sc_handle_use *h)
{
	uint64_t given = u->node ? sc_graph_node_given(u->node) : u->sequence;
	struct sc_texture t;

	if (!h->handle) {
		note_use(s, u, any_of(h->is_surface, u->op->context), h->known);
		return;
	}
	if (!sc_textures_find(&a->kernels.textures, h->is_surface, u->op->context, h->handle, &t) ||
	    t.made > given) {
		if (h->known != SC_KNOWN_PARAMETER)
			check_dead(a, u, h);
		return;
	}
	if (h->known != SC_KNOWN_EXACT && is_refuted(&u->touched, &t))
		return;
	note_use(s, u, t.made, h->known);
	if (h->known != SC_KNOWN_PARAMETER)
		check_memory(a, u, h, &t);
}

static void take_launch(struct textures *s, struct sc_analysis *a, const struct sc_record *r,
			const struct sc_step *step)
{
	struct user u = {.step = step, .op = &r->op, .sequence = r->sequence};

	sc_launch_handles(&a->kernels, r, &s->handles);
	if (s->handles.count)
		u.touched = sc_access_touched(&a->kernels, r->sequence);
	for (size_t i = 0; i < s->handles.count; i++)
		take_use(s, a, &u, &s->handles.items[i]);
}

static void take_node(struct textures *s, struct sc_analysis *a, const struct sc_graph_node *n,
		      const struct sc_step *step)
{
	const struct sc_record node = sc_graph_node_record(n);
	struct user u = {.step = step, .node = n, .op = &n->op, .sequence = n->sequence};

	sc_launch_handles(&a->kernels, &node, &s->handles);
	u.touched = sc_access_touched_node(&a->kernels, n->executed);
	for (size_t i = 0; i < s->handles.count; i++) {
		struct sc_handle_use *h = &s->handles.items[i];

		if (sc_graph_node_is_unsure(n) && h->known == SC_KNOWN_EXACT)
			h->known = SC_KNOWN_OVER;
		take_use(s, a, &u, h);
	}
}

static void take_graph(struct textures *s, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_exec *e = sc_exec_find(&a->order.execs, step->op->object);

	if (!e || !e->replay || e->graph->is_broken)
		return;
	for (uint32_t i = 0; i < e->graph->places; i++)
		if (e->replay->parts[i].has_handles)
			take_node(s, a, sc_graph_at(e->graph, i), step);
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct textures *s = state;

	(void)a;
	return s->has_any;
}

static const uint16_t kinds[] = {SC_OP_TEXTURE, SC_OP_TEXTURE_DESTROY, SC_OP_KERNEL,
				 SC_OP_GRAPH_LAUNCH, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct textures *s = state;
	const struct sc_op *op = &r->op;
	bool is_work = s->has_any && step->is_enqueued && !(op->flags & SC_FLAG_LIBRARY);

	if (op->phase == SC_PHASE_END)
		return;
	switch (op->kind) {
	case SC_OP_TEXTURE: s->has_any = 1; break;
	case SC_OP_TEXTURE_DESTROY: check_end(s, a, step); break;
	case SC_OP_KERNEL:
		if (is_work && a->kernels.has_handles)
			take_launch(s, a, r, step);
		break;
	case SC_OP_GRAPH_LAUNCH:
		if (is_work)
			take_graph(s, a, step);
		break;
	default: break;
	}
}

static void finish(void *state, struct sc_analysis *a)
{
	struct textures *s = state;

	(void)a;
	sc_u64_map_fini(&s->by_object);
	sc_vector_fini(&s->uses);
	sc_vector_fini(&s->handles);
}

const struct sc_rule_family sc_rules_texture = {
	.state_bytes = sizeof(struct textures),
	.kinds = kinds,
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
