/* Configuration: the text of the file, line by line; the first that makes no sense ends the
 * reading.
 */
#include "base/config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/hint.h"
#include "base/inside.h"

#define KEY_MAX 64

/* Options whose values are files that are read: relative to the folder of the file. */
static const char *const read_files[] = {
	"baseline",  "debug-root",  "footprints-file", "record-kernels",
	"sanitizer", "source-root", "suppressions",
};
/* Options whose values are files that are written: relative to the current folder. */
static const char *const written_files[] = {
	"gen-suppressions", "live-html", "live-output", "output", "report", "summary", "trace",
};
/* Options that say how the file itself is found. */
static const char *const not_here[] = {"config", "help"};

struct parser {
	const char *name, *folder;
	bool is_named; /* by the user: it may name files anywhere, and a library */
	const char *at, *end;
	unsigned line;
	struct sc_options *options;
	bool seen[SC_OPTIONS_MAX];
	char key[KEY_MAX];
	int option; /* index of the key */
	char *message;
	size_t message_bytes;
};

static int fail(const struct parser *p, const char *what, const char *which)
{
	if (p->message_bytes)
		snprintf(p->message, p->message_bytes, "%s:%u: %s%s%s%s", p->name, p->line, what,
			 which ? " \"" : "", which ? which : "", which ? "\"" : "");
	return -EINVAL;
}

/* ---- letters ---- */

static bool is_at(const struct parser *p, char c)
{
	return p->at < p->end && *p->at == c;
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_';
}

