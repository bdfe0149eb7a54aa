/* Python names: imports, and arguments that are names. */
#include "extensions/repair/patcher/python_names.h"

#include <ctype.h>
#include <string.h>

/* ---- names ---- */

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Names with dots: `self.stream`. Brackets and calls may mean another thing at another line. */
static size_t name_bytes(const char *text)
{
	size_t bytes = 0;

	if (isdigit((unsigned char)*text) || *text == '.')
		return 0;
	while (is_of_name(text[bytes]))
		bytes++;
	return bytes;
}

static const char *skip_spaces(const char *text)
{
	return text + strspn(text, " \t");
}

/* Takes a name if the text after it begins with one of the characters. */
static bool take_name(struct sc_buf *out, const char *text, const char *ends)
{
	size_t bytes;

	text = skip_spaces(text);
	bytes = name_bytes(text);
	if (!bytes || !*skip_spaces(text + bytes) || !strchr(ends, *skip_spaces(text + bytes)))
		return 0;
	sc_buf_add_bytes(out, text, bytes);
	return 1;
}

/* ---- imports ---- */

static bool is_word(const char *text, size_t bytes, const char *word)
{
	return strlen(word) == bytes && !strncmp(text, word, bytes);
}

/* Takes "NAME" or "NAME as OTHER"; returns what follows. */
static const char *take_item(const char *text, const char **name, size_t *bytes, const char **as,
			     size_t *as_bytes)
{
	*name = text = text + strspn(text, " \t,(");
	*bytes = name_bytes(text);
	text = skip_spaces(text + *bytes);
	*as = NULL;
	*as_bytes = 0;
	if (is_word(text, name_bytes(text), "as")) {
		*as = skip_spaces(text + 2);
		*as_bytes = name_bytes(*as);
		text = *as + *as_bytes;
	}
	return skip_spaces(text);
}

/* What an item of an import calls the module, if it brings that. `from` is the package before the
 * item, or empty. */
static bool match_item(struct sc_buf *out, const char *module, const char *from, size_t from_bytes,
		       const char *item, size_t bytes, const char *as, size_t as_bytes)
{
	const char *rest = module;

	if (from_bytes) {
		if (strncmp(rest, from, from_bytes) != 0 || rest[from_bytes] != '.')
			return 0;
		rest += from_bytes + 1;
	}
	/* `import torch.cuda` brings `torch`; `import numba` alone does not bring `numba.cuda`. */
	if (!from_bytes && !as && bytes > strlen(module) && item[strlen(module)] == '.')
		bytes = strlen(module);
	if (!is_word(item, bytes, rest))
		return 0;
	if (as)
		sc_buf_add_bytes(out, as, as_bytes);
	else
		sc_buf_add_bytes(out, item, bytes);
	return 1;
}

static bool match_import(struct sc_buf *out, const char *text, const char *module)
{
	const char *from = "", *item, *as;
	size_t from_bytes = 0, bytes, as_bytes;

	if (!strncmp(text, "from ", 5)) {
		from = skip_spaces(text + 5);
		from_bytes = name_bytes(from);
		text = skip_spaces(from + from_bytes);
	}
	if (strncmp(text, "import", 6) != 0 || !text[6] || !strchr(" \t(", text[6]))
		return 0;
	text += 6;
	do {
		text = take_item(text, &item, &bytes, &as, &as_bytes);
		if (match_item(out, module, from, from_bytes, item, bytes, as, as_bytes))
			return 1;
	} while (bytes && *text == ',');
	return 0;
}

bool sc_python_names_module(struct sc_buf *out, const struct sc_python_source *l,
			    const char *module)
{
	bool is_found = 0;

	for (size_t i = 0; i < l->list.count && !is_found; i++) {
		struct sc_buf text = {0};

		if (l->list.items[i].indent || l->list.items[i].is_several)
			continue;
		sc_python_source_add(&text, l, i);
		is_found = match_import(out, sc_buf_text(&text), module);
		sc_buf_fini(&text);
	}
	return is_found;
}

size_t sc_python_names_last_import(const struct sc_python_source *l, unsigned line)
{
	size_t last = 0;

	for (size_t i = 0; i < l->list.count && l->list.items[i].last < line; i++)
		if (!l->list.items[i].indent && (sc_python_source_begins(l, i, "import") ||
						 sc_python_source_begins(l, i, "from")))
			last = i + 1;
	return last;
}

/* ---- streams ---- */

static enum sc_python_stream take_stream(struct sc_buf *out, const char *text, const char *ends)
{
	return take_name(out, text, ends) ? SC_PYTHON_STREAM_NAMED : SC_PYTHON_STREAM_HIDDEN;
}

/* The value in `f(x, stream=s)`, or NULL. */
static const char *find_keyword(const char *text)
{
	for (const char *at = text; (at = strstr(at, "stream")); at += 6) {
		const char *after = skip_spaces(at + 6);

		if (at > text && !is_of_name(at[-1]) && *after == '=' && after[1] != '=')
			return after + 1;
	}
	return NULL;
}

/* The third value in `kernel[grid, block, s](x)`, or NULL. */
static const char *find_third(const char *text)
{
	const char *at = text + name_bytes(text);
	unsigned commas = 0;

	if (at == text || *at != '[')
		return NULL;
	for (int depth = 0; *++at && depth >= 0;) {
		depth += strchr("([{", *at) != NULL;
		depth -= strchr(")]}", *at) != NULL;
		if (*at == ',' && !depth && ++commas == 2)
			return at + 1;
	}
	return NULL;
}

