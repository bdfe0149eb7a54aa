/* Layouts of the versions of CPython. */
#include "interposer/python/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE	    "xdebugpy" /* begins the published offsets */
#define SPECIALIZED 14	       /* since then threads without a lock have code of their own */

enum { VERSION_WORD = 1, FREE_THREADED_WORD, PUBLISHED_WORDS = 81 };

/* A word that the interpreter publishes, and what is added to it; word 0: `plus` is the offset. */
struct offset {
	int word, plus;
};

struct row {
	unsigned minor, kind;
	struct {
#define F(name) struct offset name;
		SC_PYTHON_OFFSETS(F)
#undef F
	} offset;
};

#define AT(offset)        \
	{                 \
		0, offset \
	}
#define PUBLISHED(word, plus) \
	{                     \
		word, plus    \
	}
#define LAYOUT(minor, kind, ...) {minor, kind, {__VA_ARGS__}},

static const struct row rows[] = {
#include "interposer/python/layout.def"
};

static const struct row *find_row(unsigned minor)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].minor == minor)
			return &rows[i];
	}
	return NULL;
}

static bool is_published(const uint64_t *words, unsigned minor)
{
	uint64_t version;

	if (!words || memcmp(words, COOKIE, sizeof(*words)) != 0)
		return false;
	version = words[VERSION_WORD];
	return version >> 24 == 3 && (version >> 16 & 0xFF) == minor &&
	       !(words[FREE_THREADED_WORD] && minor >= SPECIALIZED);
}

static int32_t take(struct offset from, const uint64_t *words)
{
	if (from.word && words[from.word] > SC_PYTHON_MOST_HEAD)
		return SC_PYTHON_MOST_HEAD + 1; /* outside of every structure */
	return (from.word ? (int32_t)words[from.word] : 0) + from.plus;
}

static int32_t highest(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* True if a word at each of the offsets lies inside a structure of so many bytes. */
static bool is_inside(const int32_t *offsets, size_t count, int32_t bytes)
{
	for (size_t i = 0; i < count; i++) {
		if (offsets[i] < 0 || offsets[i] > bytes - (int32_t)sizeof(uint64_t))
			return false;
	}
	return bytes <= SC_PYTHON_MOST_HEAD;
}

#define IS_INSIDE(bytes, ...)                     \
	is_inside((const int32_t[]){__VA_ARGS__}, \
		  sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t), bytes)

static bool is_sound(const struct sc_python_layout *l)
{
	return IS_INSIDE(SC_PYTHON_MOST_HEAD, l->thread_frame) &&
	       l->holder_frame >= SC_PYTHON_NO_HOLDER &&
	       IS_INSIDE((int32_t)l->frame_bytes, l->frame_code, l->frame_previous,
			 l->frame_instruction) &&
	       IS_INSIDE(l->code_start, l->code_file, l->code_function, l->code_lines,
			 l->code_first_line, l->code_traceable, l->object_type, l->object_count) &&
	       IS_INSIDE(l->string_ascii, l->string_length, l->string_state, l->object_type) &&
	       IS_INSIDE(l->bytes_start, l->object_type, l->object_count);
}

struct sc_python_layout sc_python_layout(const char *version, const void *runtime)
{
	struct sc_python_layout l = {.minor = 0};
	unsigned minor = strncmp(version, "3.", 2) ? 0 : (unsigned)strtoul(version + 2, NULL, 10);
	const struct row *row = find_row(minor);

	if (!row || (row->offset.thread_frame.word && !is_published(runtime, minor)))
		return l;
#define F(name) l.name = take(row->offset.name, runtime);
	SC_PYTHON_OFFSETS(F)
#undef F
	l.kind = row->kind;
	l.frame_bytes = (uint32_t)(highest(highest(l.frame_code, l.frame_previous),
					   highest(l.frame_instruction, l.frame_owner - 7)) +
				   (int32_t)sizeof(uint64_t));
	l.frame_bytes = (l.frame_bytes + 7) & ~7u; /* single bytes are read slowly */
	l.minor = is_sound(&l) ? minor : 0;
	return l;
}
