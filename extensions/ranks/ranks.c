/* Ranks: each trace is read once for its messages; those that are named in another one's findings
 * once more, for the places. */
#include "extensions/ranks/ranks.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "extensions/ranks/across/across.h"
#include "extensions/ranks/shared/shared_uses.h"
#include "base/heap.h"
#include "base/message.h"
#include "cmds/files/kept_trace.h"
#include "cmds/check/loaded.h"
#include "cmds/process/running.h"
#include "reports/sources/site.h"

/* An operation that another trace's finding names. */
struct place {
	uint32_t process;
	uint32_t stack;
	uint64_t sequence;
	char *text; /* owned; NULL: not known */
};

struct places {
	SC_VECTOR(struct place) list;
};

/* ---- places ---- */

static void want(void *data, uint32_t process, uint64_t sequence)
{
	struct places *all = data;

	sc_vector_push(&all->list, ((struct place){.process = process, .sequence = sequence}));
}

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static void tidy(struct places *all)
{
	size_t kept = 0;

	if (all->list.count)
		qsort(all->list.items, all->list.count, sizeof(*all->list.items), compare);
	for (size_t i = 0; i < all->list.count; i++)
		if (!kept || compare(&all->list.items[kept - 1], &all->list.items[i]) != 0)
			all->list.items[kept++] = all->list.items[i];
	all->list.count = kept;
}

static void read_all(struct sc_reader *reader)
{
	struct sc_record record;

	while (sc_reader_next(reader, &record))
		;
}

static char *words_of(const struct sc_report *report, uint32_t stack, const char *directory)
{
	const struct sc_frame *frame;
	struct sc_report_site site;
	struct sc_buf text = {0};

	sc_site_of_stack(&site, report, stack);
	frame = sc_site_frame(&site);
	if (!frame)
		return NULL;
	sc_site_add_place(&text, frame, directory);
	return text.text;
}

/* The places of one trace. */
static void look_up(const struct sc_ranks *r, const struct sc_options *o, const char *path,
		    struct place *list, size_t count)
{
	char directory[PATH_MAX], message[512];
	struct sc_report report = {.options = o};
	struct sc_record record;

	if (sc_kept_open(&report.reader, path, message, sizeof(message)))
		return;
	sc_running_settle(report.reader, path);
	read_all(report.reader);
	report.symbols = sc_loaded_symbols(report.reader, path, o);
	sc_symbols_share(report.symbols, r->symbols);
	for (size_t i = 0; i < count; i++)
		if (sc_reader_record(report.reader, list[i].sequence, &record)) {
			list[i].stack = record.op.stack;
			sc_symbols_want(report.symbols, record.op.stack);
		}
	if (!getcwd(directory, sizeof(directory)))
		*directory = 0;
	for (size_t i = 0; i < count; i++)
		list[i].text = words_of(&report, list[i].stack, directory);
	sc_symbols_free(report.symbols);
	sc_reader_free(report.reader);
}

static bool put_place(void *data, struct sc_buf *out, uint32_t process, uint64_t sequence)
{
	struct place wanted = {.process = process, .sequence = sequence};
	const struct places *all = data;
	const struct place *found = bsearch(&wanted, all->list.items, all->list.count,
					    sizeof(*all->list.items), compare);

	if (!found || !found->text)
		return 0;
	sc_buf_add(out, found->text);
	return 1;
}

static void name_places(struct sc_ranks *r, const struct sc_options *o)
{
	struct places all = {0};
	size_t end;

	sc_across_places(r->across, want, &all);
	tidy(&all);
	for (size_t i = 0; i < all.list.count; i = end) {
		for (end = i; end < all.list.count; end++)
			if (all.list.items[end].process != all.list.items[i].process)
				break;
		look_up(r, o, r->paths.items[all.list.items[i].process], &all.list.items[i],
			end - i);
	}
	sc_across_name(r->across, put_place, &all);
	for (size_t i = 0; i < all.list.count; i++)
		free(all.list.items[i].text);
	sc_vector_fini(&all.list);
}

/* ---- traces ---- */

/* Reads the trace once more, with what it does to memory that it shares with other processes. All
 * its threads count as one, since what orders threads is asked of their own trace. */
static int64_t add_shared(struct sc_across_log *log, struct sc_reader *reader, const char *path,
			  const struct sc_options *o)
{
	struct sc_options options = *o;
	struct sc_shared_uses uses;

	options.hosts = 0;
	options.advice = 0;
	sc_shared_uses_begin(&uses, log, reader);
	sc_analysis_free(sc_loaded_analyse(reader, path, &options, &uses.watch));
	return sc_shared_uses_end(&uses);
}

