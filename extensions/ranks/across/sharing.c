/* Sharing: uses of shared memory, compared when they are enqueued, judged at the end. */
#include "extensions/ranks/across/sharing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/finding/verdict.h"
#include "analyzer/memory/shape.h"
#include "base/heap.h"

#define SWEEP_FIRST 64 /* uses, before some are forgotten */

/* Without gaps: it is hashed as bytes. */
struct lane_key {
	uint64_t process, lane;
};

/* A time line of a process, as a stream: its uses end in the order of their positions. */
struct sc_sharing_line {
	struct lane_key key;
	uint32_t number;			 /* the lane in clocks */
	bool is_busy;				 /* it is among those */
	SC_VECTOR(struct sc_sharing_use *) open; /* owned: whose end the host does not know */
	UT_hash_handle hh;
};

/* What an op does to some bytes of shared memory. */
struct sc_sharing_use {
	struct sc_match_key key; /* of the op */
	unsigned refs;
	struct sc_sharing_line *line; /* borrowed */
	uint64_t position;	      /* of its end there */
	struct sc_access shape;	      /* from the memory's first byte on */
	uint64_t memory;	      /* + 1 of the op that began it */
	uint32_t call, stack;
	uint16_t kind; /* of the op */
	uint64_t entered_ns, known_ns;
	uint64_t learned_ns; /* the host of another process knew, by an event; 0: none did */
	uint16_t early;	     /* rule by which its call returned before the end; 0: none */
	bool is_known;	     /* by the host of its process, since known_ns */
	bool is_far;	     /* others that share the memory may be on other nodes */
	bool is_whole;	     /* all that may come before it is known */
	bool is_unsure;	     /* it comes after a wait that may have been for this or that record */
	bool is_covered;     /* a record or a turn comes after it, unless its host knew before */
};

/* Without gaps: it is hashed as bytes. */
struct pair_key {
	uint32_t process[2];
	uint32_t stack[2];
};

/* Two call sites whose uses are not ordered. */
struct sc_sharing_pair {
	struct pair_key key;
	unsigned count;
	struct example {
		struct sc_sharing_use *use[2]; /* owned references */
		uint64_t first, bytes;	       /* of the memory */
		bool is_certain;	       /* the two have bytes in common */
	} example[SC_SHARING_EXAMPLES];
	UT_hash_handle hh;
};

/* What comes after operations of NCCL that are not over yet: a use, or the record of an event, for
 * which its process is held. */
struct later {
	struct sc_awaiting awaiting; /* the first member */
	struct sc_sharing_use *use;  /* owned reference, or NULL */
	struct sc_sharing_object *object;
	struct sc_across_event record;
	unsigned process;
};

struct sc_sharing_process {
	struct sc_clock *after; /* owned: what the next use or record comes after */
	struct sc_access shape; /* of the next use: rows and slices */
	uint64_t last_ns;	/* of its last event: what comes after that is not known */
	uint8_t doubt;		/* enum sc_doubt: of all its order */
	bool is_over;		/* it learns nothing any more */
};

/* ---- uses ---- */

static void put_use(struct sc_sharing_use *u)
{
	if (!--u->refs)
		free(u);
}

static struct sc_sharing_line *line_of(struct sc_sharing *s, unsigned process, uint32_t lane)
{
	struct lane_key key = {.process = process, .lane = lane};
	struct sc_sharing_line *x;

	sc_hash_get(s->lines, key, key, x);
	if (!x->number)
		x->number = s->lanes++;
	return x;
}

static void know(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_sharing_line *x = line_of(s, process, e->own);
	size_t kept = 0;

	for (size_t i = 0; i < x->open.count; i++) {
		struct sc_sharing_use *u = x->open.items[i];

		if (u->position > e->group) {
			x->open.items[kept++] = u;
			continue;
		}
		u->is_known = 1;
		u->known_ns = e->time_ns;
		put_use(u);
	}
	x->open.count = kept;
	s->known_ns = e->time_ns > s->known_ns ? e->time_ns : s->known_ns;
	sc_clock_raise(&s->knowledge.pool, &s->knowledge.of[process].clock, x->number, e->group);
}

/* The next record or turn of the process comes after the line up to there. */
static void cover(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_sharing_line *x = line_of(s, process, e->own);

	if (e->tag && !sc_shared_object(&s->shared, process, e->tag))
		return;
	for (size_t i = 0; i < x->open.count; i++)
		x->open.items[i]->is_covered |= x->open.items[i]->position <= e->group;
	sc_clock_raise(&s->knowledge.pool, &s->processes[process].after, x->number, e->group);
}