/* The stream of a call or a launch, and what may follow it; or NULL. */
static const char *find_argument(const char *text, const char **ends)
{
	const char *value = find_keyword(text);

	*ends = value ? ",)" : ",]";
	return value ? value : find_third(text);
}

bool sc_python_names_set_stream(struct sc_buf *out, const char *text, const char *stream)
{
	const char *ends, *value = find_argument(skip_spaces(text), &ends);
	size_t bytes;

	value = value ? skip_spaces(value) : NULL;
	bytes = value ? name_bytes(value) : 0;
	if (!bytes || !value[bytes] || !strchr(ends, *skip_spaces(value + bytes)))
		return 0;
	sc_buf_add_bytes(out, text, (size_t)(value - text));
	sc_buf_printf(out, "%s%s", stream, value + bytes);
	return 1;
}

/* `with torch.cuda.stream(s):`; other names and calls of `with` may be streams as well. */
static enum sc_python_stream add_with(struct sc_buf *out, const char *text)
{
	const char *at = strstr(text, ".stream(");

	if (at && take_name(out, at + 8, ")"))
		return SC_PYTHON_STREAM_NAMED;
	return SC_PYTHON_STREAM_WITHIN;
}

size_t sc_python_names_function(const struct sc_python_source *l, size_t i)
{
	size_t head = sc_python_source_head(l, i);

	while (head && !sc_python_source_begins(l, head - 1, "def") &&
	       !sc_python_source_begins(l, head - 1, "async"))
		head = sc_python_source_head(l, head - 1);
	return head;
}

enum sc_python_stream sc_python_names_stream(struct sc_buf *out, const struct sc_python_source *l,
					     size_t i)
{
	size_t function = sc_python_names_function(l, i);
	struct sc_buf text = {0};
	enum sc_python_stream found;
	const char *value, *ends;

	sc_python_source_add(&text, l, i);
	value = find_argument(sc_buf_text(&text), &ends);
	found = value ? take_stream(out, value, ends) : SC_PYTHON_STREAM_CURRENT;
	for (size_t head = sc_python_source_head(l, i);
	     head != function && found == SC_PYTHON_STREAM_CURRENT;
	     head = sc_python_source_head(l, head - 1)) {
		if (!sc_python_source_begins(l, head - 1, "with"))
			continue;
		sc_buf_clear(&text);
		sc_python_source_add(&text, l, head - 1);
		found = add_with(out, sc_buf_text(&text));
	}
	sc_buf_fini(&text);
	return found;
}

/* Where what a statement gives values to ends in its text: `for x in`, `with y as x`, `x = y`. */
static const char *end_of_targets(const struct sc_python_source *l, size_t i, const char *text)
{
	const char *value = strchr(text, '=');

	if (sc_python_source_begins(l, i, "def"))
		return text + strlen(text);
	if (sc_python_source_begins(l, i, "for"))
		return strstr(text, " in ");
	return value && value[1] != '=' ? value : NULL;
}

/* True if the statement gives the name a value, or is a function with such a parameter. */
static bool binds(const struct sc_python_source *l, size_t i, const char *name)
{
	bool is_with = sc_python_source_begins(l, i, "with");
	size_t bytes = strlen(name);
	struct sc_buf text = {0};
	const char *end;
	bool does = 0;

	sc_python_source_add(&text, l, i);
	end = is_with ? sc_buf_text(&text) + text.bytes : end_of_targets(l, i, sc_buf_text(&text));
	for (const char *at = text.text; end && !does && (at = strstr(at, name)) && at < end; at++)
		does = (at == text.text || !is_of_name(at[-1])) && !is_of_name(at[bytes]) &&
		       (!is_with || (at - text.text > 4 && !strncmp(at - 4, " as ", 4)));
	sc_buf_fini(&text);
	return does;
}

bool sc_python_names_is_set(const struct sc_python_source *l, const char *name, size_t first,
			    size_t second)
{
	for (size_t i = first + 1; i < second; i++)
		if (binds(l, i, name))
			return 1;
	return 0;
}

bool sc_python_names_is_global(const struct sc_python_source *l, const char *name)
{
	bool is_global = 0;

	for (size_t i = 0; i < l->list.count; i++) {
		bool is_inner = sc_python_names_function(l, i) != 0;

		if (!binds(l, i, name))
			continue;
		if (is_inner || sc_python_source_begins(l, i, "def"))
			return 0;
		is_global = 1;
	}
	return is_global;
}

/* ---- events ---- */

bool sc_python_names_event(struct sc_buf *out, const struct sc_python_source *l, size_t i)
{
	static const char *const own[] = {".record(", ".wait(", ".synchronize("};
	struct sc_buf text = {0};
	const char *wait;
	bool is_found = 0;

	sc_python_source_add(&text, l, i);
	wait = strstr(sc_buf_text(&text), ".wait_event(");
	if (wait)
		is_found = take_name(out, wait + strlen(".wait_event("), ",)");
	for (size_t k = 0; k < sizeof(own) / sizeof(*own) && !wait && !is_found; k++) {
		size_t bytes = name_bytes(sc_buf_text(&text));
		size_t last = strlen(own[k]) - 1;

		/* The whole name with its last part: `done.record`. */
		if (bytes > last && text.text[bytes] == '(' &&
		    !strncmp(text.text + bytes - last, own[k], last)) {
			sc_buf_add_bytes(out, text.text, bytes - last);
			is_found = 1;
		}
	}
	sc_buf_fini(&text);
	return is_found;
}
