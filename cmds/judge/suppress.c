/* Suppress: each key of an entry is asked of everything that the finding has of that kind. */
#include "cmds/judge/suppress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/glob.h"
#include "base/map.h"
#include "cmds/judge/comment.h"
#include "cmds/judge/own_code.h"
#include "reports/sources/site.h"
#include "reports/sources/source.h"
#include "reports/words/words.h"

/* The properties by which a finding is matched. */
struct facts {
	const struct sc_report *report;
	struct sc_words words;
	const struct sc_finding *finding;
	const struct sc_record *records[2]; /* NULL: not known */
	struct sc_report_site sites[2];
};

static void facts_init(struct facts *x, const struct sc_report *r, const struct sc_finding *f)
{
	*x = (struct facts){.report = r, .finding = f};
	sc_words_init(&x->words, r, NULL);
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		x->records[i] = sc_analysis_record(r->analysis, f->side[i].op);
		if (x->records[i])
			sc_site_of(&x->sites[i], r, &x->records[i]->op);
	}
}

bool sc_suppress_is_rule(const char *pattern, unsigned rule)
{
	const struct sc_rule_row *row = sc_rule_find(rule);
	char id[16];

	snprintf(id, sizeof(id), "SC-%u", rule);
	return sc_glob_matches(pattern, id) || sc_glob_matches(pattern, id + 3) ||
	       (row && sc_glob_matches(pattern, row->slug));
}

static bool matches_rule(const struct facts *x, const char *pattern)
{
	if (sc_suppress_is_rule(pattern, x->finding->rule))
		return 1;
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (x->finding->causes[i] && sc_suppress_is_rule(pattern, x->finding->causes[i]))
			return 1;
	return 0;
}

/* A path holds with its last part alone, too. */
static bool matches_path(const char *pattern, const char *path)
{
	const char *slash = strrchr(path, '/');

	return sc_glob_matches(pattern, path) || (slash && sc_glob_matches(pattern, slash + 1));
}

static bool matches_frame(const char *pattern, const struct sc_frame *frame, enum sc_pattern kind)
{
	switch (kind) {
	case SC_PATTERN_function:
	case SC_PATTERN_first:
	case SC_PATTERN_then: return sc_glob_matches(pattern, frame->function);
	case SC_PATTERN_file: return matches_path(pattern, frame->file);
	case SC_PATTERN_module: return matches_path(pattern, frame->module);
	case SC_PATTERN_rule:
	case SC_PATTERN_kernel:
	case SC_PATTERN_stream:
	case SC_PATTERNS: break;
	}
	return 0;
}

static bool matches_side(const struct facts *x, unsigned side, const char *pattern,
			 enum sc_pattern kind)
{
	for (size_t i = 0; i < x->sites[side].count; i++)
		if (matches_frame(pattern, &x->sites[side].frames[i], kind))
			return 1;
	return 0;
}

static bool matches_stack(const struct facts *x, const char *pattern, enum sc_pattern kind)
{
	return matches_side(x, 0, pattern, kind) || matches_side(x, 1, pattern, kind);
}

/* Which side comes first may differ from run to run. */
static bool matches_sides(const struct facts *x, const char *const match[SC_PATTERNS])
{
	const char *first = match[SC_PATTERN_first], *then = match[SC_PATTERN_then];

	for (unsigned side = 0; side < 2; side++)
		if ((!first || matches_side(x, side, first, SC_PATTERN_first)) &&
		    (!then || matches_side(x, !side, then, SC_PATTERN_then)))
			return 1;
	return 0;
}

static bool matches_kernel(const struct facts *x, const char *pattern)
{
	bool matches = 0;

	for (unsigned i = 0; i < 2 && !matches; i++) {
		struct sc_buf name = {0};

		if (!x->records[i] || x->records[i]->op.kind != SC_OP_KERNEL)
			continue;
		sc_words_kernel(&name, &x->words, x->records[i]->op.object);
		matches = sc_glob_matches(pattern, sc_buf_text(&name));
		sc_buf_fini(&name);
	}
	return matches;
}

