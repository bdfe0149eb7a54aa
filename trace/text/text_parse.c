/* The text form, parsed: a script turned into a binary trace. */
#include "trace/text/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "trace/slot.h"
#include "trace/text/text_line.h"

#define TURNS_MOST 100

/* Reports what is wrong with the line; unprintable characters of the script are masked. */
int sc_text_fail(struct sc_text_parser *p, const char *format, ...)
{
	va_list arguments;
	int start;

	if (!p->message || !p->message_bytes)
		return -EINVAL;
	start = snprintf(p->message, p->message_bytes, "line %u: ", p->line);
	if (start < 0 || (size_t)start >= p->message_bytes)
		return -EINVAL;
	va_start(arguments, format);
	vsnprintf(p->message + start, p->message_bytes - (size_t)start, format, arguments);
	va_end(arguments);
	for (char *c = p->message; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
	return -EINVAL;
}

static int cut_tokens(struct sc_text_parser *p, struct sc_text_span line)
{
	struct sc_token token;
	int found;

	sc_vector_clear(&p->tokens);
	while ((found = sc_lex_token(&line, &token)) > 0)
		sc_vector_push(&p->tokens, token);
	return found ? sc_text_fail(p, "a quote or a bracket is not closed") : 0;
}

/* Keeps what stands after `expect`, as it is. */
static void keep_expectation(struct sc_text_parser *p, struct sc_text_span line, const char *behind)
{
	const char *end = line.text + line.bytes;

	while (behind < end && (*behind == ' ' || *behind == '\t'))
		behind++;
	while (end > behind && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	sc_vector_push(&p->expectations, sc_heap_xcopy(behind, (size_t)(end - behind)));
}

/* Takes `rank N:` off the line; false if it is of another rank than the one that is read. */
static bool take_rank(const struct sc_text_parser *p, struct sc_text_span *line)
{
	struct sc_text_span rest = *line, digits;
	struct sc_token word, number;
	uint64_t rank;

	if (!p->rank || sc_lex_token(&rest, &word) <= 0 || !sc_span_is(word.value, "rank") ||
	    sc_lex_token(&rest, &number) <= 0)
		return 1;
	digits = number.value;
	if (!digits.bytes || digits.text[digits.bytes - 1] != ':')
		return 1;
	digits.bytes--;
	if (!sc_lex_number(digits, &rank))
		return 1;
	*line = rest;
	return rank + 1 == p->rank;
}

/* What links cannot refer to, but is counted. */
static void skip_op(struct sc_text_parser *p)
{
	const struct sc_text_done *last = p->done.count ? sc_vector_last(&p->done) : NULL;

	sc_vector_push(&p->done, ((struct sc_text_done){.sequence = last ? last->sequence : 0,
							.is_other = 1}));
}

static int parse_line(struct sc_text_parser *p, struct sc_text_span line)
{
	bool is_own = take_rank(p, &line);
	struct sc_text_span rest = line;
	struct sc_token first;
	int err;

	if (sc_lex_token(&rest, &first) > 0 && !first.key.bytes && first.form == SC_TOKEN_WORD &&
	    sc_span_is(first.value, "expect")) {
		keep_expectation(p, line, rest.text);
		return 0;
	}
	err = cut_tokens(p, line);
	if (err || !p->tokens.count)
		return err;
	if (is_own)
		return sc_text_line(p);
	skip_op(p);
	return 0;
}

/* The lines between `repeat N` and `again`. */
struct loop {
	struct sc_text_span text; /* what comes after `repeat` */
	unsigned line;		  /* of `repeat` */
	uint64_t turns;		  /* left, this one included; 0: no loop is open */
};

/* Opens a loop, or goes back while turns are left: 1, 0 if the line is of no loop, -EINVAL. */
static int take_loop(struct sc_text_parser *p, struct loop *loop, struct sc_text_span line,
		     struct sc_text_span *rest)
{
	struct sc_token word, number;

	if (sc_lex_token(&line, &word) <= 0 || word.key.bytes || word.form != SC_TOKEN_WORD)
		return 0;
	if (sc_span_is(word.value, "repeat")) {
		if (loop->turns || sc_lex_token(&line, &number) <= 0 ||
		    !sc_lex_number(number.value, &loop->turns) || !loop->turns ||
		    loop->turns > TURNS_MOST)
			return sc_text_fail(p, "repeat, in no other, takes a number from 1 to %d",
					    TURNS_MOST);
		loop->text = *rest;
		loop->line = p->line;
		return 1;
	}
	if (!sc_span_is(word.value, "again"))
		return 0;
	if (!loop->turns)
		return sc_text_fail(p, "again without repeat");
	if (--loop->turns) {
		*rest = loop->text;
		p->line = loop->line;
	}
	return 1;
}

static int parse_lines(struct sc_text_parser *p, struct sc_text_span text)
{
	struct loop loop = {0};
	struct sc_text_span line;
	int got = 0;

	while (got >= 0 && text.bytes) {
		p->line++;
		sc_lex_split(&text, '\n', &line);
		got = take_loop(p, &loop, line, &text);
		if (!got)
			got = parse_line(p, line);
	}
	if (got >= 0 && loop.turns)
		return sc_text_fail(p, "repeat without again");
	return got < 0 ? got : 0;
}

/* Header and slots in one block. */
static void build_trace(struct sc_text_parser *p, struct sc_text_script *out)
{
	struct sc_trace_header header = {
		.magic = SC_TRACE_MAGIC,
		.version = SC_TRACE_VERSION,
		.op_bytes = sizeof(struct sc_op),
		.slots = p->slots.count,
		.lost = p->lost,
		.closed = 1,
	};
	size_t bytes = p->slots.count * SC_SLOT_SIZE;

	out->bytes = SC_TRACE_HEADER + bytes;
	out->trace = sc_heap_xcalloc(out->bytes, 1);
	memcpy(out->trace, &header, sizeof(header));
	header.check = sc_slot_check_header(&header);
	memcpy(out->trace + SC_TRACE_SEAL, &header, sizeof(header));
	if (bytes)
		memcpy(out->trace + SC_TRACE_HEADER, p->slots.items, bytes);
	out->op_lines = p->op_lines.items;
	out->op_line_count = p->op_lines.count;
	out->expectations = p->expectations.items;
	out->expectation_count = p->expectations.count;
}

static void drop_results(struct sc_text_parser *p)
{
	for (size_t i = 0; i < p->expectations.count; i++)
		free(p->expectations.items[i]);
	sc_vector_fini(&p->expectations);
	sc_vector_fini(&p->op_lines);
}

static int parse(struct sc_text_script *out, uint32_t rank, const char *text, size_t bytes,
		 char *message, size_t message_bytes)
{
	struct sc_text_parser p = {.next_id = 1,
				   .next_string = 1,
				   .rank = rank,
				   .message = message,
				   .message_bytes = message_bytes};
	int err = parse_lines(&p, (struct sc_text_span){text, bytes});

	*out = (struct sc_text_script){0};
	if (err)
		drop_results(&p);
	else
		build_trace(&p, out);
	sc_symbols_fini(&p.symbols);
	sc_vector_fini(&p.buffers);
	sc_vector_fini(&p.slots);
	sc_vector_fini(&p.done);
	sc_vector_fini(&p.callbacks);
	sc_vector_fini(&p.tokens);
	sc_arena_fini(&p.arena);
	return err;
}

int sc_text_parse(struct sc_text_script *out, const char *text, size_t bytes, char *message,
		  size_t message_bytes)
{
	return parse(out, 0, text, bytes, message, message_bytes);
}

int sc_text_parse_rank(struct sc_text_script *out, uint32_t rank, const char *text, size_t bytes,
		       char *message, size_t message_bytes)
{
	return parse(out, rank + 1, text, bytes, message, message_bytes);
}

void sc_text_script_fini(struct sc_text_script *s)
{
	for (size_t i = 0; i < s->expectation_count; i++)
		free(s->expectations[i]);
	free(s->expectations);
	free(s->trace);
	free(s->op_lines);
	*s = (struct sc_text_script){0};
}
