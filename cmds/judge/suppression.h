/* Suppressions: files that say which findings are known and wanted hidden, until when and why.
 *
 *	[the vendor's race, bug 1234]		an entry begins; the text says why
 *	rule = SC-105				patterns (base/glob.h): all of them have to hold
 *	function = vendor::upload*
 *	expires = 2027-01-31			the last day on which it counts
 *
 * Lines that begin with # are comments. An entry needs at least one pattern. Files are input from
 * outside: whatever is in them, reading says what is wrong with which line, or succeeds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/vector.h"

enum sc_pattern {
#define SC_PATTERN(member, key, what) SC_PATTERN_##member,
#include "cmds/judge/suppression.def"
#undef SC_PATTERN
	SC_PATTERNS
};

struct sc_suppression {
	const char *reason;		/* "" if none was given */
	const char *match[SC_PATTERNS]; /* NULL: anything */
	uint32_t expires;		/* year * 10000 + month * 100 + day; 0 = never */
	const char *file;
	unsigned line;
	unsigned at; /* line of `file` that a comment is about (cmds/judge/comment.h); 0: any */
	bool is_in_source; /* a comment */
	uint64_t used;	   /* findings hidden */
};

struct sc_suppressions {
	struct sc_arena arena; /* of all texts */
	SC_VECTOR(struct sc_suppression) list;
	struct sc_comment_file *sources; /* that were looked into for comments */
	bool reads_comments;		 /* in the source files that findings name */
};

/* Adds the entries of a file. Returns 0 or -errno with a message that names file and line. */
int sc_suppressions_read(struct sc_suppressions *s, const char *path, char *message, size_t bytes);
/* The same from memory; `name` stands for the file in messages. */
int sc_suppressions_parse(struct sc_suppressions *s, const char *name, const char *text,
			  size_t text_bytes, char *message, size_t bytes);
void sc_suppressions_fini(struct sc_suppressions *s);

/* True if `today` (as `expires`) is after the entry's last day. */
bool sc_suppression_has_expired(const struct sc_suppression *s, uint32_t today);
/* Today as a number, in UTC, so that a day ends at the same moment for everybody. */
uint32_t sc_suppression_today(void);
/* The key of a pattern in the file. */
const char *sc_suppression_key(enum sc_pattern pattern);