/* ---- order ---- */

/* The use is complete before whatever comes after the clock. */
static bool is_before(const struct sc_sharing_use *u, const struct sc_clock *c)
{
	return sc_clock_at(c, u->line->number) >= u->position;
}

static bool writes(const struct sc_sharing_use *u)
{
	return sc_mode_writes(u->shape.mode);
}

static bool is_conflict(const struct sc_sharing_use *a, const struct sc_sharing_use *b)
{
	return a->key.process != b->key.process && (writes(a) || writes(b)) &&
	       !(sc_mode_is_atomic(a->shape.mode) && sc_mode_is_atomic(b->shape.mode));
}

/* All that share the memory, and go on, know that the use is complete. */
static bool is_past(const struct sc_sharing *s, const struct sc_sharing_object *x,
		    const struct sc_sharing_use *u)
{
	if (!u->is_known)
		return 0;
	for (size_t i = 0; i < x->sharers.count; i++) {
		unsigned p = x->sharers.items[i];

		if (p != u->key.process && !s->processes[p].is_over &&
		    !is_before(u, s->knowledge.of[p].clock))
			return 0;
	}
	return 1;
}

/* Nobody asks when its end will be known. */
static void forget(struct sc_sharing_use *u)
{
	struct sc_sharing_line *x = u->line;
	size_t kept = 0;

	for (size_t i = 0; i < x->open.count; i++)
		if (x->open.items[i] != u)
			x->open.items[kept++] = x->open.items[i];
	u->refs -= (unsigned)(x->open.count - kept);
	x->open.count = kept;
	put_use(u);
}

static void sweep(struct sc_sharing *s, struct sc_sharing_object *x)
{
	size_t kept = 0, first = 0;

	for (size_t i = 0; i < x->uses.count; i++)
		if (is_past(s, x, x->uses.items[i]))
			put_use(x->uses.items[i]);
		else
			x->uses.items[kept++] = x->uses.items[i];
	x->uses.count = kept;
	if (kept >= SC_SHARING_USES_MOST) {
		for (first = 0; first < kept / 2; first++)
			forget(x->uses.items[first]);
		for (size_t i = first; i < kept; i++)
			x->uses.items[i - first] = x->uses.items[i];
		x->uses.count -= first;
		s->forgotten += first;
	}
	x->sweep_at =
		x->uses.count < SC_SHARING_USES_MOST / 2 ? x->uses.count * 2 : SC_SHARING_USES_MOST;
}

/* ---- pairs ---- */

static struct sc_sharing_pair *pair_of(struct sc_sharing *s, const struct sc_sharing_use *a,
				       const struct sc_sharing_use *b)
{
	struct pair_key key = {{(uint32_t)a->key.process, (uint32_t)b->key.process},
			       {a->stack, b->stack}};
	struct sc_sharing_pair *x;

	HASH_FIND(hh, s->pairs, &key, sizeof(key), x);
	if (x)
		return x;
	if (HASH_COUNT(s->pairs) >= SC_SHARING_PAIRS_MOST) {
		s->left_out++;
		return NULL;
	}
	x = sc_heap_xcalloc(1, sizeof(*x));
	x->key = key;
	HASH_ADD(hh, s->pairs, key, sizeof(x->key), x);
	return x;
}

static void note_race(struct sc_sharing *s, struct sc_sharing_use *a, struct sc_sharing_use *b)
{
	uint64_t first = 0, end = 0;
	enum sc_overlap overlap = sc_shape_overlap(&a->shape, &b->shape, &first, &end);
	struct sc_sharing_use *low = a->key.process < b->key.process ? a : b;
	struct sc_sharing_use *high = low == a ? b : a;
	struct sc_sharing_pair *x;

	if (overlap == SC_APART)
		return;
	if (s->see_race)
		s->see_race(s->see_data, a->key, b->key);
	x = pair_of(s, low, high);
	if (!x || x->count == SC_SHARING_EXAMPLES)
		return;
	low->refs++;
	high->refs++;
	x->example[x->count++] = (struct example){.use = {low, high},
						  .first = first,
						  .bytes = end - first,
						  .is_certain = overlap == SC_OVERLAPS};
}

/* ---- events ---- */

