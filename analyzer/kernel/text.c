/* Texts: the names of their kernels, and what they say once they are read. */
#include "analyzer/kernel/text.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

#define NAMES_MOST 65536 /* of one text; one with more is read whatever is sought */

static const char entry[] = ".entry";

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Of the names that compilers write; ptx/lexer.c takes more. */
static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

/* Never 0. Two names of one hash cost reading a text in vain. */
static uint64_t hash_of(const char *name, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return hash | 1;
}

/* Returns where it ends. */
static const char *take_name(struct sc_code_text *t, const char *at, const char *end)
{
	const char *start;

	while (at < end && is_space(*at))
		at++;
	start = at;
	while (at < end && is_of_name(*at))
		at++;
	t->is_odd |= at == start || at == end || !(is_space(*at) || *at == '(');
	if (!t->is_odd)
		*sc_u64_map_get(&t->names, hash_of(start, (size_t)(at - start))) = 1;
	return at;
}

static void find_names(struct sc_code_text *t)
{
	const char *at = t->text, *end = t->text + t->bytes;
	size_t count = 0;

	while (!t->is_odd && (at = memmem(at, (size_t)(end - at), entry, sizeof(entry) - 1))) {
		at = take_name(t, at + sizeof(entry) - 1, end);
		t->is_odd |= ++count == NAMES_MOST;
	}
}

struct sc_code_text sc_code_text_of(const char *text, size_t bytes)
{
	struct sc_code_text t = {.text = sc_heap_xrealloc(NULL, bytes + 1, 1), .bytes = bytes};

	memcpy(t.text, text, bytes);
	t.text[bytes] = 0;
	find_names(&t);
	return t;
}

void sc_code_text_fini(struct sc_code_text *t)
{
	sc_footprint_free(t->module);
	sc_u64_map_fini(&t->names);
	free(t->text);
}

struct sc_footprint_kernel *sc_code_text_find(struct sc_code_text *t, const char *name)
{
	if (!t->module && !t->is_odd && !sc_u64_map_find(&t->names, hash_of(name, strlen(name))))
		return NULL;
	if (!t->module)
		t->module = sc_footprint_parse(t->text, t->bytes);
	return sc_footprint_find(t->module, name);
}
