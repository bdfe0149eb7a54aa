/* streamcheck explain: everything between the two operations of a finding, and why none of it
 * orders them. */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/order/successors.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/files/kept_trace.h"
#include "cmds/check/chosen_finding.h"
#include "cmds/check/loaded.h"
#include "cmds/standard_output.h"
#include "cmds/process/terminal.h"
#include "reports/sources/site.h"
#include "reports/text/text_layout.h"
#include "reports/words/words.h"

#define STEPS_SHOWN 40 /* calls between the two; more are counted */

/* The call between the two that came closest to ordering them. */
struct closest {
	unsigned rank;	    /* 0: there is none */
	struct sc_buf text; /* owned: the call, its place, why it does not suffice */
};

enum { RANK_BEFORE = 1, RANK_RECORD, RANK_OTHER, RANK_SAME, RANK_CALLBACK, RANK_QUERY };

struct story {
	struct sc_buf *out;
	const struct sc_loaded *loaded;
	const struct sc_finding *finding;
	struct sc_report_style style;
	struct sc_words words;
	struct sc_analysis_settings settings;
	struct sc_buf phrase;
	struct closest closest;
};

static void print(struct story *s, const char *label)
{
	sc_layout_fact(s->out, &s->style, label, sc_buf_text(&s->phrase));
	sc_buf_clear(&s->phrase);
}

/* True if the second operation is one of a later turn of a loop that both are in: they came from
 * the same function, and the second is at an earlier line of it, or at the same. */
static bool is_later_turn(const struct story *s)
{
	const struct sc_record *records[2];
	const struct sc_frame *const *parts = s->words.parts;

	if (s->finding->sides < 2 || s->finding->side[0].thread != s->finding->side[1].thread)
		return 0;
	for (unsigned i = 0; i < 2; i++)
		records[i] = sc_analysis_record(s->loaded->analysis, s->finding->side[i].op);
	if (!records[0] || !records[1] || !records[0]->op.stack)
		return 0;
	return records[0]->op.stack == records[1]->op.stack ||
	       (parts[0] && parts[1] && parts[1]->line < parts[0]->line);
}

/* Whether the first operation's line runs again between the two. */
static bool is_repeated(const struct story *s)
{
	const struct sc_record *first =
		sc_analysis_record(s->loaded->analysis, s->finding->side[0].op);
	struct sc_record r;

	sc_reader_rewind(s->loaded->reader);
	while (sc_reader_next(s->loaded->reader, &r) > 0 && r.sequence < s->finding->side[1].op)
		if (r.sequence > s->finding->side[0].op && r.op.stack == first->op.stack &&
		    r.op.thread == first->op.thread && r.op.phase != SC_PHASE_END)
			return 1;
	return 0;
}

static void add_turn(struct story *s)
{
	if (is_later_turn(s))
		sc_buf_add(&s->phrase,
			   is_repeated(s) ? ", in a later iteration" : ", in the next iteration");
}

/* The call as the program makes it: by the stack, else in a program of the runtime by its kind. */
static const char *call_name(const struct story *s, const struct sc_op *op)
{
	const struct sc_dialect *d = s->words.dialect;
	const char *driver = sc_reader_string(s->loaded->reader, op->call);
	struct sc_report_site site;

	sc_site_of(&site, &s->loaded->report, op);
	if (site.api)
		return site.api;
	if (*driver && sc_dialect_is_driver(d))
		return driver;
	switch (op->kind) {
	case SC_OP_STREAM_SYNC: return d->stream_sync.name;
	case SC_OP_CONTEXT_SYNC: return d->device_sync.name;
	case SC_OP_EVENT_RECORD: return d->record.name;
	case SC_OP_EVENT_WAIT: return d->wait.name;
	case SC_OP_EVENT_SYNC: return "cudaEventSynchronize";
	case SC_OP_EVENT_QUERY: return "cudaEventQuery";
	case SC_OP_STREAM_QUERY: return "cudaStreamQuery";
	case SC_OP_HOST_FUNC: return "cudaLaunchHostFunc";
	default: return *driver ? driver : sc_op_kind_text(op->kind);
	}
}

static void print_side(struct story *s, unsigned i)
{
	const struct sc_record *record =
		sc_analysis_record(s->loaded->analysis, s->finding->side[i].op);

	if (record) {
		sc_words_op(&s->phrase, &s->words, record);
		sc_buf_add(&s->phrase, ", at ");
		sc_words_place(&s->phrase, &s->words, record->sequence);
		if (i)
			add_turn(s);
	} else {
		sc_buf_printf(&s->phrase, "operation %" PRIu64, s->finding->side[i].op);
	}
	print(s, s->finding->sides < 2 ? "where" : i ? "then" : "first");
}