static bool matches_stream(const struct facts *x, const char *pattern)
{
	for (unsigned i = 0; i < x->finding->sides && i < 2; i++) {
		uint32_t stream = x->finding->side[i].stream;
		const char *name = sc_reader_name(x->report->reader, SC_NAMES_STREAM, stream);
		char number[16];

		snprintf(number, sizeof(number), "%" PRIu32, stream);
		if (stream &&
		    (sc_glob_matches(pattern, number) || (name && sc_glob_matches(pattern, name))))
			return 1;
	}
	return 0;
}

static bool holds(const struct facts *x, enum sc_pattern kind, const char *pattern)
{
	switch (kind) {
	case SC_PATTERN_rule: return matches_rule(x, pattern);
	case SC_PATTERN_kernel: return matches_kernel(x, pattern);
	case SC_PATTERN_stream: return matches_stream(x, pattern);
	case SC_PATTERN_function:
	case SC_PATTERN_file:
	case SC_PATTERN_module: return matches_stack(x, pattern, kind);
	case SC_PATTERN_first: /* together, see matches_sides */
	case SC_PATTERN_then: return 1;
	case SC_PATTERNS: break;
	}
	return 0;
}

/* True if the user called one of the finding's operations at the line that a comment is about. */
static bool stands_there(const struct sc_suppression *s, const struct facts *x)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct sc_frame *frame = sc_site_frame(&x->sites[side]);

		if (frame && frame->line == s->at && !strcmp(frame->file, s->file))
			return 1;
	}
	return 0;
}

static bool hides(const struct sc_suppression *s, const struct facts *x)
{
	if (s->is_in_source && !stands_there(s, x))
		return 0;
	for (int kind = 0; kind < SC_PATTERNS; kind++)
		if (s->match[kind] && !holds(x, (enum sc_pattern)kind, s->match[kind]))
			return 0;
	return matches_sides(x, s->match);
}

static void read_comments(struct sc_suppressions *all, const struct sc_report *r,
			  const struct sc_report_site *site)
{
	const struct sc_frame *frame = sc_site_frame(site);

	if (frame && frame->line && *frame->file)
		sc_comments_read(all, r->sources, frame->file);
}

/* The limits of work done unasked on comments that hide nothing: for them the names of all calls
 * have to be looked up, which takes a moment in a small program, and long in one with gigabytes of
 * code. */
#define CHEAP_OPS    1000000
#define CHEAP_STACKS 4000
#define CHEAP_CODE   (UINT64_C(128) << 20) /* bytes that are mapped to be executed */

static bool is_cheap(const struct sc_report *r)
{
	const struct sc_map *maps;
	size_t count = sc_reader_maps(r->reader, &maps);
	uint64_t code = 0;

	for (size_t i = 0; i < count && code <= CHEAP_CODE; i++)
		code += maps[i].bytes < CHEAP_CODE ? maps[i].bytes : CHEAP_CODE + 1;
	return code <= CHEAP_CODE && sc_analysis_coverage(r->analysis)->ops <= CHEAP_OPS;
}

/* The stacks of calls, each once. */
struct stacks {
	SC_VECTOR(uint32_t) ids;
	struct sc_u64_map seen;
};

static bool has_new_stack(void *data, const struct sc_op *op, uint64_t sequence)
{
	const struct stacks *stacks = data;

	(void)sequence;
	return op->stack && !sc_u64_map_find(&stacks->seen, op->stack);
}

static void take_stack(void *data, const struct sc_record *record)
{
	struct stacks *stacks = data;

	*sc_u64_map_get(&stacks->seen, record->op.stack) = 1;
	sc_vector_push(&stacks->ids, record->op.stack);
}

/* A look for comments in the program's source files. */
struct search {
	struct sc_suppressions *all;
	struct sc_sources *sources;
	bool has_found;
};

static void look_into(void *context, const char *path)
{
	struct search *x = context;

	x->has_found = x->has_found || sc_comments_may_be_in(x->all, x->sources, path);
}

/* Whether one of the calls may stand in a file with comments. Few programs have such files, and the
 * lines of all calls are looked up for them alone. A file that may not be read is one of them. */