static struct sc_access shape_of(struct sc_sharing_process *p, const struct sc_across_event *e)
{
	struct sc_access shape = p->shape;

	p->shape = (struct sc_access){0};
	if (!shape.rows)
		shape.rows = shape.slices = 1;
	shape.base = e->operation;
	shape.width = e->bytes;
	shape.mode = (uint8_t)e->value;
	shape.known = (uint8_t)(e->value >> 8);
	return shape;
}

static struct sc_clock *take_after(struct sc_sharing *s, unsigned process)
{
	struct sc_clock *c = sc_clock_get(s->knowledge.of[process].clock);
	struct sc_sharing_process *p = &s->processes[process];

	sc_clock_join(&s->knowledge.pool, &c, p->after);
	sc_clock_put(&s->knowledge.pool, p->after);
	p->after = NULL;
	return c;
}

/* The same as the older one, and later in its line: whatever races with that from now on races with
 * this, too, at least as surely. */
static bool is_again(const struct sc_sharing_use *u, const struct sc_sharing_use *older)
{
	return u->line == older->line && u->position > older->position &&
	       u->stack == older->stack && u->call == older->call && u->early == older->early &&
	       u->is_whole >= older->is_whole && u->is_unsure <= older->is_unsure &&
	       !memcmp(&u->shape, &older->shape, sizeof(u->shape));
}

/* The use is known with all that it comes after. Of a loop the first uses stay, which a pair has as
 * examples, and the last one. */
static void compare(struct sc_sharing *s, struct sc_sharing_object *x, struct sc_sharing_use *u,
		    const struct sc_clock *now)
{
	size_t again = 0, last = 0;

	u->is_whole = sc_knowledge_is_whole(&s->knowledge, now);
	u->is_unsure = sc_clock_at(now, s->shared.unsure) != 0;
	for (size_t i = 0; i < x->uses.count; i++) {
		struct sc_sharing_use *older = x->uses.items[i];

		if (is_conflict(older, u) && !is_before(older, now))
			note_race(s, older, u);
		if (is_again(u, older)) {
			again++;
			last = i;
		}
	}
	if (again > SC_SHARING_EXAMPLES) {
		put_use(x->uses.items[last]);
		x->uses.items[last] = u;
		return;
	}
	sc_vector_push(&x->uses, u);
	if (x->uses.count >= SWEEP_FIRST && x->uses.count >= x->sweep_at)
		sweep(s, x);
}

static void go_on(struct sc_rendezvous *r, struct sc_awaiting *self)
{
	struct later *l = (struct later *)self;
	struct sc_sharing *s = r->data;

	if (l->use) {
		compare(s, l->object, l->use, self->clock);
		sc_clock_put(&s->knowledge.pool, self->clock);
	} else {
		sc_shared_record(&s->shared, l->process, &l->record, self->clock);
		s->knowledge.hold(s->knowledge.hold_data, l->process, 0);
	}
	free(l);
}

static void drop_later(struct sc_rendezvous *r, struct sc_awaiting *self)
{
	struct later *l = (struct later *)self;

	if (l->use)
		put_use(l->use);
	sc_clock_put(&r->knowledge->pool, self->clock);
	free(l);
}

static void wait_with(struct sc_sharing *s, unsigned process, struct later what,
		      struct sc_clock *now)
{
	struct later *l = sc_heap_xcalloc(1, sizeof(*l));

	*l = what;
	l->process = process;
	l->awaiting = (struct sc_awaiting){.clock = now, .go_on = go_on, .drop = drop_later};
	sc_rendezvous_await(&s->rendezvous, process, &l->awaiting);
}

static void use(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_access shape = shape_of(&s->processes[process], e);
	struct sc_clock *now = take_after(s, process);
	struct sc_sharing_object *x = sc_shared_object(&s->shared, process, e->tag);
	struct sc_sharing_line *line;
	struct sc_sharing_use *u;

	if (x && !x->is_event && sc_shape_simplify(&shape)) {
		line = line_of(s, process, e->own);
		u = sc_heap_xcalloc(1, sizeof(*u));
		*u = (struct sc_sharing_use){.key = {.sequence = e->sequence, .process = process},
					     .refs = 2, /* the line's, and the object's */
					     .line = line,
					     .position = e->group,
					     .shape = shape,
					     .memory = e->tag,
					     .call = e->call,
					     .stack = e->peer,
					     .kind = (uint16_t)(e->value >> 16),
					     .early = (uint16_t)e->link,
					     .is_far = x->is_far,
					     .entered_ns = e->time_ns};
		sc_vector_push(&line->open, u);
		if (!line->is_busy)
			sc_vector_push(&s->busy, line);
		line->is_busy = 1;
		if (sc_rendezvous_is_early(&s->rendezvous, process)) {
			wait_with(s, process, (struct later){.use = u, .object = x}, now);
			return;
		}
		compare(s, x, u, now);
	}
	sc_rendezvous_skip(&s->rendezvous, process);
	sc_clock_put(&s->knowledge.pool, now);
}

