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
#include "cmds/loaded.h"
#include "cmds/print.h"
#include "cmds/terminal.h"
#include "reports/fingerprint.h"
#include "reports/site.h"
#include "reports/text_layout.h"
#include "reports/words.h"

#define STEPS_SHOWN 40 /* calls between the two; more are counted */

struct story {
	struct sc_buf *out;
	const struct sc_loaded *loaded;
	const struct sc_finding *finding;
	struct sc_report_style style;
	struct sc_words words;
	struct sc_analysis_settings settings;
	struct sc_buf phrase;
};

static void print(struct story *s, const char *label)
{
	sc_layout_fact(s->out, &s->style, label, sc_buf_text(&s->phrase));
	sc_buf_clear(&s->phrase);
}

/* By number from 1, or by the beginning of a fingerprint of at least 4 digits. */
static const struct sc_finding *find(const struct sc_loaded *l, const char *name)
{
	struct sc_fingerprints prints;
	const struct sc_finding *all, *found = NULL;
	char text[SC_FINGERPRINT_SIZE], *end;
	unsigned long number = strtoul(name, &end, 10);
	size_t count;

	all = sc_analysis_findings(l->analysis, &count);
	if (end != name && !*end && number >= 1 && number <= count)
		return &all[number - 1];
	sc_fingerprints_init(&prints, &l->report);
	for (size_t i = 0; i < count && i < prints.count && strlen(name) >= 4; i++) {
		sc_fingerprint_text(text, prints.items[i]);
		if (!found && !strncmp(text, name, strlen(name)))
			found = &all[i];
	}
	sc_fingerprints_fini(&prints);
	return found;
}

static void print_side(struct story *s, unsigned i)
{
	const struct sc_record *record =
		sc_analysis_record(s->loaded->analysis, s->finding->side[i].op);

	if (record) {
		sc_words_op(&s->phrase, &s->words, record);
		sc_buf_add(&s->phrase, ", at ");
		sc_words_place(&s->phrase, &s->words, record->sequence);
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

/* Why a wait for a stream does not order the two. */
static void add_stream_reason(struct story *s, const struct sc_op *op)
{
	uint32_t first = s->finding->side[0].stream;

	sc_buf_add(&s->phrase, " covers earlier work of ");
	sc_words_stream_name(&s->phrase, &s->words, op->stream);
	if (op->result != 0)
		sc_buf_add(&s->phrase, ", but did not succeed, so it orders nothing");
	else if (op->stream == first)
		sc_buf_add(&s->phrase, ", but returned after the second operation began, or in a "
				       "thread that nothing orders before it");
	else
		sc_buf_add(&s->phrase, "; the first operation is in another stream");
}

static void add_event_reason(struct story *s, const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
		sc_buf_printf(&s->phrase, " records event %" PRIu32 " in ", op->object);
		sc_words_stream_name(&s->phrase, &s->words, op->stream);
		sc_buf_add(&s->phrase, "; a record alone makes nothing wait");
		break;
	case SC_OP_EVENT_WAIT:
		sc_buf_add(&s->phrase, " makes ");
		sc_words_stream_name(&s->phrase, &s->words, op->stream);
		sc_buf_printf(&s->phrase, " wait for the latest earlier record of event %" PRIu32,
			      op->object);
		break;
	default:
		sc_buf_printf(&s->phrase,
			      " is about the latest earlier record of event %" PRIu32
			      ", for the host",
			      op->object);
		break;
	}
}

/* Adds what a call does that can order something; false if the call cannot. */
static bool add_reason(struct story *s, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;

	switch (op->kind) {
	case SC_OP_STREAM_SYNC:
	case SC_OP_STREAM_QUERY: add_stream_reason(s, op); return 1;
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY: add_event_reason(s, op); return 1;
	case SC_OP_CONTEXT_SYNC:
		sc_buf_printf(&s->phrase,
			      " waits for device %d, but that does not cover the first "
			      "operation here",
			      op->device);
		return 1;
	default: return 0;
	}
}

static void print_step(struct story *s, const struct sc_record *record)
{
	struct sc_buf reason = s->phrase;
	const char *call = sc_reader_string(s->loaded->reader, record->op.call);

	s->phrase = (struct sc_buf){0};
	sc_buf_add(&s->phrase, *call ? call : sc_op_kind_text(record->op.kind));
	add_place(s, record);
	sc_buf_add(&s->phrase, sc_buf_text(&reason));
	sc_buf_fini(&reason);
	print(s, "between");
}

/* Walks the calls between the two operations. */
static void print_between(struct story *s)
{
	uint64_t from = sc_side_position(&s->finding->side[0]);
	uint64_t to = sc_side_position(&s->finding->side[1]);
	struct sc_record record;
	unsigned shown = 0, more = 0;

	sc_reader_rewind(s->loaded->reader);
	while (sc_reader_next(s->loaded->reader, &record) > 0 && record.sequence < to) {
		if (record.sequence <= from || record.op.phase == SC_PHASE_END ||
		    !add_reason(s, &record))
			continue;
		if (shown++ < STEPS_SHOWN)
			print_step(s, &record);
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
	const char *call = sc_reader_string(s->loaded->reader, record->op.call);

	sc_buf_printf(&s->phrase, "after %s", *call ? call : sc_op_kind_text(record->op.kind));
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
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			print_rule(s, f->causes[i], "cause");
	if (sc_words_doubt(&s->phrase, &s->words, f))
		print(s, "doubt");
	else
		print_proven(s);
	if (sc_words_can_verify(&s->words, f)) {
		sc_words_verify_command(&s->phrase, &s->words);
		print(s, "decide");
	}
	sc_words_fix(&s->phrase, &s->words, f);
	print(s, "fix");
}

int sc_cmd_explain(int argc, char **argv)
{
	char directory[PATH_MAX];
	struct sc_options options;
	struct sc_buf out = {0};
	struct story s = {.out = &out};
	struct sc_loaded l;
	int first = sc_arguments_read(&options, sc_command_find("explain"), argc, argv);

	if (argc - first != 2)
		sc_die("explain: expected a finding and a trace; usage: streamcheck explain "
		       "[options] FINDING TRACE, where FINDING is "
		       "its number in the report or its fingerprint");
	if (sc_loaded_open(&l, argv[first + 1], &options, 0))
		return SC_EXIT_USAGE;
	s.loaded = &l;
	s.settings.profile = (enum sc_profile)options.profile;
	s.settings.strict_hosts = options.hosts != 0;
	s.finding = find(&l, argv[first]);
	if (!s.finding)
		sc_die("explain: no finding %s in %s", argv[first], argv[first + 1]);
	sc_terminal_style(&s.style, STDOUT_FILENO, (unsigned)options.color, directory);
	sc_words_init(&s.words, &l.report, s.style.directory);
	sc_words_set_finding(&s.words, s.finding);
	print_story(&s);
	sc_buf_fini(&s.phrase);
	sc_loaded_close(&l);
	return sc_print_and_free(&out);
}
