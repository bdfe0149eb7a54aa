/* The recent stack: frames kept with what they were found by. */
#include "interposer/recent.h"

#include <string.h>
#include "interposer/arena.h"
#include "interposer/session.h"

#define PLACES 256
#define INLINE inline __attribute__((always_inline))

struct frame {
	struct sc_registers at;
	struct sc_rest rest; /* of the step to the next one */
};

struct list {
	uint32_t version;     /* of the code that is loaded; 0: empty */
	uint16_t count, most; /* frames: kept, asked for */
	struct sc_stack stack;
	struct frame frame[];
};

/* A list for each place on the stack that calls come from, and one to write the next one into. */
struct sc_recent {
	bool is_open;
	unsigned most;		   /* frames in a list */
	unsigned made;		   /* lists */
	struct list *last, *spare; /* used or written; to be written */
	struct list *list[PLACES]; /* NULL: not made yet */
	uint64_t room[];	   /* PLACES + 2 lists */
};

static size_t list_bytes(unsigned most)
{
	return sizeof(struct list) + most * sizeof(struct frame);
}

static struct list *make_list(struct sc_recent *r)
{
	struct list *l = (struct list *)((char *)r->room + r->made++ * list_bytes(r->most));

	l->version = l->count = 0; /* a thread that ended had it */
	return l;
}

static struct sc_recent *make(unsigned most)
{
	struct sc_recent *r =
		sc_arena_take(SC_ARENA_RECENT, sizeof(*r) + (PLACES + 2) * list_bytes(most));

	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->most = most;
	r->last = make_list(r);
	r->spare = make_list(r);
	return r;
}

struct sc_recent *sc_recent_open(unsigned most)
{
	struct sc_recent *r = sc_self.recent;

	if (!r)
		r = sc_self.recent = make(most);
	if (!r || r->is_open || most > r->most)
		return NULL;
	r->is_open = true;
	atomic_signal_fence(memory_order_seq_cst);
	return r;
}

void sc_recent_close(struct sc_recent *r)
{
	atomic_signal_fence(memory_order_seq_cst);
	r->is_open = false;
}

static struct list **place_of(struct sc_recent *r, const struct sc_registers *from)
{
	uint64_t hash = (from->rip ^ from->rsp << 7) * UINT64_C(0x9e3779b97f4a7c15);

	_Static_assert(PLACES == 256, "eight bits of the hash");
	return &r->list[hash >> 56];
}

static bool is_same(const struct sc_registers *a, const struct sc_registers *b)
{
	return a->rip == b->rip && a->rsp == b->rsp && a->rbp == b->rbp &&
	       a->rbp_place == b->rbp_place;
}

static INLINE bool is_word(uint64_t place, uint64_t expected)
{
	uint64_t word;

	return sc_unwind_load(place, &word) && word == expected;
}

/* True if the step from `f` leads to the frame behind it still: all words are read that the step
 * would read, and no others. */
static INLINE bool is_step(const struct frame *f)
{
	const struct sc_registers *next = &f[1].at;

	return !f->rest.is_unknown && is_word(next->rsp - 8, next->rip) &&
	       (next->rbp_place == f->at.rbp_place || is_word(next->rbp_place, next->rbp)) &&
	       (!f->rest.deref || is_word(next->rsp - f->rest.deref, next->rsp));
}

/* How many kept frames follow from the one at `first`, it among them. */
static unsigned follow(const struct list *l, unsigned first, unsigned most)
{
	unsigned last = first;

	while (last + 1 < l->count && last + 1 - first < most && is_step(&l->frame[last]))
		last++;
	return last + 1 - first;
}

/* The stack of `from`, from what is kept as far as it goes. */
static void unwind(struct list *l, const struct list *kept, struct sc_registers r, unsigned most)
{
	unsigned at = 0, n = 0;

	for (;;) {
		while (at < kept->count && kept->frame[at].at.rsp < r.rsp)
			at++;
		if (at < kept->count && is_same(&kept->frame[at].at, &r)) {
			unsigned same = follow(kept, at, most - n);

			memcpy(&l->frame[n], &kept->frame[at], same * sizeof(l->frame[0]));
			n += same;
			at += same;
			r = l->frame[n - 1].at;
		} else {
			l->frame[n++] = (struct frame){.at = r};
		}
		if (n == most || !sc_unwind_step(&r, &l->frame[n - 1].rest))
			break;
	}
	l->count = (uint16_t)n;
	l->most = (uint16_t)most;
}

