/* Options: one table read from the environment, the command line, or both. */
#include "base/option.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include "base/hint.h"

enum kind { TEXT, NUMBER, SIZE, CHOICE, LIST };

struct row {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *text; /* default of TEXT and CHOICE */
	uint64_t value;	  /* default of NUMBER and SIZE */
	uint64_t min;
	uint64_t max;
	const char *words; /* of CHOICE; of TEXT and LIST what the help shows as value */
	const char *help;
};

#define AT(member) offsetof(struct sc_options, member)
static const struct row rows[] = {
#define SC_OPTION_TEXT(member, name, value, shown, help) \
	{name, TEXT, AT(member), value, 0, 0, 0, shown, help},
#define SC_OPTION_NUMBER(member, name, value, min, max, help) \
	{name, NUMBER, AT(member), NULL, value, min, max, NULL, help},
#define SC_OPTION_SIZE(member, name, value, help) \
	{name, SIZE, AT(member), NULL, value, 0, UINT64_MAX, NULL, help},
#define SC_OPTION_CHOICE(member, name, value, words, help) \
	{name, CHOICE, AT(member), value, 0, 0, 0, words, help},
#define SC_OPTION_LIST(member, name, shown, help) \
	{name, LIST, AT(member), NULL, 0, 0, 0, shown, help},
#include "base/option.def"
#undef SC_OPTION_TEXT
#undef SC_OPTION_NUMBER
#undef SC_OPTION_SIZE
#undef SC_OPTION_CHOICE
#undef SC_OPTION_LIST
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Text of bounded length under construction; `full` once something did not fit. */
struct out {
	char *text;
	size_t room; /* with the terminator */
	size_t bytes;
	bool full;
};

static void out_init(struct out *o, char *text, size_t room)
{
	*o = (struct out){text, room, 0, room == 0};
	if (room)
		text[0] = 0;
}

static void out_char(struct out *o, char c)
{
	if (o->bytes + 1 >= o->room) {
		o->full = 1;
		return;
	}
	o->text[o->bytes++] = c;
	o->text[o->bytes] = 0;
}

static void out_bytes(struct out *o, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		out_char(o, text[i]);
}

static void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

static void out_number(struct out *o, uint64_t value)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		out_char(o, digits[--n]);
}

/* Joins the texts (NULL ends them) into the caller's message; returns -EINVAL. */
static int fail(char *message, size_t bytes, ...)
{
	struct out o;
	va_list texts;
	const char *text;

	out_init(&o, message, message ? bytes : 0);
	va_start(texts, bytes);
	while ((text = va_arg(texts, const char *)))
		out_text(&o, text);
	va_end(texts);
	return -EINVAL;
}

static const struct row *find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!strncmp(rows[i].name, name, bytes) && !rows[i].name[bytes])
			return &rows[i];
	return NULL;
}

_Static_assert(ROWS <= SC_OPTIONS_MAX, "SC_OPTIONS_MAX");

int sc_options_find(const char *name, size_t bytes)
{
	const struct row *row = find(name, bytes);

	return row ? (int)(row - rows) : -1;
}

bool sc_options_is_list(int index)
{
	return rows[index].kind == LIST;
}

static void *member(const struct sc_options *o, const struct row *row)
{
	return (uint8_t *)o + row->offset;
}

/* Words of a choice: the length of the word at `word`, and the next word or NULL. */
static size_t word_bytes(const char *word)
{
	return strcspn(word, "|");
}

static const char *next_word(const char *word)
{
	word += word_bytes(word);
	return *word ? word + 1 : NULL;
}

static bool choose(const struct row *row, const char *value, uint64_t *out)
{
	uint64_t index = 0;

	for (const char *word = row->words; word; word = next_word(word), index++)
		if (strlen(value) == word_bytes(word) && !memcmp(word, value, word_bytes(word))) {
			*out = index;
			return 1;
		}
	return 0;
}

