/* Symbols: the names of a text form and what they stand for. */
#pragma once

#include <stdbool.h>
#include "base/arena.h"
#include "trace/text/text_lex.h"

/* What a name can stand for. */
enum sc_symbol_class {
	SC_SYMBOL_CONTEXT = 'C',
	SC_SYMBOL_STREAM = 'S',
	SC_SYMBOL_EVENT = 'E',
	SC_SYMBOL_FUNCTION = 'F',
	SC_SYMBOL_OBJECT = 'O',
	SC_SYMBOL_BUFFER = 'B',
	SC_SYMBOL_STRING = 'T'
};

struct sc_text_symbol {
	uint32_t id;
	uint32_t context_id;		/* of a stream */
	struct sc_text_symbol *context; /* of a stream; NULL if it was a number */
	uint8_t device;			/* of a context */
	uint8_t memory;			/* of a buffer */
	bool freed;			/* of a buffer */
	uint64_t base;			/* of a buffer */
	uint64_t bytes;			/* of a buffer; 0 = not known */
};

/* An empty table is all zero. Symbols never move. */
struct sc_text_symbols {
	struct sc_symbol_entry *entries; /* uthash */
	struct sc_arena arena;
};

void sc_symbols_fini(struct sc_text_symbols *s);
/* The symbol of a class and name, or NULL. */
struct sc_text_symbol *sc_symbols_find(const struct sc_text_symbols *s, enum sc_symbol_class class,
				       struct sc_text_span name);
/* The same; made, all zero, if there was none (*made says so). */
struct sc_text_symbol *sc_symbols_get(struct sc_text_symbols *s, enum sc_symbol_class class,
				      struct sc_text_span name, bool *made);
