/* Summary files: lines of words, the last one free text; read from anyone, so every word is
 * checked. */
#include "reports/many/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "reports/utf8.h"
#include "reports/words/words.h"

#define SHARDS_MOST  1000000		 /* that a run is divided into */
#define NUMBER_MOST  (UINT64_C(1) << 32) /* processes, and findings of a process */
#define SIGNALS_MOST 128

/* ---- writing ---- */

/* The text, each of its lines after a mark. */
static void write_text(struct sc_buf *out, const char *text)
{
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		sc_buf_add(out, "| ");
		sc_buf_add_bytes(out, text, bytes);
		sc_buf_add_char(out, '\n');
		text += bytes + (text[bytes] == '\n');
	}
}

static void write_group(struct sc_buf *out, const struct sc_summary_group *g)
{
	sc_buf_printf(out, "processes %" PRIu64 " ", g->processes);
	sc_rank_set_print(out, &g->ranks);
	for (unsigned i = 0; i < SC_SUMMARY_COUNTS; i++)
		sc_buf_printf(out, " %" PRIu64, g->counts[i]);
	sc_buf_printf(out, " %s\n", g->command);
}

static void write_run(struct sc_buf *out, const struct sc_summary_run *run)
{
	sc_buf_printf(out, "run %" PRIu64 " ", run->processes);
	sc_rank_set_print(out, &run->ranks);
	sc_buf_printf(out, " %s\n", run->id);
}

static void write_row(struct sc_buf *out, const struct sc_summary_row *row)
{
	char text[SC_FINGERPRINT_SIZE];

	sc_fingerprint_text(text, row->fingerprint);
	sc_buf_printf(out, "finding %s SC-%u %s %s %" PRIu64 " ", text, (unsigned)row->rule,
		      sc_severity_text(row->severity), sc_words_confidence(row->confidence),
		      row->processes);
	sc_rank_set_print(out, &row->ranks);
	sc_buf_printf(out, " %s\n", row->message);
	if (row->line_number)
		sc_buf_printf(out, "at %u %u %s\n", row->line_number, row->column, row->file);
	if (*row->function)
		sc_buf_printf(out, "in %s\n", row->function);
	write_text(out, row->text);
}

void sc_summary_write(struct sc_buf *out, const struct sc_summary *s)
{
	sc_buf_printf(out, SC_SUMMARY_HEAD "%d of fingerprints %d\n", SC_SUMMARY_VERSION,
		      SC_FINGERPRINT_VERSION);
	if (s->shard_count) {
		sc_buf_add(out, "shard ");
		sc_rank_set_print(out, &s->shards);
		sc_buf_printf(out, " of %" PRIu32 "\n", s->shard_count);
	}
	for (size_t i = 0; i < s->runs.count; i++)
		write_run(out, &s->runs.items[i]);
	for (size_t i = 0; i < s->groups.count; i++)
		write_group(out, &s->groups.items[i]);
	for (size_t i = 0; i < s->rows.count; i++)
		write_row(out, &s->rows.items[i]);
	sc_buf_add(out, "end\n");
}

/* ---- reading ---- */

struct parser {
	struct sc_summary *summary;
	const char *at, *end; /* of the line that is read */
	struct sc_buf text;   /* of the last finding, so far */
	struct sc_summary_row *row;
	const char *fault; /* NULL: none so far */
	bool has_ended;
};

static void fail(struct parser *p, const char *what)
{
	if (!p->fault)
		p->fault = what;
}

/* Takes the next word of the line: what stands before the next space. */
static size_t take_word(struct parser *p, const char **word)
{
	const char *space = memchr(p->at, ' ', (size_t)(p->end - p->at));
	size_t bytes = (size_t)((space ? space : p->end) - p->at);

	*word = p->at;
	p->at += bytes + (space != NULL);
	return bytes;
}

static bool take_is(struct parser *p, const char *wanted)
{
	const char *word;
	size_t bytes = take_word(p, &word);

	return bytes == strlen(wanted) && !memcmp(word, wanted, bytes);
}

static uint64_t take_number(struct parser *p, uint64_t most)
{
	uint64_t number = 0;
	const char *word;
	size_t bytes = take_word(p, &word);

	if (!bytes || bytes > 10)
		fail(p, "expected a number");
	for (size_t i = 0; i < bytes && !p->fault; i++) {
		if (word[i] < '0' || word[i] > '9')
			fail(p, "expected a number");
		number = number * 10 + (uint64_t)(word[i] - '0');
	}
	if (number > most)
		fail(p, "a number is too large");
	return number;
}

