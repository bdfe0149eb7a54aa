/* Comments: source files read line by line, for the words "streamcheck: ignore". */
#include "cmds/judge/comment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/finding/rule.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/message.h"
#include "cmds/judge/suppress.h"
#include "reports/sources/source.h"

#define WORDS	    "streamcheck: ignore"
#define ENTRIES_MAX 65536

/* A source file that was looked into. */
struct sc_comment_file {
	const char *path;   /* in the arena */
	bool is_read;	    /* its comments are entries */
	bool may_have_some; /* the words are in it */
	UT_hash_handle hh;
};

struct scan {
	struct sc_suppressions *all;
	const char *path; /* in the arena */
	unsigned line;
	size_t waiting; /* first entry that waits for the line that it is about */
};

static bool is_python(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".py");
}

/* True for a line that holds a comment and nothing else. */
static bool is_only_comment(const struct scan *s, const char *line)
{
	line += strspn(line, " \t");
	return !strncmp(line, "//", 2) || !strncmp(line, "/*", 2) || *line == '*' ||
	       (*line == '#' && is_python(s->path));
}

/* What follows the words in a comment of the line, or NULL. */
static const char *after_words(const char *line)
{
	const char *at = strstr(line, WORDS), *before = at;

	while (before && before > line && strchr(" \t", before[-1]))
		before--;
	if (!before || before == line || !strchr("/*#", before[-1]))
		return NULL;
	at += strlen(WORDS);
	return !*at || strchr(" \t\r\n", *at) ? at : NULL;
}

static bool is_known(const char *pattern)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);

	for (unsigned i = 0; i < count; i++)
		if (sc_suppress_is_rule(pattern, rows[i].rule))
			return 1;
	return 0;
}

static void add_entry(struct scan *s, const char *rule, size_t bytes)
{
	struct sc_suppression entry = {.file = s->path, .line = s->line, .is_in_source = 1};

	entry.match[SC_PATTERN_rule] = sc_arena_xtext(&s->all->arena, rule, bytes);
	if (!bytes)
		sc_warn("%s:%u: a comment that ignores has to name a rule", s->path, s->line);
	else if (!is_known(entry.match[SC_PATTERN_rule]))
		sc_warn("%s:%u: a comment ignores \"%s\", which is no rule", s->path, s->line,
			entry.match[SC_PATTERN_rule]);
	else if (s->all->list.count < ENTRIES_MAX)
		sc_vector_push(&s->all->list, entry);
}

/* The text up to its end or the end of the comment, in the arena. */
static const char *body_of(struct scan *s, const char *text)
{
	const char *end = strstr(text, "*/");
	size_t bytes = end ? (size_t)(end - text) : strlen(text);

	while (bytes && strchr(" \t\r\n", text[bytes - 1]))
		bytes--;
	return sc_arena_xtext(&s->all->arena, text, bytes);
}

/* Rules with commas between them, then the reason. */
static void take_comment(struct scan *s, const char *text)
{
	size_t first = s->all->list.count;
	bool has_more;

	text = body_of(s, text);
	do {
		size_t bytes;

		text += strspn(text, " \t");
		bytes = strcspn(text, ", \t");
		add_entry(s, text, bytes);
		text += bytes;
		text += strspn(text, " \t");
		has_more = *text == ',';
		text += has_more;
	} while (has_more);
	for (size_t i = first; i < s->all->list.count; i++)
		s->all->list.items[i].reason = *text ? text : "a comment without a reason";
}

/* The entries that waited are about this line. */
static void settle(struct scan *s)
{
	for (; s->waiting < s->all->list.count; s->waiting++)
		s->all->list.items[s->waiting].at = s->line;
}

static void take_line(struct scan *s, const char *line)
{
	const char *text = after_words(line);

	s->line++;
	if (text)
		take_comment(s, text);
	if (!is_only_comment(s, line))
		settle(s);
}

void sc_comments_parse(struct sc_suppressions *s, const char *path, FILE *file)
{
	struct scan scan = {.all = s, .waiting = s->list.count};
	char *line = NULL;
	size_t room = 0;

	scan.path = sc_arena_xtext(&s->arena, path, strlen(path));
	while (getline(&line, &room, file) >= 0)
		take_line(&scan, line);
	scan.line++;
	settle(&scan);
	free(line);
}

/* What is known of a file; at first nothing. */
static struct sc_comment_file *get_file(struct sc_suppressions *s, const char *path, bool *is_new)
{
	struct sc_comment_file *known;

	HASH_FIND_STR(s->sources, path, known);
	*is_new = !known;
	if (known)
		return known;
	known = SC_ARENA_XNEW(&s->arena, struct sc_comment_file);
	known->path = sc_arena_xtext(&s->arena, path, strlen(path));
	HASH_ADD_KEYPTR(hh, s->sources, known->path, strlen(known->path), known);
	return known;
}

void sc_comments_read(struct sc_suppressions *s, struct sc_sources *sources, const char *path)
{
	bool is_new;
	struct sc_comment_file *known = get_file(s, path, &is_new);
	FILE *file;

	if (known->is_read)
		return;
	known->is_read = 1;
	file = sc_source_open(sources, path);
	if (!file)
		return;
	sc_comments_parse(s, path, file);
	sc_source_close(sources, file);
}

static bool has_words(FILE *file)
{
	struct sc_buf text = {0};
	bool has;

	/* what could not be read may have them */
	has = sc_buf_add_file(&text, fileno(file)) || strstr(sc_buf_text(&text), WORDS);
	sc_buf_fini(&text);
	return has;
}

bool sc_comments_may_be_in(struct sc_suppressions *s, struct sc_sources *sources, const char *path)
{
	bool is_new;
	struct sc_comment_file *known = get_file(s, path, &is_new);
	FILE *file;

	if (is_new) {
		file = sc_source_open(sources, path);
		known->may_have_some = file && has_words(file);
		if (file)
			sc_source_close(sources, file);
	}
	return known->may_have_some && !known->is_read;
}

void sc_comments_fini(struct sc_suppressions *s)
{
	HASH_CLEAR(hh, s->sources);
}