/* Where the call stands in the program; every call has a stack, if any was recorded. */
static void add_place(struct story *s, const struct sc_record *record)
{
	struct sc_report_site site;
	const struct sc_frame *frame;

	sc_site_of(&site, &s->loaded->report, &record->op);
	frame = sc_site_frame(&site);
	sc_buf_add(&s->phrase, " at ");
	if (frame)
		sc_site_add_place(&s->phrase, frame, s->style.directory);
	else
		sc_buf_printf(&s->phrase, "operation %" PRIu64, record->sequence);
}

static unsigned add_unread_reason(struct story *s)
{
	sc_buf_add(&s->phrase, " asks whether work is complete, but its caller does not look at "
			       "the answer, so it orders nothing");
	return RANK_QUERY;
}

/* Why a wait for a stream does not order the two; returns how close it came. */
static unsigned add_stream_reason(struct story *s, const struct sc_op *op)
{
	bool is_same = op->stream == s->finding->side[0].stream;

	if (op->flags & SC_FLAG_UNREAD)
		return add_unread_reason(s);
	if (op->result == SC_RESULT_NOT_READY) {
		sc_buf_add(&s->phrase, " asked about ");
		sc_words_stream_name(&s->phrase, &s->words, op->stream);
		sc_buf_add(&s->phrase, " and got \"not ready\", which orders nothing: only the "
				       "answer that all is complete does");
		return is_same ? RANK_QUERY : RANK_OTHER;
	}
	sc_buf_add(&s->phrase, " covers earlier work of ");
	sc_words_stream_name(&s->phrase, &s->words, op->stream);
	if (op->result != 0)
		sc_buf_add(&s->phrase, ", but did not succeed, so it orders nothing");
	else if (is_same)
		sc_buf_add(&s->phrase, ", but returned after the second operation began, or in a "
				       "thread that nothing orders before it");
	else
		sc_buf_add(&s->phrase, "; the first operation is in another stream");
	return is_same ? RANK_SAME : RANK_OTHER;
}

static unsigned add_event_reason(struct story *s, const struct sc_op *op)
{
	bool is_same = op->stream == s->finding->side[0].stream;

	if (op->flags & SC_FLAG_UNREAD)
		return add_unread_reason(s);
	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
		sc_buf_printf(&s->phrase, " records event %" PRIu32 " in ", op->object);
		sc_words_stream_name(&s->phrase, &s->words, op->stream);
		sc_buf_add(&s->phrase, "; a record alone makes nothing wait");
		return is_same ? RANK_RECORD : 0;
	case SC_OP_EVENT_WAIT:
		sc_buf_add(&s->phrase, " makes ");
		sc_words_stream_name(&s->phrase, &s->words, op->stream);
		sc_buf_printf(&s->phrase, " wait for the latest earlier record of event %" PRIu32,
			      op->object);
		return op->stream == s->finding->side[1].stream ? RANK_SAME : RANK_OTHER;
	default:
		sc_buf_printf(&s->phrase,
			      " is about the latest earlier record of event %" PRIu32
			      ", for the host",
			      op->object);
		if (op->result == SC_RESULT_NOT_READY)
			sc_buf_add(&s->phrase, "; the answer was \"not ready\", which orders "
					       "nothing");
		return op->result == SC_RESULT_NOT_READY ? RANK_QUERY : RANK_OTHER;
	}
}

/* Host functions matter after the first operation, and where the second is made in one. */
static unsigned add_callback_reason(struct story *s, const struct sc_op *op)
{
	const struct sc_record *second =
		sc_analysis_record(s->loaded->analysis, s->finding->side[1].op);

	if (op->stream == s->finding->side[0].stream) {
		sc_buf_add(&s->phrase, " puts a host function after the first operation, but "
				       "nothing waits for that function");
		return RANK_CALLBACK;
	}
	if (!second || !second->op.callback)
		return 0;
	sc_buf_add(&s->phrase, " puts a host function into ");
	sc_words_stream_name(&s->phrase, &s->words, op->stream);
	sc_buf_add(&s->phrase, ", where it need not wait for the first operation");
	return RANK_OTHER;
}