static void record(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_clock *now = take_after(s, process);
	struct sc_clock *own = sc_knowledge_snapshot(&s->knowledge, process, e->sequence);

	sc_clock_join(&s->knowledge.pool, &now, own);
	sc_clock_put(&s->knowledge.pool, own);
	if (!sc_rendezvous_is_early(&s->rendezvous, process)) {
		sc_shared_record(&s->shared, process, e, now);
		return;
	}
	s->knowledge.hold(s->knowledge.hold_data, process, 1);
	wait_with(s, process, (struct later){.record = *e}, now);
}

/* Waits are kept with messages: what they bring is known when they are over. */
static void wait_for(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	sc_knowledge_keep(&s->knowledge, process, e->sequence,
			  sc_shared_wait(&s->shared, process, e->tag));
}

/* From then on a host other than its own may have said that the use is complete. Of a wait that is
 * not certain any record may have been meant. */
static void note_learned(const struct sc_sharing *s, struct sc_sharing_use *u,
			 const struct sc_clock *c, uint64_t time_ns)
{
	bool may_know = is_before(u, c) || (u->is_covered && sc_clock_at(c, s->shared.unsure));

	if (may_know && (!u->learned_ns || time_ns < u->learned_ns))
		u->learned_ns = time_ns;
}

static void note_busy_learned(struct sc_sharing *s, const struct sc_clock *c, uint64_t time_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->busy.count; i++) {
		struct sc_sharing_line *x = s->busy.items[i];

		for (size_t k = 0; k < x->open.count; k++)
			note_learned(s, x->open.items[k], c, time_ns);
		x->is_busy = x->open.count > 0;
		if (x->is_busy)
			s->busy.items[kept++] = x;
	}
	s->busy.count = kept;
}

/* What the clock covers is complete, and a host knows it. Uses whose own host knew that before need
 * not be looked at: all that are not open, if this is the latest that any host got to know. */
static void note_all_learned(void *data, const struct sc_clock *c, uint64_t time_ns)
{
	struct sc_sharing *s = data;

	if (!c)
		return;
	if (time_ns >= s->known_ns)
		note_busy_learned(s, c, time_ns);
	else
		for (const struct sc_sharing_object *x = s->shared.objects; x; x = x->hh.next)
			for (size_t i = 0; i < x->uses.count; i++)
				note_learned(s, x->uses.items[i], c, time_ns);
	for (struct sc_sharing_pair *x = s->pairs; x; x = x->hh.next)
		for (unsigned i = 0; i < 2 * x->count; i++)
			note_learned(s, x->example[i / 2].use[i % 2], c, time_ns);
}

static void learn(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_clock *c = sc_knowledge_kept(&s->knowledge, process, e->link - 1);

	note_all_learned(s, c, e->time_ns);
	sc_clock_join(&s->knowledge.pool, &s->knowledge.of[process].clock, c);
	sc_knowledge_drop(&s->knowledge, process, e->link - 1);
}

