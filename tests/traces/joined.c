/* Joined: one text as several traces. */
#include "joined.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/analysis.h"
#if SC_RANKS
#include "extensions/ranks/across/across.h"
#include "extensions/ranks/shared/shared_uses.h"
#endif

#define SUFFIX ".ranks.txt"

bool joined_is(const char *path)
{
	size_t bytes = strlen(path);

	return bytes > strlen(SUFFIX) && !strcmp(path + bytes - strlen(SUFFIX), SUFFIX);
}

#if SC_RANKS
static unsigned count_ranks(const char *text)
{
	unsigned most = 0, rank;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "rank %u:", &rank) == 1 && rank >= most)
			most = rank + 1;
	}
	return most;
}

/* What the process does to memory that it shares is known from an analysis. */
static void add(struct joined *j, unsigned rank)
{
	struct sc_analysis_settings settings = {.profile = SC_REFERENCE, .no_routine = 1};
	struct sc_reader *r = j->readers[rank];
	struct sc_across_log *shared;
	struct sc_shared_uses uses;
	struct sc_analysis *a;

	sc_across_add(j->across, r);
	sc_reader_rewind(r);
	shared = sc_across_shares(j->across);
	if (!shared)
		return;
	sc_shared_uses_begin(&uses, shared, r);
	settings.watch = &uses.watch;
	sc_analysis_run(&a, r, &settings);
	sc_analysis_free(a);
	sc_shared_uses_end(&uses);
	sc_reader_rewind(r);
}

static bool put_line(void *data, struct sc_buf *out, uint32_t process, uint64_t sequence)
{
	const struct joined *j = data;

	sc_buf_printf(out, "line %u", j->scripts[process].op_lines[sequence]);
	return 1;
}

int joined_open(struct joined *j, const char *text, size_t bytes, char *message,
		size_t message_bytes)
{
	int err = 0;

	*j = (struct joined){.count = count_ranks(text)};
	j->scripts = calloc(j->count + 1, sizeof(*j->scripts));
	j->readers = calloc(j->count + 1, sizeof(struct sc_reader *));
	j->across = sc_across_new();
	for (unsigned i = 0; i < j->count && !err; i++)
		err = sc_text_parse_rank(&j->scripts[i], i, text, bytes, message, message_bytes);
	for (unsigned i = 0; i < j->count && !err; i++) {
		err = sc_reader_open_memory(&j->readers[i], j->scripts[i].trace,
					    j->scripts[i].bytes, message, message_bytes);
		if (!err)
			add(j, i);
	}
	if (!err)
		err = sc_across_compare(j->across);
	if (!err)
		sc_across_name(j->across, put_line, j);
	return err;
}

const struct sc_remark *joined_remarks(struct joined *j, unsigned rank, size_t *count)
{
	return sc_across_remarks_of(j->across, rank, count);
}

void joined_close(struct joined *j)
{
	for (unsigned i = 0; i < j->count; i++) {
		sc_reader_free(j->readers[i]);
		sc_text_script_fini(&j->scripts[i]);
	}
	free(j->scripts);
	free(j->readers);
	sc_across_free(j->across);
}
#else
int joined_open(struct joined *j, const char *text, size_t bytes, char *message,
		size_t message_bytes)
{
	(void)text, (void)bytes;
	*j = (struct joined){0};
	snprintf(message, message_bytes, "this runner was built without SC_RANKS");
	return -EINVAL;
}

const struct sc_remark *joined_remarks(struct joined *j, unsigned rank, size_t *count)
{
	(void)j, (void)rank;
	*count = 0;
	return NULL;
}

void joined_close(struct joined *j)
{
	(void)j;
}
#endif
