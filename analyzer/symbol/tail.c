/* Tail calls: a search along the jumps of functions, forwards from the one that was called, and
 * backwards from a stub. */
#include "analyzer/symbol/tail.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "analyzer/symbol/demangle.h"
#include "analyzer/symbol/stub.h"

#define STEPS_MOST 10000 /* jumps of one search */
#define BYTES_MOST (1 << 20)

struct search {
	const struct sc_jumps *jumps;
	const struct sc_symbol_table *symbols;
	struct sc_tails *out;
	uint64_t goal;	    /* first address of a function; 0: out of the file */
	const char *prefix; /* of names out of the file */
	const struct sc_symbol *function[SC_TAIL_DEPTH]; /* on the path so far */
	uint64_t jump[SC_TAIL_DEPTH];			 /* from each of them */
	unsigned depth;
	unsigned steps, bytes;
	bool is_backwards;
	bool is_local; /* backwards: no other file calls what is on the path */
	bool is_over;  /* too many paths or steps */
};

static void add_path(struct search *s)
{
	struct sc_tail_path *path;

	if (s->out->count == SC_TAIL_PATHS) {
		s->is_over = 1;
		return;
	}
	path = &s->out->path[s->out->count++];
	for (path->count = 0; path->count < s->depth; path->count++)
		path->jump[path->count] =
			s->jump[s->is_backwards ? path->count : s->depth - 1 - path->count];
}

/* Code that runs rarely is moved apart, with a symbol of its own; it is no other function. */
static bool is_cold(const struct sc_symbol *function)
{
	return strstr(function->name, ".cold");
}

static bool is_on_path(const struct search *s, uint64_t start)
{
	for (unsigned i = 0; i < s->depth; i++)
		if (s->function[i]->start == start)
			return 1;
	return 0;
}

static void visit(struct search *s, const struct sc_symbol *function);

static void take_jump(void *context, const struct sc_jump *jump)
{
	struct search *s = context;
	const struct sc_symbol *target =
		jump->target ? sc_symbol_table_get(s->symbols, jump->target) : NULL;
	bool is_goal =
		s->goal ? jump->target == s->goal
			: !jump->target && !strncmp(jump->name, s->prefix, strlen(s->prefix));

	s->is_over |= ++s->steps > STEPS_MOST;
	if (s->is_over)
		return;
	s->jump[s->depth - 1] = jump->place;
	if (is_goal)
		add_path(s);
	else if (target && !is_on_path(s, jump->target))
		visit(s, target);
}

static bool may_visit(struct search *s, const struct sc_symbol *function)
{
	uint64_t bytes = sc_symbol_table_end(s->symbols, function) - function->start;

	s->is_over |= bytes > BYTES_MOST - s->bytes;
	if (!s->is_over)
		s->bytes += (unsigned)bytes;
	return !s->is_over && s->depth < SC_TAIL_DEPTH;
}

static void visit(struct search *s, const struct sc_symbol *function)
{
	struct search before = *s;

	if (!may_visit(s, function))
		return;
	if (!s->depth || !is_cold(function))
		s->depth++;
	s->function[s->depth - 1] = function;
	sc_jumps_each(s->jumps, function->start, sc_symbol_table_end(s->symbols, function),
		      take_jump, s);
	s->depth = before.depth;
	memcpy(s->function, before.function, sizeof(s->function));
	memcpy(s->jump, before.jump, sizeof(s->jump));
}

/* The function that the caller called, if its code says so and has a symbol. */
static const struct sc_symbol *called(const struct sc_jumps *j,
				      const struct sc_symbol_table *symbols, uint64_t back,
				      bool *is_direct)
{
	struct sc_jump call;

	*is_direct = sc_jumps_call(j, back, &call);
	return *is_direct && call.target ? sc_symbol_table_get(symbols, call.target) : NULL;
}

static void close_search(struct search *s)
{
	if (s->is_over)
		s->out->count = 0;
}

/* ---- backwards ---- */

static void climb(struct search *s, const struct sc_symbol *function);

/* True for the functions between a launch and the stub. */
static bool is_of_launch(const struct search *s, const struct sc_symbol *function)
{
	char stub[SC_DEMANGLE_MAX], name[SC_DEMANGLE_MAX];

	sc_demangle(s->function[0]->name, stub, sizeof(stub));
	sc_demangle(function->name, name, sizeof(name));
	return sc_stub_is(name) || sc_stub_is_called_by(stub, name);
}

static void take_source(void *context, const struct sc_jump *jump)
{
	struct search *s = context;
	const struct sc_symbol *source = sc_symbol_table_get(s->symbols, jump->place);

	if (s->is_over || !source || jump->target != s->function[s->depth - 1]->start ||
	    source->start == jump->target)
		return;
	s->is_over |= ++s->steps > STEPS_MOST;
	s->jump[s->depth - 1] = jump->place;
	if (is_of_launch(s, source) && !is_on_path(s, source->start))
		climb(s, source);
	else
		add_path(s);
}

static void climb(struct search *s, const struct sc_symbol *function)
{
	s->is_over |= s->is_local && sc_jumps_is_exported(s->jumps, function->start);
	if (s->is_over || s->depth == SC_TAIL_DEPTH)
		return;
	s->function[s->depth++] = function;
	sc_jumps_each(s->jumps, 0, UINT64_MAX, take_source, s);
	s->depth--;
}

void sc_tail_into(struct sc_tails *out, const struct sc_jumps *j,
		  const struct sc_symbol_table *symbols, uint64_t callee)
{
	struct search s = {
		.jumps = j, .symbols = symbols, .out = out, .is_local = 1, .is_backwards = 1};
	const struct sc_symbol *stub = sc_symbol_table_get(symbols, callee);

	out->count = 0;
	if (!stub || is_cold(stub))
		return;
	climb(&s, stub);
	close_search(&s);
}

/* ---- forwards ---- */

void sc_tail_between(struct sc_tails *out, const struct sc_jumps *j,
		     const struct sc_symbol_table *symbols, uint64_t callee, uint64_t back,
		     bool is_stub)
{
	struct search s = {.jumps = j, .symbols = symbols, .out = out};
	const struct sc_symbol *goal = sc_symbol_table_get(symbols, callee), *first;
	bool is_direct;

	out->count = 0;
	first = called(j, symbols, back, &is_direct);
	if (!goal || is_cold(goal) || (first && first->start == goal->start))
		return;
	s.goal = goal->start;
	s.is_backwards = !is_direct;
	if (first)
		visit(&s, first);
	else if (!is_direct && is_stub)
		climb(&s, goal);
	close_search(&s);
}

void sc_tail_out(struct sc_tails *out, const struct sc_jumps *j,
		 const struct sc_symbol_table *symbols, uint64_t back, const char *prefix)
{
	struct search s = {.jumps = j, .symbols = symbols, .out = out, .prefix = prefix};
	bool is_direct;
	const struct sc_symbol *first = called(j, symbols, back, &is_direct);

	out->count = 0;
	if (first)
		visit(&s, first);
	close_search(&s);
}