static void take(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	struct sc_sharing_process *p = &s->processes[process];
	struct sc_clock_pool *pool = &s->knowledge.pool;

	switch ((enum sc_across_what)e->what) {
	case SC_ACROSS_BINDING: sc_shared_bind(&s->shared, process, e); break;
	case SC_ACROSS_DOUBT:
		p->doubt = (uint8_t)e->value;
		s->may_learn_unseen |= e->value == SC_DOUBT_LOST || e->value == SC_DOUBT_FOREIGN;
		break;
	case SC_ACROSS_SHARE: sc_shared_hand_over(&s->shared, process, e); break;
	case SC_ACROSS_SHAPE:
		p->shape = (struct sc_access){.pitch = e->operation,
					      .rows = e->bytes,
					      .slice_pitch = e->tag,
					      .slices = e->link};
		break;
	case SC_ACROSS_AFTER:
		if (!sc_rendezvous_after(&s->rendezvous, process, e->link - 1, &p->after))
			sc_clock_join(pool, &p->after,
				      sc_knowledge_kept(&s->knowledge, process, e->link - 1));
		break;
	case SC_ACROSS_ACCESS: use(s, process, e); break;
	case SC_ACROSS_KNOWN: know(s, process, e); break;
	case SC_ACROSS_COVER: cover(s, process, e); break;
	case SC_ACROSS_RECORD: record(s, process, e); break;
	case SC_ACROSS_WAIT: wait_for(s, process, e); break;
	case SC_ACROSS_LEARNED:
		if (!sc_rendezvous_learn(&s->rendezvous, process, e))
			learn(s, process, e);
		break;
	case SC_ACROSS_EXIT: p->is_over = 1; break;
	case SC_ACROSS_VAGUE:
		p->doubt = SC_DOUBT_LOST;
		s->may_learn_unseen = 1;
		break;
	case SC_ACROSS_MESSAGE:
	case SC_ACROSS_TURN:
	case SC_ACROSS_TURN_END: sc_rendezvous_take(&s->rendezvous, process, e, NULL); break;
	case SC_ACROSS_TURN_AFTER:
		sc_rendezvous_take(&s->rendezvous, process, e, take_after(s, process));
		break;
	case SC_ACROSS_GROUP:
	case SC_ACROSS_END:
	case SC_ACROSS_RANK:
	case SC_ACROSS_STUCK:
	case SC_ACROSS_ENDED:
	case SC_ACROSS_RETURN: break;
	}
}

void sc_sharing_take(struct sc_sharing *s, unsigned process, const struct sc_across_event *e)
{
	if (!sc_across_is_early(e))
		s->processes[process].last_ns = e->time_ns;
	sc_knowledge_before(&s->knowledge, process, e);
	sc_match_take(s->match, process, e);
	sc_knowledge_after(&s->knowledge, process, e);
	take(s, process, e);
	sc_holders_take(&s->holders, process, e);
}

void sc_sharing_give_up(struct sc_sharing *s)
{
	sc_knowledge_give_up(&s->knowledge);
	sc_shared_give_up(&s->shared);
	sc_rendezvous_give_up(&s->rendezvous);
}

/* ---- findings ---- */

static const char *deed(const struct sc_sharing_use *u)
{
	if (u->shape.mode == SC_ATOMIC)
		return "updates";
	if (!writes(u))
		return "reads";
	return u->shape.mode & SC_READ ? "reads and writes" : "writes";
}

/* Until when the host did not know that the use is complete; of a trace that ends before, until its
 * end. */
static uint64_t unknown_until(const struct sc_sharing *s, const struct sc_sharing_use *u)
{
	uint64_t own = u->is_known ? u->known_ns : s->processes[u->key.process].last_ns;

	return u->learned_ns && u->learned_ns < own ? u->learned_ns : own;
}

/* No host knew that one was complete when the other one was enqueued. */
static bool is_together(const struct sc_sharing *s, const struct example *x)
{
	return x->use[0]->entered_ns < unknown_until(s, x->use[1]) &&
	       x->use[1]->entered_ns < unknown_until(s, x->use[0]);
}

static enum sc_doubt doubt_of(const struct sc_sharing *s, const struct example *x)
{
	for (unsigned i = 0; i < 2; i++) {
		if (x->use[i]->shape.known == SC_KNOWN_PARAMETER)
			return SC_DOUBT_FOOTPRINT;
		if (x->use[i]->shape.known != SC_KNOWN_EXACT || !x->is_certain)
			return SC_DOUBT_OVER;
		if ((s->may_learn_unseen || x->use[i]->is_unsure) && x->use[!i]->is_covered)
			return SC_DOUBT_FOREIGN;
	}
	for (unsigned i = 0; i < 2; i++)
		if (s->processes[x->use[i]->key.process].doubt)
			return (enum sc_doubt)s->processes[x->use[i]->key.process].doubt;
	if (s->rendezvous.is_unsure)
		return SC_DOUBT_PEERS;
	if (x->use[0]->is_far)
		return SC_DOUBT_CLOCKS;
	return is_together(s, x) ? SC_DOUBT_NONE : SC_DOUBT_CHANNEL;
}