static bool may_have_comments(struct sc_suppressions *all, const struct sc_report *r,
			      const struct stacks *stacks)
{
	struct search x = {.all = all, .sources = r->sources};
	unsigned passed_over = x.sources ? x.sources->passed_over : 0;

	sc_symbols_sources(r->symbols, stacks->ids.items, stacks->ids.count, look_into, &x);
	if (!x.sources || x.sources->passed_over == passed_over)
		return x.has_found;
	x.sources->passed_over = passed_over;
	return 1;
}

static void read_stacks(struct sc_suppressions *all, const struct sc_report *r,
			const struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->ids.count; i++)
		sc_symbols_want(r->symbols, stacks->ids.items[i]);
	for (size_t i = 0; i < stacks->ids.count; i++) {
		struct sc_report_site site;

		sc_site_of_stack(&site, r, stacks->ids.items[i]);
		read_comments(all, r, &site);
	}
}

void sc_suppress_read_calls(struct sc_suppressions *all, const struct sc_report *r, bool is_asked)
{
	struct stacks stacks = {0};

	if (!is_asked && !is_cheap(r))
		return;
	sc_reader_visit(r->reader, &(struct sc_visit){.is_wanted = has_new_stack,
						      .take = take_stack,
						      .data = &stacks});
	if (is_asked || (stacks.ids.count <= CHEAP_STACKS && may_have_comments(all, r, &stacks)))
		read_stacks(all, r, &stacks);
	sc_vector_fini(&stacks.ids);
	sc_u64_map_fini(&stacks.seen);
}

struct sc_suppression *sc_suppress_find(struct sc_suppressions *all, const struct sc_report *r,
					const struct sc_finding *f, uint32_t today)
{
	struct facts x;

	if (!all->list.count && !all->reads_comments)
		return NULL;
	facts_init(&x, r, f);
	for (unsigned side = 0; side < 2 && all->reads_comments; side++)
		read_comments(all, r, &x.sites[side]);
	for (size_t i = 0; i < all->list.count; i++) {
		struct sc_suppression *s = &all->list.items[i];

		if (!sc_suppression_has_expired(s, today) && hides(s, &x))
			return s;
	}
	return NULL;
}

/* Values lose the spaces around them and may not begin like a comment; patterns have neither. */
static void print_key(struct sc_buf *out, enum sc_pattern kind, const char *value)
{
	sc_buf_printf(out, "%s = ", sc_suppression_key(kind));
	sc_glob_add_escaped(out, value);
	sc_buf_add_char(out, '\n');
}

/* The frame of a side by which its author knows it. */
static const struct sc_frame *own_frame(const struct facts *x, const struct sc_own *own,
					unsigned side)
{
	const struct sc_report_site *site = &x->sites[side];

	return side < x->finding->sides && x->records[side] && site->count
		       ? sc_own_innermost(own, site)
		       : NULL;
}

void sc_suppress_print(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f,
		       const struct sc_options *o)
{
	static const enum sc_pattern kinds[] = {SC_PATTERN_first, SC_PATTERN_then};
	const struct sc_rule_row *rule = sc_rule_find(f->rule);
	const struct sc_frame *frame, *last = NULL;
	struct sc_buf kernel = {0};
	struct sc_own own;
	struct facts x;

	facts_init(&x, r, f);
	sc_own_init(&own, r, o);
	sc_buf_printf(out, "[%s: write here why this is not an error]\n",
		      rule ? rule->slug : "unknown-rule");
	sc_buf_printf(out, "rule = SC-%u\n", f->rule);
	for (unsigned side = 0; side < 2; side++) {
		frame = own_frame(&x, &own, side);
		if (frame && frame->is_named && *frame->function)
			print_key(out, kinds[side], frame->function);
		last = frame ? frame : last;
	}
	if (last && *last->module)
		print_key(out, SC_PATTERN_module,
			  strrchr(last->module, '/') ? strrchr(last->module, '/') + 1
						     : last->module);
	for (unsigned i = 0; i < 2 && !kernel.bytes; i++)
		if (x.records[i] && x.records[i]->op.kind == SC_OP_KERNEL)
			sc_words_kernel(&kernel, &x.words, x.records[i]->op.object);
	if (kernel.bytes)
		print_key(out, SC_PATTERN_kernel, kernel.text);
	sc_buf_fini(&kernel);
	sc_buf_add_char(out, '\n');
}