static int add(struct sc_ranks *r, const struct sc_options *o, const char *path)
{
	struct sc_across_log *shared;
	char message[512] = "";
	struct sc_reader *reader;
	int64_t count;

	if (sc_kept_open(&reader, path, message, sizeof(message)))
		return 0;
	if (!sc_reader_is_whole(reader)) {
		sc_reader_free(reader);
		return -ENODATA;
	}
	sc_running_settle(reader, path);
	count = sc_across_add(r->across, reader);
	shared = sc_across_shares(r->across);
	if (shared && count >= 0)
		count = add_shared(shared, reader, path, o);
	sc_reader_free(reader);
	sc_vector_push(&r->paths, sc_heap_xcopy(path, strlen(path)));
	return count < 0 ? (int)count : 0;
}

static void say_failure(int err)
{
	if (err == -ENODATA)
		sc_warn("ranks are not compared: parts of traces were given back (option "
			"live-disk)");
	else
		sc_warn("ranks are not compared: cannot keep their messages in a temporary file: "
			"%s",
			strerror(-err));
}

static void say(const struct sc_across_tally *t, const struct sc_options *o)
{
	if (t->is_double)
		sc_warn("two of the traces are of the same rank, as of two runs: what ranks send "
			"each other is not compared");
	if (t->uses_forgotten)
		sc_warn("%llu uses of memory that ranks share were forgotten before all ranks knew "
			"that they were complete: not all are compared",
			(unsigned long long)t->uses_forgotten);
	if (t->left_out)
		sc_warn("%llu more findings across ranks are left out",
			(unsigned long long)t->left_out);
	if (o->verbose)
		sc_warn("compared ranks: %llu events, %llu messages with both sides, at most %zu "
			"of them in memory",
			(unsigned long long)t->events, (unsigned long long)t->pairs, t->held_most);
}

/* A process that has several ranks in one group is compared with itself. */
static bool has_several(const struct sc_reader *reader)
{
	return (sc_reader_header(reader)->marks & SC_MARK_SEVERAL_RANKS) != 0;
}

static bool has_several_ranks(const char *path)
{
	struct sc_reader *reader;
	char message[512] = "";
	bool has;

	if (sc_kept_open(&reader, path, message, sizeof(message)))
		return 0;
	has = has_several(reader);
	sc_reader_free(reader);
	return has;
}

/* What comes through a pipe can be read once, and that is for its own findings. */
static const char *find_pipe(char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!sc_kept_is_file(paths[i]) && !access(paths[i], R_OK))
			return paths[i];
	return NULL;
}

static void warn_of_pipe(const char *path)
{
	sc_warn("ranks are not compared: %s can be read only once; give files", path);
}

void sc_ranks_note(const struct sc_ranks *r, const struct sc_reader *reader, const char *path)
{
	if (!r->has_pipe && !r->across && has_several(reader) && !sc_kept_is_file(path))
		warn_of_pipe(path);
}

void sc_ranks_compare(struct sc_ranks *r, const struct sc_options *o, char *const *paths,
		      size_t count)
{
	const char *pipe = find_pipe(paths, count);
	struct sc_across_tally tally;
	int err = 0;

	r->has_pipe = pipe && count > 1;
	if (r->has_pipe)
		warn_of_pipe(pipe);
	if (pipe || !count || (count == 1 && !has_several_ranks(paths[0])))
		return;
	r->across = sc_across_new();
	if (!r->across)
		err = -errno;
	for (size_t i = 0; i < count && !err; i++)
		err = add(r, o, paths[i]);
	if (!err)
		err = sc_across_compare(r->across);
	if (err) {
		say_failure(err);
		sc_ranks_fini(r);
		return;
	}
	tally = sc_across_tally(r->across);
	say(&tally, o);
	name_places(r, o);
}

const struct sc_remark *sc_ranks_of(struct sc_ranks *r, const char *path, size_t *count)
{
	*count = 0;
	for (size_t i = 0; r->across && i < r->paths.count; i++) {
		size_t at = (r->next + i) % r->paths.count;

		if (strcmp(r->paths.items[at], path) != 0)
			continue;
		r->next = at + 1;
		return sc_across_remarks_of(r->across, (unsigned)at, count);
	}
	return NULL;
}

void sc_ranks_fini(struct sc_ranks *r)
{
	sc_across_free(r->across);
	for (size_t i = 0; i < r->paths.count; i++)
		free(r->paths.items[i]);
	sc_vector_fini(&r->paths);
	*r = (struct sc_ranks){0};
}