static void take_ranks(struct parser *p, struct sc_rank_set *ranks)
{
	const char *word;
	size_t bytes = take_word(p, &word);

	if (!sc_rank_set_parse(ranks, word, bytes))
		fail(p, "expected ranks in ascending order, such as 0-5,7, or -");
}

/* The rest of the line, fit for a terminal; owned by the caller. */
static char *take_rest(struct parser *p)
{
	char *raw = sc_heap_xcopy(p->at, (size_t)(p->end - p->at));
	struct sc_buf clean = {0};

	sc_utf8_add_clean(&clean, raw);
	free(raw);
	p->at = p->end;
	return sc_buf_take(&clean);
}

static uint64_t take_fingerprint(struct parser *p)
{
	char digits[SC_FINGERPRINT_SIZE] = "";
	const char *word;
	size_t bytes = take_word(p, &word);

	if (bytes == 16)
		memcpy(digits, word, 16);
	if (strspn(digits, "0123456789abcdef") != 16)
		fail(p, "expected a fingerprint of 16 hexadecimal digits");
	return strtoull(digits, NULL, 16);
}

static uint16_t take_rule(struct parser *p)
{
	if (p->end - p->at > 3 && !memcmp(p->at, "SC-", 3))
		p->at += 3;
	else
		fail(p, "expected a rule, such as SC-101");
	return (uint16_t)take_number(p, 999);
}

/* The number whose word comes next. */
static uint8_t take_choice(struct parser *p, const char *const words[3])
{
	const char *word;
	size_t bytes = take_word(p, &word);

	for (uint8_t i = 0; i < 3; i++)
		if (strlen(words[i]) == bytes && !memcmp(words[i], word, bytes))
			return i;
	fail(p, "expected a severity and a confidence, such as error proven");
	return 0;
}

static void read_shard(struct parser *p)
{
	struct sc_summary *s = p->summary;

	if (s->shard_count)
		fail(p, "a second line of shards");
	take_ranks(p, &s->shards);
	if (!take_is(p, "of"))
		fail(p, "expected: shard 1 of 4");
	s->shard_count = (uint32_t)take_number(p, SHARDS_MOST);
	if (!s->shards.ranges.count || !s->shards.ranges.items[0].first ||
	    sc_vector_last(&s->shards.ranges)->last > s->shard_count)
		fail(p, "shards are numbered from 1 on");
}

static void read_run(struct parser *p)
{
	struct sc_summary one = {0};
	struct sc_summary_run run = {.processes = take_number(p, NUMBER_MOST)};

	take_ranks(p, &run.ranks);
	run.id = take_rest(p);
	if (!run.processes || !*run.id)
		fail(p, "expected how many processes, their ranks and the name of their run");
	if (!p->fault) {
		sc_vector_push(&one.runs, run);
		sc_summary_join(p->summary, &one);
		sc_vector_fini(&one.runs);
	}
	sc_rank_set_fini(&run.ranks);
	free(run.id);
}

static void read_processes(struct parser *p)
{
	struct sc_summary one = {0};
	struct sc_summary_group g = {.processes = take_number(p, NUMBER_MOST)};

	take_ranks(p, &g.ranks);
	for (unsigned i = 0; i < SC_SUMMARY_COUNTS; i++)
		g.counts[i] = take_number(p, i == SC_SUMMARY_COMPLETE ? 1
					     : i == SC_SUMMARY_SIGNAL ? SIGNALS_MOST
								      : NUMBER_MOST);
	g.command = take_rest(p);
	if (!g.processes)
		fail(p, "a line without processes");
	if (!p->fault) {
		sc_vector_push(&one.groups, g);
		sc_summary_join(p->summary, &one);
		sc_vector_fini(&one.groups);
	}
	sc_rank_set_fini(&g.ranks);
	free(g.command);
}

/* The text of the finding before is complete. */
static void end_finding(struct parser *p)
{
	if (p->row) {
		free(p->row->text);
		p->row->text = sc_buf_take(&p->text);
	}
	p->row = NULL;
}