/* Index of the default of a choice; option.def is ours, so it is there. */
static uint64_t default_choice(const struct row *row)
{
	uint64_t index = 0;

	choose(row, row->text, &index);
	return index;
}

static unsigned suffix_shift(char suffix)
{
	switch (suffix | 0x20) {
	case 'k': return 10;
	case 'm': return 20;
	case 'g': return 30;
	}
	return 0;
}

/* Decimal digits, then one of k, m, g if `sizes`; nothing else. */
static bool number(const char *text, bool sizes, uint64_t *out)
{
	const char *digit = text;
	uint64_t value = 0;
	unsigned shift = 0;

	for (; *digit >= '0' && *digit <= '9'; digit++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*digit - '0'), &value))
			return 0;
	if (digit == text)
		return 0;
	if (*digit && sizes) {
		shift = suffix_shift(*digit++);
		if (!shift || value > UINT64_MAX >> shift)
			return 0;
	}
	*out = value << shift;
	return !*digit;
}

static int set_text(char *out, const struct row *row, const char *value, char *message,
		    size_t bytes)
{
	size_t length = strlen(value);

	if (length >= SC_OPTION_TEXT_BYTES)
		return fail(message, bytes, "option ", row->name, ": the value is too long", NULL);
	memcpy(out, value, length + 1);
	return 0;
}

/* Values like FORMAT:FILE. */
static bool keeps_colon(const struct row *row)
{
	return row->kind == LIST && strchr(row->words, ':');
}

static int set_list(struct sc_option_list *list, const struct row *row, const char *value,
		    char *message, size_t bytes)
{
	int err;

	if (keeps_colon(row) && !strchr(value, ':'))
		return fail(message, bytes, "option ", row->name, ": \"", value, "\" is not ",
			    row->words, NULL);
	if (list->count == SC_OPTION_LIST_MAX)
		return fail(message, bytes, "option ", row->name, ": given too often", NULL);
	err = set_text(list->text[list->count], row, value, message, bytes);
	if (!err)
		list->count++;
	return err;
}

static int set_number(uint64_t *out, const struct row *row, const char *value, char *message,
		      size_t bytes)
{
	char text[64];
	struct out range;
	uint64_t parsed;

	if (number(value, row->kind == SIZE, &parsed) && parsed >= row->min && parsed <= row->max) {
		*out = parsed;
		return 0;
	}
	out_init(&range, text, sizeof(text));
	if (row->kind == SIZE) {
		out_text(&range, "a size like 512m or 16g");
	} else {
		out_text(&range, "a number from ");
		out_number(&range, row->min);
		out_text(&range, " to ");
		out_number(&range, row->max);
	}
	return fail(message, bytes, "option ", row->name, ": \"", value, "\" is not ", text, NULL);
}

static int set_value(struct sc_options *o, const struct row *row, const char *value, char *message,
		     size_t bytes)
{
	void *out = member(o, row);

	if (!*value && (row->kind == TEXT || row->kind == LIST))
		return fail(message, bytes, "option ", row->name, ": the value is empty; it takes ",
			    row->words, ": ", row->help, NULL);
	switch (row->kind) {
	case TEXT: return set_text(out, row, value, message, bytes);
	case LIST: return set_list(out, row, value, message, bytes);
	case NUMBER:
	case SIZE: return set_number(out, row, value, message, bytes);
	case CHOICE: break;
	}
	if (choose(row, value, out))
		return 0;
	return fail(message, bytes, "option ", row->name, ": \"", value, "\" is not one of ",
		    row->words, NULL);
}

static int set_row(struct sc_options *o, const struct row *row, const char *value, char *message,
		   size_t bytes)
{
	int err = set_value(o, row, value, message, bytes);

	o->is_given[row - rows] |= !err;
	return err;
}