/* True if the stack of `from` is the kept one, to its end. */
static bool is_whole(const struct list *l, const struct sc_registers *from, unsigned most)
{
	const struct frame *last = &l->frame[l->count - 1];

	return l->count && l->most == most && is_same(&l->frame[0].at, from) &&
	       follow(l, 0, most) == l->count && (l->count == most || !last->rest.is_unknown);
}

struct sc_stack sc_recent_unwind(struct sc_recent *r, const struct sc_registers *from,
				 unsigned most)
{
	struct list **place = place_of(r, from), *l = r->spare;
	uint32_t version = sc_unwind_version();

	if (*place && (*place)->version == version && is_whole(*place, from, most)) {
		r->last = *place;
		return r->last->stack;
	}
	if (r->last->version != version)
		r->last->count = 0;
	unwind(l, r->last, *from, most);
	l->version = version;
	l->stack.id = 0;
	r->spare = *place ? *place : make_list(r);
	*place = r->last = l;
	return l->stack;
}

unsigned sc_recent_frames(const struct sc_recent *r, uint64_t *frames)
{
	const struct list *l = r->last;

	for (unsigned i = 0; i < l->count; i++)
		frames[i] = l->frame[i].at.rip;
	return l->count;
}

void sc_recent_name(struct sc_recent *r, struct sc_stack stack)
{
	r->last->stack = stack;
}

/* ---- links ---- */

struct words {
	unsigned count;
	struct {
		uint64_t place, word;
	} word[SC_RECENT_WORDS]; /* going up */
};

/* Into its place among those below it, once; false if there is no room. */
static bool add_word(struct words *w, uint64_t place, uint64_t word)
{
	unsigned i = w->count;

	while (i && w->word[i - 1].place > place)
		i--;
	if (i && w->word[i - 1].place == place)
		return true;
	if (w->count == SC_RECENT_WORDS)
		return false;
	memmove(&w->word[i + 1], &w->word[i], (w->count - i) * sizeof(w->word[0]));
	w->word[i].place = place;
	w->word[i].word = word;
	w->count++;
	return true;
}

/* What the step from `f` had read; of rbp only if the frame was found by it. */
static bool add_step(struct words *w, const struct frame *f, bool *needs_rbp)
{
	const struct sc_registers *next = &f[1].at;

	if (f->rest.needs_rbp && !f->at.rbp_place)
		*needs_rbp = true;
	return !f->rest.is_unknown &&
	       (!f->rest.needs_rbp || !f->at.rbp_place ||
		add_word(w, f->at.rbp_place, f->at.rbp)) &&
	       (!f->rest.deref || add_word(w, next->rsp - f->rest.deref, next->rsp)) &&
	       add_word(w, next->rsp - 8, next->rip);
}

static bool link_words(const struct words *w, uint64_t last, struct sc_recent_words *out)
{
	for (unsigned i = 0; i < w->count; i++) {
		uint64_t up = (w->word[i].place - last) / 8;

		if (up >> 16 || w->word[i].word >> 48)
			return false;
		out->word[i] = up << 48 | w->word[i].word;
		last = w->word[i].place;
	}
	out->count = w->count;
	return true;
}

bool sc_recent_words_of(const struct sc_registers *from, struct sc_recent_words *out)
{
	const struct sc_recent *r = sc_self.recent;
	const struct list *l = r ? r->last : NULL;
	struct words w;

	if (!l || !l->count || !l->stack.id || l->version != sc_unwind_version() ||
	    !is_same(&l->frame[0].at, from) || l->frame[l->count - 1].rest.is_unknown)
		return false;
	w.count = 0;
	out->needs_rbp = false;
	out->stack = l->stack.id;
	for (unsigned i = 0; i + 1 < l->count; i++) {
		if (!add_step(&w, &l->frame[i], &out->needs_rbp))
			return false;
	}
	return link_words(&w, from->rsp, out);
}
