/* Suppressions: read line by line; the first line that makes no sense ends the reading. */
#include "cmds/judge/suppression.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cmds/judge/comment.h"
#include "cmds/files/text_file.h"

#define ENTRIES_MAX 65536

static const char *const keys[] = {
#define SC_PATTERN(member, key, what) [SC_PATTERN_##member] = (key),
#include "cmds/judge/suppression.def"
#undef SC_PATTERN
};

/* A file on its way in. */
struct parser {
	struct sc_suppressions *all;
	const char *file; /* name, in the arena */
	unsigned line;
	bool has_entry;
	char *message;
	size_t message_bytes;
};

/* One line, or a part of it, without the spaces around it. */
struct piece {
	const char *text;
	size_t bytes;
};

static struct piece trim(const char *text, size_t bytes)
{
	while (bytes && strchr(" \t\r", text[bytes - 1]))
		bytes--;
	for (; bytes && strchr(" \t", *text); bytes--)
		text++;
	return (struct piece){text, bytes};
}

static bool is_text(struct piece p, const char *text)
{
	return strlen(text) == p.bytes && !memcmp(p.text, text, p.bytes);
}

static int fail_at(struct parser *p, unsigned line, const char *what)
{
	if (p->message_bytes)
		snprintf(p->message, p->message_bytes, "%s:%u: %s", p->file, line, what);
	return -EINVAL;
}

/* An entry without a pattern would hide everything. */
static int end_entry(struct parser *p)
{
	const struct sc_suppression *last;

	if (!p->has_entry)
		return 0;
	last = sc_vector_last(&p->all->list);
	for (int i = 0; i < SC_PATTERNS; i++)
		if (last->match[i])
			return 0;
	return fail_at(p, last->line, "the entry has no pattern, so it would hide every finding");
}

static int begin_entry(struct parser *p, struct piece line)
{
	struct piece reason;
	int err = end_entry(p);

	if (err)
		return err;
	if (line.text[line.bytes - 1] != ']')
		return fail_at(p, p->line, "an entry begins with [a reason]");
	if (p->all->list.count == ENTRIES_MAX)
		return fail_at(p, p->line, "too many entries");
	reason = trim(line.text + 1, line.bytes - 2);
	*sc_vector_add(&p->all->list) = (struct sc_suppression){
		.reason = sc_arena_xtext(&p->all->arena, reason.text, reason.bytes),
		.file = p->file,
		.line = p->line};
	p->has_entry = 1;
	return 0;
}

/* YYYY-MM-DD of a day that exists, or 0. */
static uint32_t parse_date(struct piece p)
{
	static const unsigned char days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	uint32_t part[3] = {0};
	size_t n = 0;

	if (p.bytes != strlen("YYYY-MM-DD"))
		return 0;
	for (size_t i = 0; i < p.bytes; i++) {
		bool is_dash = i == 4 || i == 7;

		if (is_dash ? p.text[i] != '-' : p.text[i] < '0' || p.text[i] > '9')
			return 0;
		n += is_dash;
		if (!is_dash)
			part[n] = part[n] * 10 + (uint32_t)(p.text[i] - '0');
	}
	if (!part[0] || part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > days[part[1] - 1])
		return 0;
	return part[0] * 10000 + part[1] * 100 + part[2];
}

static int set_pattern(struct parser *p, struct sc_suppression *s, struct piece key,
		       struct piece value)
{
	for (int i = 0; i < SC_PATTERNS; i++) {
		if (!is_text(key, keys[i]))
			continue;
		if (s->match[i])
			return fail_at(p, p->line, "this key was given before in this entry");
		s->match[i] = sc_arena_xtext(&p->all->arena, value.text, value.bytes);
		return 0;
	}
	return fail_at(p, p->line,
		       "unknown key; use rule, function, first, then, file, module, kernel, "
		       "stream, expires");
}

static int take_key(struct parser *p, struct piece line)
{
	const char *equals = memchr(line.text, '=', line.bytes);
	size_t at = equals ? (size_t)(equals - line.text) : 0;
	struct piece key = trim(line.text, at), value;
	struct sc_suppression *s;

	if (!equals)
		return fail_at(p, p->line, "expected key = pattern, [a reason] or # a comment");
	if (!p->has_entry)
		return fail_at(p, p->line, "a key before the first [a reason]");
	value = trim(equals + 1, line.bytes - at - 1);
	if (!value.bytes)
		return fail_at(p, p->line, "the key has no value");
	s = sc_vector_last(&p->all->list);
	if (!is_text(key, "expires"))
		return set_pattern(p, s, key, value);
	if (s->expires)
		return fail_at(p, p->line, "this key was given before in this entry");
	s->expires = parse_date(value);
	return s->expires ? 0 : fail_at(p, p->line, "expires needs a date such as 2027-01-31");
}

static int take_line(struct parser *p, struct piece line)
{
	if (!line.bytes || *line.text == '#')
		return 0;
	if (memchr(line.text, '\0', line.bytes))
		return fail_at(p, p->line, "a zero byte: this is not a text file");
	return *line.text == '[' ? begin_entry(p, line) : take_key(p, line);
}

int sc_suppressions_parse(struct sc_suppressions *s, const char *name, const char *text,
			  size_t text_bytes, char *message, size_t bytes)
{
	struct parser p = {.all = s, .message = message, .message_bytes = bytes};
	int err = 0;

	p.file = sc_arena_xtext(&s->arena, name, strlen(name));
	while (text_bytes && !err) {
		const char *end = memchr(text, '\n', text_bytes);
		size_t length = end ? (size_t)(end - text) : text_bytes;

		p.line++;
		err = take_line(&p, trim(text, length));
		length += end != NULL;
		text += length;
		text_bytes -= length;
	}
	return err ? err : end_entry(&p);
}

int sc_suppressions_read(struct sc_suppressions *s, const char *path, char *message, size_t bytes)
{
	char *text = NULL;
	size_t text_bytes = 0;
	int err = sc_text_file_read(path, &text, &text_bytes);

	if (err) {
		if (bytes)
			snprintf(message, bytes, "cannot read %s: %s", path, strerror(-err));
		return err;
	}
	err = sc_suppressions_parse(s, path, text, text_bytes, message, bytes);
	free(text);
	return err;
}

void sc_suppressions_fini(struct sc_suppressions *s)
{
	sc_comments_fini(s);
	sc_vector_fini(&s->list);
	sc_arena_fini(&s->arena);
}

bool sc_suppression_has_expired(const struct sc_suppression *s, uint32_t today)
{
	return s->expires && today > s->expires;
}

uint32_t sc_suppression_today(void)
{
	time_t now = time(NULL);
	struct tm day;

	if (!gmtime_r(&now, &day))
		return 0;
	return (uint32_t)(day.tm_year + 1900) * 10000 + (uint32_t)(day.tm_mon + 1) * 100 +
	       (uint32_t)day.tm_mday;
}

const char *sc_suppression_key(enum sc_pattern pattern)
{
	return keys[pattern];
}