void sc_options_init(struct sc_options *o)
{
	memset(o, 0, sizeof(*o));
	for (const struct row *row = rows; row < rows + ROWS; row++) {
		switch (row->kind) {
		case TEXT: set_text(member(o, row), row, row->text, NULL, 0); break;
		case NUMBER:
		case SIZE: *(uint64_t *)member(o, row) = row->value; break;
		case CHOICE: *(uint64_t *)member(o, row) = default_choice(row); break;
		case LIST: break;
		}
	}
}

int sc_options_set(struct sc_options *o, const char *assignment, char *message, size_t bytes)
{
	const char *equals = strchr(assignment, '='), *hint, *other;
	const struct row *row;

	if (!equals)
		return fail(message, bytes, "option \"", assignment,
			    "\" has no value, write name=value", NULL);
	row = find(assignment, (size_t)(equals - assignment));
	if (row)
		return set_row(o, row, equals + 1, message, bytes);
	hint = sc_hint_option(assignment, (size_t)(equals - assignment));
	other = sc_hint_nearest(assignment, (size_t)(equals - assignment));
	if (!hint && other)
		return fail(message, bytes, "unknown option in \"", assignment, "\", did you mean ",
			    other, "?", NULL);
	return fail(message, bytes, "unknown option in \"", assignment,
		    hint ? "\": " : "\", see streamcheck run --help", hint, NULL);
}

static bool is_list_with_colon(const char *assignment)
{
	size_t name = strcspn(assignment, "=:");
	const struct row *row = assignment[name] == '=' ? find(assignment, name) : NULL;

	return row && keeps_colon(row);
}

/* Copies one assignment up to its ':' without the escapes; returns where the next one begins. */
static const char *take_assignment(const char *text, struct out *out)
{
	const char *end = text + strlen(text), *c = text;
	bool keep_colon = is_list_with_colon(text); /* the first ':' belongs to FORMAT:FILE */

	for (; c < end; c++) {
		if (*c == '\\' && (c[1] == ':' || c[1] == '\\')) {
			c++;
			keep_colon = keep_colon && *c != ':';
		} else if (*c == ':') {
			if (!keep_colon)
				return c + 1;
			keep_colon = 0;
		}
		out_char(out, *c);
	}
	return end;
}

int sc_options_parse(struct sc_options *o, const char *text, char *message, size_t bytes)
{
	char assignment[SC_OPTION_TEXT_BYTES + 64];
	int last = 0;

	while (*text) {
		struct out out;
		int err = 0;

		out_init(&out, assignment, sizeof(assignment));
		text = take_assignment(text, &out);
		if (out.full)
			err = fail(message, bytes, "an option is too long", NULL);
		else if (out.bytes)
			err = sc_options_set(o, assignment, message, bytes);
		if (err)
			last = err;
	}
	return last;
}

static bool is_recorded(const struct row *row)
{
	static const char *const names[] = {
#define SC_RECORDED(name) name,
#include "base/recorded.def"
#undef SC_RECORDED
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], row->name))
			return 1;
	return 0;
}

static void print_escaped(struct out *out, const char *text, bool keep_first_colon)
{
	for (; *text; text++) {
		bool colon = *text == ':';

		if (*text == '\\' || (colon && !keep_first_colon))
			out_char(out, '\\');
		keep_first_colon = keep_first_colon && !colon;
		out_char(out, *text);
	}
}

static void print_name(struct out *out, const struct row *row)
{
	if (out->bytes)
		out_char(out, ':');
	out_text(out, row->name);
	out_char(out, '=');
}

static void print_choice(struct out *out, const struct row *row, uint64_t index)
{
	const char *word = row->words;

	for (; index && word; index--)
		word = next_word(word);
	if (word)
		out_bytes(out, word, word_bytes(word));
}

