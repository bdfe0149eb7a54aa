/* Symbols: the names of a text form and what they stand for. */
#include "trace/text/text_symbol.h"

#include <stdbool.h>
#include <string.h>
#include "base/message.h"

#define uthash_fatal(text) sc_die("out of memory for names (%s), check a shorter text", text)
#include <uthash.h>

struct sc_symbol_entry {
	UT_hash_handle hh;
	struct sc_text_symbol symbol;
	char key[]; /* class, then name */
};

void sc_symbols_fini(struct sc_text_symbols *s)
{
	HASH_CLEAR(hh, s->entries);
	sc_arena_fini(&s->arena);
}

static void make_key(struct sc_buf *key, enum sc_symbol_class class, struct sc_text_span name)
{
	sc_buf_add_char(key, (char)class);
	sc_buf_add_bytes(key, name.text, name.bytes);
}

static struct sc_symbol_entry *find_entry(const struct sc_text_symbols *s, const struct sc_buf *key)
{
	struct sc_symbol_entry *entry;

	HASH_FIND(hh, s->entries, key->text, key->bytes, entry);
	return entry;
}

struct sc_text_symbol *sc_symbols_find(const struct sc_text_symbols *s, enum sc_symbol_class class,
				       struct sc_text_span name)
{
	struct sc_symbol_entry *entry;
	struct sc_buf key = {0};

	make_key(&key, class, name);
	entry = find_entry(s, &key);
	sc_buf_fini(&key);
	return entry ? &entry->symbol : NULL;
}

struct sc_text_symbol *sc_symbols_get(struct sc_text_symbols *s, enum sc_symbol_class class,
				      struct sc_text_span name, bool *made)
{
	struct sc_symbol_entry *entry;
	struct sc_buf key = {0};

	make_key(&key, class, name);
	entry = find_entry(s, &key);
	*made = !entry;
	if (!entry) {
		entry = sc_arena_xalloc(&s->arena, 1, sizeof(*entry) + key.bytes);
		memcpy(entry->key, key.text, key.bytes);
		HASH_ADD_KEYPTR(hh, s->entries, entry->key, key.bytes, entry);
	}
	sc_buf_fini(&key);
	return &entry->symbol;
}
