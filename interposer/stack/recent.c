/* The recent stack: frames kept with what they were found by. */
#include "interposer/stack/recent.h"

#include <string.h>
#include "base/assert.h"
#include "interposer/core/arena.h"
#include "interposer/core/code_range.h"
#include "interposer/core/thread.h"

#define SETS   64 /* of places on the stack; one place may have several stacks */
#define WAYS   8
#define INLINE inline __attribute__((always_inline))

struct frame {
	struct sc_registers at;
	struct sc_rest rest; /* of the step to the next one; of the base, of those after it, too */
};

/* What comparing the words needs lies before the frames: 32 frames are 32 lines, their words four.
 */
struct list {
	uint32_t version;     /* of the code that is loaded; 0: empty */
	uint16_t count, most; /* frames: kept, asked for */
	struct sc_stack stack;
	struct sc_registers from;
	bool has_words; /* the next one counts: somebody looked for this stack again */
	struct sc_recent_words words;
	struct frame frame[];
};

/* A list for each place on the stack that calls come from, and one to write the next one into. */
struct sc_recent {
	bool is_open;
	unsigned most;		      /* frames in a list */
	unsigned made;		      /* lists */
	struct list *last, *spare;    /* used or written; to be written */
	struct list *set[SETS][WAYS]; /* NULL: not made yet; the latest first */
	uint64_t room[];	      /* SETS * WAYS + 2 lists */
};

static size_t list_bytes(unsigned most)
{
	return sizeof(struct list) + most * sizeof(struct frame);
}

static struct list *make_list(struct sc_recent *r)
{
	struct list *l = (struct list *)((char *)r->room + r->made++ * list_bytes(r->most));

	sc_assert(r->made <= SETS * WAYS + 2);
	l->version = l->count = 0; /* a thread that ended had it */
	return l;
}

static struct sc_recent *make(unsigned most)
{
	struct sc_recent *r =
		sc_arena_take(SC_ARENA_RECENT, sizeof(*r) + (SETS * WAYS + 2) * list_bytes(most));

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
	sc_assert(r->is_open);
	atomic_signal_fence(memory_order_seq_cst);
	r->is_open = false;
}

static struct list **set_of(struct sc_recent *r, const struct sc_registers *from)
{
	uint64_t hash = (from->pc ^ from->sp << 7) * UINT64_C(0x9e3779b97f4a7c15);

	_Static_assert(SETS == 64, "six bits of the hash");
	return r->set[hash >> 58];
}

/* True if the rest of the stack follows from these registers as from the frame's. In optimized code
 * the base mostly is anything. */
static INLINE bool is_same(const struct frame *f, const struct sc_registers *r)
{
	return f->at.pc == r->pc && f->at.sp == r->sp &&
	       (!f->rest.needs_base || f->at.base == r->base);
}

static INLINE bool is_word(uint64_t place, uint64_t expected)
{
	uint64_t word;

	return sc_unwind_load(place, &word) && word == expected;
}

/* True if the step from `f` still leads to the frame after it: all words are read that the step
 * would read, and no others. */
static INLINE bool is_step(const struct frame *f)
{
	const struct sc_registers *next = &f[1].at;

	return !f->rest.is_unknown && is_word(sc_frame_return_place(next->sp), next->pc) &&
	       (next->base_place == f->at.base_place || is_word(next->base_place, next->base)) &&
	       (!f->rest.deref || is_word(next->sp - f->rest.deref, next->sp));
}

/* How many kept frames follow from the one at `first`, it among them. */
static unsigned follow(const struct list *l, unsigned first, unsigned most)
{
	unsigned last = first;

	while (last + 1 < l->count && last + 1 - first < most && is_step(&l->frame[last]))
		last++;
	return last + 1 - first;
}

/* The frames up to the one that had saved the base have the one that they were found with now. */
static void set_base(struct frame *f, unsigned count, const struct sc_registers *r)
{
	uint64_t place = f->at.base_place;

	for (; count && f->at.base_place == place; count--, f++) {
		f->at.base = r->base;
		f->at.base_place = r->base_place;
	}
}

/* Where the base of a frame is its caller's too, it is needed if it is there. */
static void pass_needs(struct list *l)
{
	for (unsigned i = l->count - 1u; i--;) {
		struct frame *f = &l->frame[i];

		f->rest.needs_base |=
			f[1].rest.needs_base && f[1].at.base_place == f->at.base_place;
	}
}