static void read_finding(struct parser *p)
{
	static const char *const severities[] = {
		[SC_ADVICE] = "advice", [SC_WARNING] = "warning", [SC_ERROR] = "error"};
	static const char *const confidences[] = {
		[SC_POSSIBLE] = "possible", [SC_LIKELY] = "likely", [SC_PROVEN] = "proven"};
	struct sc_summary one = {0};
	struct sc_summary_row row = {.fingerprint = take_fingerprint(p), .is_read = 1};

	row.rule = take_rule(p);
	row.severity = take_choice(p, severities);
	row.confidence = take_choice(p, confidences);
	row.processes = take_number(p, NUMBER_MOST);
	take_ranks(p, &row.ranks);
	row.message = take_rest(p);
	if (!row.processes)
		fail(p, "a finding without processes");
	if (!p->fault && sc_u64_map_find(&p->summary->by_fingerprint, row.fingerprint))
		fail(p, "a finding stands there twice");
	if (!p->fault) {
		sc_vector_push(&one.rows, row);
		sc_summary_join(p->summary, &one);
		sc_vector_fini(&one.rows);
		p->row = sc_vector_last(&p->summary->rows);
	}
	sc_rank_set_fini(&row.ranks);
	free(row.message);
}

static void set_word(struct parser *p, char **word)
{
	char *rest = take_rest(p);

	if (p->row && !**word && *rest) {
		free(*word);
		*word = rest;
		return;
	}
	fail(p, "a place twice, without a name, or without a finding");
	free(rest);
}

static void read_at(struct parser *p)
{
	unsigned line = (unsigned)take_number(p, INT32_MAX);
	unsigned column = (unsigned)take_number(p, INT32_MAX);
	char *none = NULL;

	if (!line)
		fail(p, "lines of a file are numbered from 1 on");
	set_word(p, p->row ? &p->row->file : &none);
	if (p->fault)
		return;
	p->row->line_number = line;
	p->row->column = column;
}

static void read_in(struct parser *p)
{
	char *none = NULL;

	set_word(p, p->row ? &p->row->function : &none);
}

static void read_text(struct parser *p)
{
	char *rest = take_rest(p);

	if (!p->row)
		fail(p, "a text without a finding");
	sc_buf_add(&p->text, rest);
	sc_buf_add_char(&p->text, '\n');
	free(rest);
}

static void read_end(struct parser *p)
{
	p->has_ended = 1;
}

static const struct {
	const char *word;
	void (*read)(struct parser *p);
} lines[] = {
	{"shard", read_shard},	   {"run", read_run}, {"processes", read_processes},
	{"finding", read_finding}, {"at", read_at},   {"in", read_in},
	{"|", read_text},	   {"end", read_end},
};

static bool stays_with_finding(const char *word, size_t bytes)
{
	return (bytes == 1 && *word == '|') ||
	       (bytes == 2 && (!memcmp(word, "at", 2) || !memcmp(word, "in", 2)));
}

static void read_line(struct parser *p)
{
	const char *word;
	size_t bytes = take_word(p, &word);

	if (p->has_ended)
		fail(p, "a line after the end");
	if (!stays_with_finding(word, bytes))
		end_finding(p);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines) && !p->fault; i++)
		if (strlen(lines[i].word) == bytes && !memcmp(lines[i].word, word, bytes)) {
			lines[i].read(p);
			return;
		}
	fail(p, "expected shard, run, processes, finding, at, in, | or end");
}

bool sc_summary_is_file(const char *text, size_t bytes)
{
	return bytes >= strlen(SC_SUMMARY_HEAD) &&
	       !memcmp(text, SC_SUMMARY_HEAD, strlen(SC_SUMMARY_HEAD));
}

static const char *check_head(const char *text, size_t bytes)
{
	char wanted[64];
	int length = snprintf(wanted, sizeof(wanted), SC_SUMMARY_HEAD "%d of fingerprints %d\n",
			      SC_SUMMARY_VERSION, SC_FINGERPRINT_VERSION);

	if (!sc_summary_is_file(text, bytes))
		return "no summary: the first line must begin with \"" SC_SUMMARY_HEAD "\"";
	if (bytes < (size_t)length || memcmp(text, wanted, (size_t)length) != 0)
		return "a summary of another version of streamcheck; analyze the traces again";
	return NULL;
}

int sc_summary_read(struct sc_summary *s, const char *name, const char *text, size_t bytes,
		    char *message, size_t message_bytes)
{
	struct parser p = {.summary = s, .fault = check_head(text, bytes)};
	const char *at = text, *end = text + bytes;
	unsigned number = 0;

	while (at < end && !p.fault) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		p.at = at;
		p.end = stop ? stop : end;
		at = stop ? stop + 1 : end;
		if (number++)
			read_line(&p);
	}
	end_finding(&p);
	if (!p.has_ended)
		fail(&p, "the file has no end: it was cut off");
	sc_buf_fini(&p.text);
	if (!p.fault)
		return 0;
	snprintf(message, message_bytes, "%s:%u: %s", name, number ? number : 1, p.fault);
	return -EINVAL;
}