static void print_row(struct out *out, const struct sc_options *o, const struct row *row)
{
	const void *value = member(o, row);
	const struct sc_option_list *list = value;
	const uint64_t *n = value;

	switch (row->kind) {
	case TEXT:
		if (!strcmp(value, row->text))
			return;
		print_name(out, row);
		print_escaped(out, value, 0);
		return;
	case NUMBER:
	case SIZE:
		if (*n == row->value)
			return;
		print_name(out, row);
		out_number(out, *n);
		return;
	case CHOICE:
		if (*n == default_choice(row))
			return;
		print_name(out, row);
		print_choice(out, row, *n);
		return;
	case LIST:
		for (unsigned i = 0; i < list->count; i++) {
			print_name(out, row);
			print_escaped(out, list->text[i], keeps_colon(row));
		}
	}
}

int sc_options_print(const struct sc_options *o, char *out, size_t bytes)
{
	struct out text;

	out_init(&text, out, bytes);
	for (const struct row *row = rows; row < rows + ROWS; row++)
		print_row(&text, o, row);
	return text.full ? -ENOSPC : 0;
}

int sc_options_print_recorded(const struct sc_options *o, char *out, size_t bytes)
{
	struct out text;

	out_init(&text, out, bytes);
	for (const struct row *row = rows; row < rows + ROWS; row++)
		if (is_recorded(row))
			print_row(&text, o, row);
	return text.full ? -ENOSPC : 0;
}

const char *sc_options_name(int index)
{
	return (size_t)index < ROWS ? rows[index].name : NULL;
}

static bool are_same_lists(const struct sc_option_list *a, const struct sc_option_list *b)
{
	for (unsigned i = 0; i < a->count && i < b->count; i++)
		if (strcmp(a->text[i], b->text[i]) != 0)
			return false;
	return a->count == b->count;
}

bool sc_options_are_same(const struct sc_options *a, const struct sc_options *b, int index)
{
	const struct row *row = &rows[index];
	const void *x = member(a, row), *y = member(b, row);

	switch (row->kind) {
	case TEXT: return !strcmp(x, y);
	case NUMBER:
	case SIZE:
	case CHOICE: return *(const uint64_t *)x == *(const uint64_t *)y;
	case LIST: return are_same_lists(x, y);
	}
	return false;
}

int sc_options_print_one(const struct sc_options *o, int index, char *out, size_t bytes)
{
	const struct row *row = &rows[index];
	const void *value = member(o, row);
	struct out text;

	out_init(&text, out, bytes);
	if (row->kind == LIST)
		return 0;
	print_name(&text, row);
	switch (row->kind) {
	case TEXT: out_text(&text, value); break;
	case NUMBER:
	case SIZE: out_number(&text, *(const uint64_t *)value); break;
	case CHOICE: print_choice(&text, row, *(const uint64_t *)value); break;
	case LIST: break;
	}
	return text.full ? -ENOSPC : 0;
}

/* "--name=VALUE" of a row. */
static void help_usage(struct out *out, const struct row *row)
{
	static const char *const values[] = {[NUMBER] = "N", [SIZE] = "BYTES"};

	out_text(out, "  --");
	out_text(out, row->name);
	out_char(out, '=');
	out_text(out, row->words ? row->words : values[row->kind]);
	do
		out_char(out, ' ');
	while (out->bytes < 38);
}

static void help_default(struct out *out, const struct row *row)
{
	if (row->kind == LIST || (row->text && !*row->text))
		return;
	out_text(out, " (default ");
	if (row->text)
		out_text(out, row->text);
	else if (row->kind == SIZE && row->value >> 30 << 30 == row->value)
		out_number(out, row->value >> 30);
	else
		out_number(out, row->value);
	out_text(out, row->kind == SIZE && row->value >> 30 << 30 == row->value ? "g)" : ")");
}

void sc_options_help(void (*line)(void *context, const char *text), void *context)
{
	for (const struct row *row = rows; row < rows + ROWS; row++) {
		char text[512];
		struct out out;

		out_init(&out, text, sizeof(text));
		help_usage(&out, row);
		out_text(&out, row->help);
		help_default(&out, row);
		line(context, text);
	}
}

bool sc_options_read_size(const char *text, uint64_t *bytes)
{
	return number(text, 1, bytes);
}