/* Adds what a call does that can order something, and how close it came; false if it cannot. */
static bool add_reason(struct story *s, const struct sc_record *record, unsigned *rank)
{
	const struct sc_op *op = &record->op;

	switch (op->kind) {
	case SC_OP_STREAM_SYNC:
	case SC_OP_STREAM_QUERY: *rank = add_stream_reason(s, op); return 1;
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY: *rank = add_event_reason(s, op); return 1;
	case SC_OP_CONTEXT_SYNC:
		sc_buf_printf(&s->phrase,
			      " waits for device %d, but that does not cover the first "
			      "operation here",
			      op->device);
		*rank = RANK_OTHER;
		return 1;
	case SC_OP_HOST_FUNC: *rank = add_callback_reason(s, op); return *rank != 0;
	default: return 0;
	}
}

/* Puts the call and its place before the reason. */
static void add_step(struct story *s, const struct sc_record *record)
{
	struct sc_buf reason = s->phrase;

	s->phrase = (struct sc_buf){0};
	sc_buf_add(&s->phrase, call_name(s, &record->op));
	add_place(s, record);
	sc_buf_add(&s->phrase, sc_buf_text(&reason));
	sc_buf_fini(&reason);
}

static void note_closest(struct story *s, unsigned rank)
{
	if (!rank || rank < s->closest.rank)
		return;
	s->closest.rank = rank;
	sc_buf_clear(&s->closest.text);
	sc_buf_add(&s->closest.text, sc_buf_text(&s->phrase));
}

/* The last wait before the first operation, if none is between: it was made too early. */
static void note_before(struct story *s, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;

	if (sc_op_kind_class(op->kind) != SC_CLASS_WAIT || op->phase == SC_PHASE_END ||
	    op->result || op->thread != s->finding->side[1].thread)
		return;
	sc_buf_add(&s->phrase, " was called before the first operation, which it does not cover");
	add_step(s, record);
	note_closest(s, RANK_BEFORE);
	sc_buf_clear(&s->phrase);
}

/* For findings of which the analysis names no wait that came near. */
static void print_closest(struct story *s)
{
	if (s->closest.rank && !s->finding->reach_op && sc_finding_lacks_order(s->finding)) {
		sc_buf_add(&s->phrase, sc_buf_text(&s->closest.text));
		print(s, "closest");
	}
	sc_buf_fini(&s->closest.text);
}

/* Walks the calls between the two operations. */
static void print_between(struct story *s)
{
	uint64_t from = sc_side_position(&s->finding->side[0]);
	uint64_t to = sc_side_position(&s->finding->side[1]);
	struct sc_record record;
	unsigned shown = 0, more = 0, rank = 0;

	sc_reader_rewind(s->loaded->reader);
	while (sc_reader_next(s->loaded->reader, &record) > 0 && record.sequence < to) {
		if (record.sequence < from)
			note_before(s, &record);
		if (record.sequence <= from || record.op.phase == SC_PHASE_END ||
		    !add_reason(s, &record, &rank))
			continue;
		add_step(s, &record);
		note_closest(s, rank);
		if (shown++ < STEPS_SHOWN)
			print(s, "between");
		else
			more++;
		sc_buf_clear(&s->phrase);
	}
	if (more)
		sc_buf_printf(&s->phrase, "and %u more calls that order other work", more);
	else if (!shown)
		sc_buf_add(&s->phrase, "no call that waits or uses an event, in any thread");
	if (s->phrase.bytes)
		print(s, "between");
}

/* Reports the call from which on a lane comes after the first operation. */
static void print_link(struct story *s, const struct sc_record *record, uint32_t stream)
{
	sc_buf_printf(&s->phrase, "after %s", call_name(s, &record->op));
	add_place(s, record);
	sc_buf_add(&s->phrase, ", ");
	sc_words_stream_name(&s->phrase, &s->words, stream);
	sc_buf_add(&s->phrase, " is ordered after the first operation");
	if (record->sequence > s->finding->side[1].op)
		sc_buf_add(&s->phrase, "; that is after the second, so too late");
	print(s, record->sequence > s->finding->side[1].op ? "late" : "known");
}

/* What the ordering engine knows: each lane that comes after the first operation, and whether the
 * lane of the second operation is among them in time. Later lanes matter only if the second
 * operation is in them. */
