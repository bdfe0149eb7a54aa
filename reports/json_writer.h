/* A JSON writer: appends values to a buffer, with commas, indentation and escapes where they
 *belong.
 *
 *	sc_json_open(&j, NULL, '{');
 *	sc_json_text(&j, "rule", "SC-101");
 *	sc_json_close(&j, '}');
 *
 * Any bytes may be given as text; what is no UTF-8 becomes U+FFFD, so the output always parses.
 * Inside an array the key is NULL. `is_line` and `is_page` are set before the first value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

struct sc_json {
	struct sc_buf *out; /* borrowed */
	unsigned depth;
	bool has_items; /* of the innermost object or array */
	bool is_line;	/* no line ends but the last: for JSON lines */
	bool is_page;	/* no space between tokens, and "<" is escaped: for an element of a page */
};

/* Begins and ends an object ('{', '}') or an array ('[', ']'). */
void sc_json_open(struct sc_json *j, const char *key, char bracket);
void sc_json_close(struct sc_json *j, char bracket);

void sc_json_text(struct sc_json *j, const char *key, const char *text);
/* The text of a buffer, null if that is empty; empties it. */
void sc_json_phrase(struct sc_json *j, const char *key, struct sc_buf *phrase);
void sc_json_number(struct sc_json *j, const char *key, uint64_t number);
void sc_json_bool(struct sc_json *j, const char *key, bool value);
void sc_json_null(struct sc_json *j, const char *key);
/* A value of a pool (reports/json_pool.h) by its index, as -1 - index: no other number is below
 * zero. */
void sc_json_shared(struct sc_json *j, const char *key, uint32_t index);
/* An address as text, "0x7f…": JSON numbers do not carry 64 bits everywhere. */
void sc_json_address(struct sc_json *j, const char *key, uint64_t address);
