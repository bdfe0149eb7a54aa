/* Frames that were read before. */
#include "interposer/python/frame_cache.h"

#include <stddef.h>
#include "interposer/core/arena.h"
#include "interposer/core/thread.h"
#include "interposer/python/code_cache.h"
#include "interposer/python/python_thread.h"

#define SET_BITS 8 /* of the number of sets */
#define SETS	 (1u << SET_BITS)
#define WAYS	 4  /* stacks of one set */
#define FRAMES	 47 /* of one stack, the interpreter's own too; a deeper one is read each time */

_Static_assert(FRAMES > SC_PYTHON_DEPTH, "each line and some frames without one");

struct stack {
	uint32_t id;
	uint32_t version; /* of the code objects that live */
	uint32_t count;
	struct sc_safe_frame frame[FRAMES + 1]; /* of the last one only the place counts */
};

/* What a stack is looked for by lies apart: one line for each set. */
struct tag {
	uint64_t frame; /* 0: empty */
	uint32_t below;
	uint32_t number; /* of the keeping */
};

struct sc_python_frame_cache {
	struct tag tag[SETS][WAYS];
	struct stack stack[SETS][WAYS];
	uint32_t kept; /* so far; wraps */
};

static unsigned set_of(uint64_t frame, uint32_t below)
{
	uint64_t hash = (frame ^ (uint64_t)below << 32) * UINT64_C(0x9e3779b97f4a7c15);

	return (unsigned)(hash >> (64 - SET_BITS));
}

static bool is_tagged(const struct tag *t, uint64_t frame, uint32_t below)
{
	return t->frame == frame && t->below == below;
}

static bool is_there(const struct sc_python_reader *r, const struct stack *s)
{
	const struct sc_python_layout *l = r->layout;

	return s->version == sc_python_codes_version() &&
	       sc_safe_is_same(s->frame, s->count, (size_t)l->frame_code,
			       (size_t)l->frame_instruction, (size_t)l->frame_previous);
}

bool sc_python_frame_cache_find(const struct sc_python_reader *r, uint64_t frame, uint32_t below,
				uint32_t *id)
{
	struct sc_python_frame_cache *c = sc_python_thread()->frames;
	unsigned set = set_of(frame, below);

	if (!c || !frame || !r->memory->is_direct)
		return false;
	for (unsigned i = 0; i < WAYS; i++) {
		if (is_tagged(&c->tag[set][i], frame, below) && is_there(r, &c->stack[set][i])) {
			*id = c->stack[set][i].id;
			return true;
		}
	}
	return false;
}

/* An empty one, one that cannot be there any more, or the oldest one. */
static unsigned choose_way(const struct sc_python_frame_cache *c, unsigned set)
{
	const struct tag *t = c->tag[set];
	uint32_t version = sc_python_codes_version();
	unsigned chosen = 0;

	for (unsigned i = 0; i < WAYS; i++) {
		if (!t[i].frame || c->stack[set][i].version != version)
			return i;
		if (c->kept - t[i].number > c->kept - t[chosen].number)
			chosen = i;
	}
	return chosen;
}

static bool read_frame(const struct sc_python_reader *r, struct sc_safe_frame *f,
		       uint64_t *previous)
{
	const struct sc_python_layout *l = r->layout;

	return sc_safe_read_bytes(r->memory, &f->code, f->place + (uint64_t)l->frame_code, 8) &&
	       sc_safe_read_bytes(r->memory, &f->instruction,
				  f->place + (uint64_t)l->frame_instruction, 8) &&
	       sc_safe_read_bytes(r->memory, previous, f->place + (uint64_t)l->frame_previous, 8);
}

static bool read_frames(const struct sc_python_reader *r, struct stack *s, uint64_t frame,
			unsigned steps)
{
	s->frame[0].place = frame;
	for (s->count = 0; s->count < steps; s->count++) {
		if (!read_frame(r, &s->frame[s->count], &s->frame[s->count + 1].place))
			return false;
	}
	return true;
}

void sc_python_frame_cache_keep(const struct sc_python_reader *r, uint64_t frame, unsigned steps,
				uint32_t below, uint32_t id)
{
	uint32_t version = sc_python_codes_version();
	struct sc_python_frame_cache *c = sc_python_thread()->frames;
	unsigned set = set_of(frame, below), way;

	if (!version || !steps || steps > FRAMES || !r->memory->is_direct)
		return;
	if (!c)
		c = sc_python_thread()->frames = sc_arena_take(SC_ARENA_PYTHON, sizeof(*c));
	if (!c)
		return;
	way = choose_way(c, set);
	c->tag[set][way].frame = 0;
	if (!read_frames(r, &c->stack[set][way], frame, steps))
		return;
	c->stack[set][way].version = version;
	c->stack[set][way].id = id;
	c->tag[set][way] = (struct tag){frame, below, ++c->kept};
}