static void print_links(struct story *s, const struct sc_successors *trail)
{
	const struct sc_side *second = &s->finding->side[1];
	struct sc_record record;
	unsigned shown = 0;
	size_t next = 0;

	sc_reader_rewind(s->loaded->reader);
	while (next < trail->links.count && sc_reader_next(s->loaded->reader, &record) > 0)
		for (; next < trail->links.count &&
		       trail->links.items[next].sequence == record.sequence;
		     next++) {
			uint32_t stream = trail->links.items[next].stream;

			if ((record.sequence < second->op || stream == second->stream) &&
			    shown++ < STEPS_SHOWN)
				print_link(s, &record, stream);
		}
	if (!shown)
		sc_buf_add(&s->phrase, "no call orders another stream or a thread after the first "
				       "operation");
	else if (shown > STEPS_SHOWN)
		sc_buf_printf(&s->phrase, "and %u more streams", shown - STEPS_SHOWN);
	if (s->phrase.bytes)
		print(s, "known");
}

static void print_conclusion(struct story *s)
{
	sc_buf_add(&s->phrase, "nothing guarantees that the first operation (");
	sc_words_place(&s->phrase, &s->words, sc_side_position(&s->finding->side[0]));
	sc_buf_add(&s->phrase, ") has finished when the second (");
	sc_words_place(&s->phrase, &s->words, sc_side_position(&s->finding->side[1]));
	add_turn(s);
	sc_buf_add(&s->phrase, ") starts");
	print(s, "hence");
}

/* For collisions only: other findings of two operations are not about a missing order. */
static void print_trail(struct story *s)
{
	const struct sc_rule_row *rule = sc_rule_find(s->finding->rule);
	struct sc_successors trail;

	if (s->finding->sides < 2 || !rule || rule->kind != SC_RULE_BASE)
		return;
	sc_successors_find(&trail, s->loaded->reader, &s->settings, s->finding->side[0].op);
	if (trail.is_followed && trail.stream != s->finding->side[1].stream) {
		print_links(s, &trail);
		print_conclusion(s);
	}
	sc_successors_fini(&trail);
}

static void print_rule(struct story *s, unsigned number, const char *label)
{
	const struct sc_rule_row *rule = sc_rule_find(number);

	if (!rule)
		return;
	sc_buf_printf(&s->phrase, "SC-%u %s: %s. %s", number, rule->slug, rule->summary, rule->why);
	print(s, label);
}

static void print_proven(struct story *s)
{
	if (s->finding->side[0].bytes)
		sc_buf_add(&s->phrase, "the bytes of both operations are known exactly, and no "
				       "operation that was not recorded can order them");
	else
		sc_buf_add(&s->phrase, "no operation that was not recorded can change this");
	print(s, "proven");
}

static void print_story(struct story *s)
{
	const struct sc_finding *f = s->finding;

	print_rule(s, f->rule, "rule");
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		print_side(s, i);
	if (sc_words_bytes(&s->phrase, &s->words, f))
		print(s, "bytes");
	if (f->sides > 1)
		print_between(s);
	print_trail(s);
	if (sc_words_reach(&s->phrase, &s->words, f))
		print(s, "so");
	print_closest(s);
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			print_rule(s, f->causes[i], "cause");
	if (sc_words_doubt(&s->phrase, &s->words, f))
		print(s, "doubt");
	else
		print_proven(s);
	if (sc_words_can_verify(&s->words, f)) {
		sc_words_verify_command(&s->phrase, &s->words);
		sc_layout_keep(&s->phrase, 0);
		print(s, "decide");
	}
	sc_words_fix(&s->phrase, &s->words, f);
	print(s, "fix");
	if (sc_words_leader(&s->phrase, f))
		print(s, "also");
}

int sc_cmd_explain(int argc, char **argv)
{
	char directory[PATH_MAX], path[PATH_MAX];
	struct sc_options options;
	struct sc_buf out = {0};
	struct story s = {.out = &out};
	struct sc_chosen chosen;
	struct sc_loaded l;
	int first = sc_arguments_read(&options, sc_command_find("explain"), argc, argv);

	sc_chosen_read(&chosen, "explain", argc - first, argv + first);
	sc_kept_choose(path, "explain", chosen.trace);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	s.loaded = &l;
	s.settings.profile = (enum sc_profile)options.profile;
	s.settings.strict_hosts = options.hosts != 0;
	s.finding = sc_chosen_find(&l, &chosen, "explain", path);
	sc_terminal_style(&s.style, STDOUT_FILENO, (unsigned)options.color, directory);
	sc_words_init(&s.words, &l.report, s.style.directory);
	sc_words_set_finding(&s.words, s.finding);
	print_story(&s);
	sc_buf_fini(&s.phrase);
	sc_loaded_close(&l);
	return sc_print_and_free(&out);
}