/* The stack of `r`, from what is kept as far as it goes. */
static void unwind(struct list *l, const struct list *kept, struct sc_registers r, unsigned most)
{
	unsigned at = 0, n = 0;

	for (;;) {
		while (at < kept->count && kept->frame[at].at.sp < r.sp)
			at++;
		if (at < kept->count && is_same(&kept->frame[at], &r)) {
			unsigned same = follow(kept, at, most - n);

			memcpy(&l->frame[n], &kept->frame[at], same * sizeof(l->frame[0]));
			set_base(&l->frame[n], same, &r);
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
	pass_needs(l);
}

/* ---- words ---- */

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

/* What the step from `f` had read; of the base only if the frame was found by it. */
static bool add_step(struct words *w, const struct frame *f, bool *needs_base)
{
	const struct sc_registers *next = &f[1].at;

	if (f->rest.needs_base && !f->at.base_place)
		*needs_base = true;
	return !f->rest.is_unknown &&
	       (!f->rest.needs_base || !f->at.base_place ||
		add_word(w, f->at.base_place, f->at.base)) &&
	       (!f->rest.deref || add_word(w, next->sp - f->rest.deref, next->sp)) &&
	       add_word(w, sc_frame_return_place(next->sp), next->pc);
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
	out->low = w->count ? w->word[0].place : 0;
	out->high = w->count ? last : 0;
	return true;
}

/* The words that the steps from the first frame to the last had read; false if that is not all the
 * stack rests on. */
static bool keep_words(struct list *l)
{
	struct words w = {.count = 0};

	l->words.needs_base = false;
	if (l->frame[l->count - 1].rest.is_unknown)
		return false;
	for (unsigned i = 0; i + 1 < l->count; i++) {
		if (!add_step(&w, &l->frame[i], &l->words.needs_base))
			return false;
	}
	return link_words(&w, l->from.sp, &l->words);
}

static bool is_there(const struct sc_recent_words *w, uint64_t sp)
{
	return (!w->count || (w->low >= sc_self.stack_start && w->high < sc_self.stack_end)) &&
	       sc_recent_is_linked(w->word, w->count, sp);
}

/* True if the stack of `from` is the kept one, to its end. */
static bool is_whole(struct list *l, const struct sc_registers *from, unsigned most)
{
	if (!l->count || l->most != most || l->from.pc != from->pc || l->from.sp != from->sp)
		return false;
	if (l->has_words)
		return (!l->words.needs_base || l->from.base == from->base) &&
		       is_there(&l->words, from->sp);
	if (!is_same(&l->frame[0], from) || follow(l, 0, most) != l->count ||
	    (l->count < most && l->frame[l->count - 1].rest.is_unknown))
		return false;
	l->has_words = keep_words(l);
	return true;
}

/* Puts a new list before the others of its set; the oldest one is written next. */
static void add_list(struct sc_recent *r, struct list **set, struct list *l)
{
	struct list *oldest = set[WAYS - 1];

	memmove(&set[1], &set[0], (WAYS - 1) * sizeof(set[0]));
	set[0] = r->last = l;
	r->spare = oldest ? oldest : make_list(r);
}

struct sc_stack sc_recent_unwind(struct sc_recent *r, const struct sc_registers *from,
				 unsigned most)
{
	struct list **set = set_of(r, from), *l = r->spare;
	uint32_t version = sc_unwind_version();

	for (unsigned i = 0; i < WAYS && set[i]; i++) {
		if (set[i]->version == version && is_whole(set[i], from, most)) {
			r->last = set[i];
			return r->last->stack;
		}
	}
	if (r->last->version != version)
		r->last->count = 0;
	unwind(l, r->last, *from, most);
	l->version = version;
	l->from = *from;
	l->has_words = false;
	l->stack.id = 0;
	add_list(r, set, l);
	return l->stack;
}

unsigned sc_recent_frames(const struct sc_recent *r, uint64_t *frames)
{
	const struct list *l = r->last;

	for (unsigned i = 0; i < l->count; i++)
		frames[i] = l->frame[i].at.pc;
	return l->count;
}

void sc_recent_name(struct sc_recent *r, struct sc_stack stack)
{
	r->last->stack = stack;
}

const struct sc_recent_words *sc_recent_words_of(const struct sc_registers *from,
						 struct sc_stack *stack)
{
	struct list *l = sc_self.recent ? sc_self.recent->last : NULL;

	if (!l || !l->count || !l->stack.id || l->version != sc_unwind_version() ||
	    !is_same(&l->frame[0], from))
		return NULL;
	l->has_words = l->has_words || keep_words(l);
	*stack = l->stack;
	return l->has_words ? &l->words : NULL;
}

/* ---- marks ---- */

void sc_recent_mark(struct sc_recent_mark *m, const void *frame)
{
	struct sc_registers from;
	const struct sc_recent_words *words;
	struct sc_stack stack;

	m->frame = NULL;
	if (!frame || sc_self.in_source)
		return;
	from = sc_registers_of_caller(frame);
	if (sc_code_range_is_own(&sc_code_ranges, from.pc))
		return;
	words = sc_recent_words_of(&from, &stack);
	if (!words || words->count > SC_RECENT_MARK_WORDS)
		return;
	m->base = from.base;
	m->caller = from.pc;
	m->low = words->low;
	m->high = words->high;
	m->version = sc_unwind_version();
	m->stack = stack.id;
	m->count = (uint8_t)words->count;
	m->needs_base = words->needs_base;
	memcpy(m->word, words->word, words->count * sizeof(m->word[0]));
	m->frame = frame;
}

bool sc_recent_is_marked(const struct sc_recent_mark *m, const void *frame)
{
	struct sc_registers from;

	if (!frame || m->frame != frame)
		return false;
	from = sc_registers_of_caller(frame);
	return from.pc == m->caller && (!m->needs_base || from.base == m->base) &&
	       !sc_self.in_source && m->version == sc_unwind_version() &&
	       (!m->count || (m->low >= sc_self.stack_start && m->high < sc_self.stack_end)) &&
	       sc_recent_is_linked(m->word, m->count, from.sp);
}
