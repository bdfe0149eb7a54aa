/* Joined: the traces of the processes of one run in one text (trace/text/text.h), compared with
 * each other as `streamcheck analyze` compares files. Of its findings, `at line 7` stands for the
 * place of an operation of another process. */
#pragma once

#include <stdbool.h>
#include "analyzer/finding/settings.h"
#include "trace/text/text.h"

struct sc_across;

struct joined {
	unsigned count;			/* of processes */
	struct sc_text_script *scripts; /* owned */
	struct sc_reader **readers;	/* owned: each at its begin */
	struct sc_across *across;	/* owned */
};

/* True for the name of such a file: NAME.ranks.txt. */
bool joined_is(const char *path);
/* Reads and compares. Returns 0 or -EINVAL with a message. */
int joined_open(struct joined *j, const char *text, size_t bytes, char *message,
		size_t message_bytes);
/* What the comparison found out about a process; borrowed. */
const struct sc_remark *joined_remarks(struct joined *j, unsigned rank, size_t *count);
void joined_close(struct joined *j);