/* Bytes of the character in UTF-8 at `at`; 0: it is none. */
static size_t utf8_bytes(const unsigned char *at, size_t left)
{
	size_t bytes = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;

	if (!bytes || bytes > left || *at > 0xf4)
		return 0;
	for (size_t i = 1; i < bytes; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
	    (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
		return 0;
	return bytes;
}

/* Text is UTF-8, and has no control characters but tabs and ends of lines. */
static int check_text(struct parser *p)
{
	const unsigned char *at = (const unsigned char *)p->at,
			    *end = (const unsigned char *)p->end;

	while (at < end) {
		size_t bytes = utf8_bytes(at, (size_t)(end - at));
		bool is_end = *at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n');

		if (!bytes)
			return fail(p, "this is not UTF-8", NULL);
		if ((*at < ' ' && *at != '\t' && !is_end) || *at == 0x7f)
			return fail(p, "a control character: this is not a text file", NULL);
		p->line += *at == '\n';
		at += bytes;
	}
	p->line = 1;
	return 0;
}

static void skip_spaces(struct parser *p)
{
	while (is_at(p, ' ') || is_at(p, '\t'))
		p->at++;
}

/* Spaces, comments and ends of lines. */
static void skip_lines(struct parser *p)
{
	for (;;) {
		skip_spaces(p);
		if (is_at(p, '#'))
			while (p->at < p->end && *p->at != '\n')
				p->at++;
		if (is_at(p, '\r'))
			p->at++;
		if (!is_at(p, '\n'))
			return;
		p->line++;
		p->at++;
	}
}

/* ---- values ---- */

/* What stands after a backslash, or 0. */
static char unescaped(char c)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	const char *found = c ? strchr(from, c) : NULL;

	return found ? to[found - from] : '\0';
}

/* A text in quotes, at which the parser stands. */
static int take_text(struct parser *p, char *out, size_t room)
{
	char quote = *p->at++;
	size_t used = 0;

	if (p->end - p->at >= 2 && p->at[0] == quote && p->at[1] == quote)
		return fail(p, "a text of several lines; write it in one", NULL);
	while (p->at < p->end && *p->at != quote && *p->at != '\n' && *p->at != '\r') {
		char c = *p->at++;

		if (c == '\\' && quote == '"') {
			c = p->at < p->end ? unescaped(*p->at++) : '\0';
			if (!c)
				return fail(p, "an unknown escape; use \\\" \\\\ \\t \\n, or '…'",
					    NULL);
		}
		if (used + 1 >= room)
			return fail(p, "the text is too long", NULL);
		out[used++] = c;
	}
	out[used] = '\0';
	if (!is_at(p, quote))
		return fail(p, "the text has no end in this line", NULL);
	p->at++;
	return 0;
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return 1;
	return 0;
}

/* The folder before a relative name; in a pattern it stands for itself. */
static size_t add_folder(const struct parser *p, char *out, size_t room, bool is_pattern)
{
	size_t used = 0;

	for (const char *c = p->folder; *c && used + 2 < room; c++) {
		if (is_pattern && strchr("*?[\\", *c))
			out[used++] = '\\';
		out[used++] = *c;
	}
	if (used < room)
		out[used++] = '/';
	return used;
}

#define IS_AMONG(names, name) is_among(names, sizeof(names) / sizeof(*(names)), name)

/* Of a file that was only found, in a checkout of somebody else perhaps. */
static bool is_allowed(const struct parser *p, const char *value)
{
	const char *file = strcmp(p->key, "report") ? value : strchr(value, ':');

	if (p->is_named || !*value)
		return true;
	if (!strcmp(p->key, "sanitizer"))
		return false;
	if (IS_AMONG(read_files, p->key))
		return sc_inside(p->folder, p->folder, value);
	if (!IS_AMONG(written_files, p->key) || !file)
		return true;
	return sc_inside(p->folder, "", *file == ':' ? file + 1 : file);
}

static int set(struct parser *p, const char *value)
{
	bool is_pattern = !strcmp(p->key, "own") && *value != '*';
	bool is_file = IS_AMONG(read_files, p->key);
	char assignment[KEY_MAX + 2 * SC_OPTION_TEXT_BYTES + 2], said[256] = "";
	size_t used = (size_t)snprintf(assignment, sizeof(assignment), "%s=", p->key);

	if (!is_allowed(p, value))
		return fail(p,
			    "only a file that --config=FILE names may have a library, or a path "
			    "out of its folder, in option",
			    p->key);
	if ((is_file || is_pattern) && *value && *value != '/')
		used += add_folder(p, assignment + used, SC_OPTION_TEXT_BYTES, is_pattern);
	snprintf(assignment + used, sizeof(assignment) - used, "%s", value);
	if (!sc_options_set(p->options, assignment, said, sizeof(said)))
		return 0;
	return fail(p, said, NULL);
}

static int take_word(struct parser *p)
{
	char word[24];
	size_t bytes = 0;

	while (p->at + bytes < p->end && (is_bare(p->at[bytes]) || strchr(".+", p->at[bytes])))
		bytes++;
	snprintf(word, sizeof(word), "%.*s", (int)bytes, p->at);
	p->at += bytes;
	if (!strcmp(word, "true"))
		return set(p, "yes");
	if (!strcmp(word, "false"))
		return set(p, "no");
	if (bytes && bytes < sizeof(word) && strspn(word, "0123456789") == bytes &&
	    (*word != '0' || bytes == 1))
		return set(p, word);
	if (bytes && (*word | ' ') >= 'a' && (*word | ' ') <= 'z')
		return fail(p, "a text stands in quotes: write", word);
	return fail(p, "expected a \"text\", a number, true, false, or a list of texts", NULL);
}

static int take_one(struct parser *p)
{
	char value[SC_OPTION_TEXT_BYTES];
	int err;

	if (!is_at(p, '"') && !is_at(p, '\''))
		return take_word(p);
	err = take_text(p, value, sizeof(value));
	return err ? err : set(p, value);
}

/* Texts in brackets, over as many lines as it takes. */
static int take_list(struct parser *p)
{
	p->at++;
	for (;;) {
		int err;

		skip_lines(p);
		if (is_at(p, ']'))
			break;
		if (!is_at(p, '"') && !is_at(p, '\''))
			return fail(p, "a list holds texts in quotes, and ends with ]", NULL);
		err = take_one(p);
		if (err)
			return err;
		skip_lines(p);
		if (is_at(p, ','))
			p->at++;
		else if (!is_at(p, ']'))
			return fail(p, "a comma or ] is missing in a list", NULL);
	}
	p->at++;
	return 0;
}

/* ---- lines ---- */

static int take_key(struct parser *p)
{
	size_t bytes = 0;
	const char *hint, *other;
	char said[96];

	if (is_at(p, '[')) {
		return fail(p, "there are no tables; options stand at the beginning of a line",
			    NULL);
	} else if (is_at(p, '"') || is_at(p, '\'')) {
		int err = take_text(p, p->key, sizeof(p->key));

		if (err)
			return err;
	} else {
		while (p->at < p->end && is_bare(*p->at) && bytes + 1 < sizeof(p->key))
			p->key[bytes++] = *p->at++;
		p->key[bytes] = '\0';
	}
	if (is_at(p, '.'))
		return fail(p, "no option has a dot in its name", NULL);
	p->option = sc_options_find(p->key, strlen(p->key));
	if (p->option >= 0 && !IS_AMONG(not_here, p->key))
		return 0;
	hint = sc_hint_option(p->key, strlen(p->key));
	other = sc_hint_nearest(p->key, strlen(p->key));
	if (!hint && p->option < 0 && other) {
		snprintf(said, sizeof(said), "did you mean %s? There is no option", other);
		return fail(p, said, p->key);
	}
	return fail(p,
		    hint	     ? hint
		    : p->option >= 0 ? "not in a file can stand the option"
				     : "streamcheck run --help lists the options; there is none",
		    p->key);
}

static int take_line(struct parser *p)
{
	int err = take_key(p);

	if (err)
		return err;
	if (p->seen[p->option])
		return fail(p, "this file has given a value before to option", p->key);
	p->seen[p->option] = 1;
	skip_spaces(p);
	if (!is_at(p, '='))
		return fail(p, "expected = and a value after", p->key);
	p->at++;
	skip_spaces(p);
	if (is_at(p, '[') && !sc_options_is_list(p->option))
		return fail(p, "only one value is taken by option", p->key);
	err = is_at(p, '[') ? take_list(p) : take_one(p);
	if (err)
		return err;
	skip_spaces(p);
	if (p->at < p->end && !strchr("#\r\n", *p->at))
		return fail(p, "text after the value of", p->key);
	return 0;
}

int sc_config_parse(struct sc_options *o, const struct sc_config_file *file, const char *text,
		    size_t text_bytes, char *message, size_t bytes)
{
	struct parser p = {.name = file->name,
			   .folder = file->folder,
			   .is_named = file->is_named,
			   .at = text,
			   .end = text + text_bytes,
			   .line = 1,
			   .options = o,
			   .message = message,
			   .message_bytes = bytes};
	int err = check_text(&p);

	while (!err) {
		skip_lines(&p);
		if (p.at == p.end)
			return 0;
		err = take_line(&p);
	}
	return err;
}