/* Of processes that send each other nothing that is followed, all order is unseen. */
static bool is_known(const struct sc_sharing *s, const struct example *x)
{
	return (!x->use[0]->is_far && is_together(s, x)) ||
	       (x->use[0]->is_whole && x->use[1]->is_whole &&
		s->match->processes[x->use[0]->key.process].rank &&
		s->match->processes[x->use[1]->key.process].rank);
}

static void file(struct sc_sharing *s, const struct example *x, unsigned side, enum sc_doubt doubt)
{
	const struct sc_sharing_use *own = x->use[side], *other = x->use[!side];
	const struct sc_sharing_use *first = own->entered_ns < other->entered_ns ? own : other;
	struct sc_buf text = {0};

	sc_match_name(&text, s->match, (unsigned)other->key.process);
	sc_buf_printf(&text, " %s %" PRIu64 " of these bytes by %s", deed(other), x->bytes,
		      sc_match_call(s->match, other->call));
	sc_across_remark_place(&text, (uint32_t)other->key.process, other->key.sequence);
	if (other == first && other->early)
		sc_buf_add(&text, ", which may return before it is complete");
	sc_buf_add(&text, "; no message, collective or event between the two orders them");
	sc_across_remarks_add(s->remarks, (uint32_t)own->key.process,
			      (struct sc_remark){.sequence = own->key.sequence,
						 .rule = 175,
						 .cause = first->early,
						 .doubt = (uint8_t)doubt,
						 .memory = own->memory,
						 .from = x->first,
						 .bytes = x->bytes},
			      &text);
}

static void judge(struct sc_sharing *s, const struct sc_sharing_pair *x)
{
	const struct example *best = NULL;

	for (unsigned i = 0; i < x->count; i++) {
		const struct example *e = &x->example[i];

		if (!is_known(s, e))
			continue;
		if (!best || (doubt_of(s, best) && !doubt_of(s, e)))
			best = e;
	}
	if (!best)
		return;
	file(s, best, 0, doubt_of(s, best));
	file(s, best, 1, doubt_of(s, best));
}

void sc_sharing_finish(struct sc_sharing *s)
{
	if (s->match->is_double)
		return;
	for (const struct sc_sharing_pair *x = s->pairs; x; x = x->hh.next)
		judge(s, x);
	sc_holders_finish(&s->holders);
}

/* ---- begin and end ---- */

void sc_sharing_init(struct sc_sharing *s, struct sc_match *m, struct sc_across_remarks *remarks,
		     void (*hold)(void *data, unsigned process, bool is_held), void *data)
{
	*s = (struct sc_sharing){.match = m,
				 .remarks = remarks,
				 .processes =
					 sc_heap_xcalloc(m->count + 1u, sizeof(*s->processes))};
	sc_knowledge_init(&s->knowledge, m);
	sc_shared_init(&s->shared, &s->knowledge);
	s->lanes = s->shared.unsure + 1;
	sc_holders_init(&s->holders, &s->shared, m, remarks);
	sc_rendezvous_init(&s->rendezvous, &s->knowledge, s);
	s->rendezvous.learned = note_all_learned;
	s->knowledge.hold = hold;
	s->knowledge.hold_data = data;
}

static void free_pair(struct sc_sharing *s, struct sc_sharing_pair *x)
{
	HASH_DEL(s->pairs, x);
	for (unsigned i = 0; i < x->count; i++) {
		put_use(x->example[i].use[0]);
		put_use(x->example[i].use[1]);
	}
	free(x);
}

static void free_line(struct sc_sharing *s, struct sc_sharing_line *x)
{
	HASH_DEL(s->lines, x);
	for (size_t i = 0; i < x->open.count; i++)
		put_use(x->open.items[i]);
	sc_vector_fini(&x->open);
	free(x);
}

void sc_sharing_fini(struct sc_sharing *s)
{
	while (s->pairs)
		free_pair(s, s->pairs);
	while (s->lines)
		free_line(s, s->lines);
	for (struct sc_sharing_object *x = s->shared.objects; x; x = x->hh.next)
		for (size_t i = 0; i < x->uses.count; i++)
			put_use(x->uses.items[i]);
	for (unsigned i = 0; i < s->match->count; i++)
		sc_clock_put(&s->knowledge.pool, s->processes[i].after);
	sc_vector_fini(&s->busy);
	sc_holders_fini(&s->holders);
	sc_rendezvous_fini(&s->rendezvous);
	sc_shared_fini(&s->shared);
	sc_knowledge_fini(&s->knowledge);
	free(s->processes);
}
