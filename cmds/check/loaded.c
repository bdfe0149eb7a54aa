/* Loaded: reader, analysis, names, symbols, in this order. */
#include "cmds/check/loaded.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/files/configured.h"
#include "cmds/files/footprints.h"
#include "cmds/files/follower_findings.h"
#include "cmds/files/kept_trace.h"
#include "cmds/check/progress.h"
#include "cmds/process/running.h"
#include "cmds/judge/suppress.h"
#include "reports/fingerprint.h"
#include "reports/sources/origin.h"

#define SITES_RECORDS 1000000 /* of traces that are read once more for the sake of lines */

/* Names every stack that a finding will show, so that all are looked up at once. */
static void want_op(const struct sc_report *r, uint64_t op_plus)
{
	const struct sc_record *record =
		op_plus ? sc_analysis_record(r->analysis, op_plus - 1) : NULL;
	const struct sc_named *stream;

	if (!record)
		return;
	sc_symbols_want(r->symbols, record->op.stack);
	stream = sc_names_stream(r->names, record->op.stream);
	if (stream)
		sc_symbols_want(r->symbols, stream->stack);
}

void sc_loaded_want(const struct sc_report *r, const struct sc_finding *f)
{
	struct sc_origin_object objects[SC_ORIGIN_OBJECTS];
	size_t count = sc_origin_objects(objects, r, f);

	for (size_t i = 0; i < count; i++)
		sc_symbols_want(r->symbols, objects[i].stack);
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		want_op(r, f->side[i].op + 1);
	want_op(r, f->allocation);
	want_op(r, f->reach_op);
	want_op(r, f->reach_record);
	want_op(r, f->fix_after);
	want_op(r, f->fix_before);
}

static void want_stacks(const struct sc_report *r)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);
	const struct sc_failed_call *failed;

	if (count)
		sc_origin_want(r);
	for (; count; count--, f++)
		sc_loaded_want(r, f);
	failed = sc_analysis_failed_calls(r->analysis, &count);
	for (; count; count--, failed++)
		want_op(r, failed->sequence + 1);
}

/* Of each pair of lines one finding is left. */
static void merge_lines(struct sc_report *r, struct sc_analysis *a)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);
	struct sc_finding_key *keys = sc_heap_xcalloc(count + 1, sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = sc_fingerprint_lines(r, &f[i]);
	sc_analysis_merge(a, keys);
	free(keys);
}

struct sc_analysis_settings sc_loaded_settings(const struct sc_options *o)
{
	return (struct sc_analysis_settings){
		.profile = (enum sc_profile)o->profile,
		.advice = o->advice != 0,
		.no_footprints = o->footprints == 0,
		.strict_hosts = o->hosts != 0,
	};
}

static struct sc_analysis *run(struct sc_reader *r, const char *path,
			       const struct sc_analysis_settings *settings)
{
	struct sc_analysis *analysis = sc_analysis_begin(r, settings);

	if (!analysis)
		sc_die("%s: out of memory", path);
	sc_analysis_read_on(analysis);
	if (!sc_reader_is_whole(r))
		sc_found_adopt(analysis, r, path);
	sc_analysis_end(analysis);
	return analysis;
}

/* Two threads race: which of their lines happen to be the last before the other's is decided by the
 * schedule, and the usual analysis compares the last only. */
static bool depends_on_schedule(const struct sc_analysis *a)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (; count; count--, f++)
		if (sc_finding_is_of_threads(f))
			return 1;
	return 0;
}

static bool is_long(const struct sc_reader *r)
{
	return sc_reader_stats(r)->records > SITES_RECORDS;
}

/* All pairs of lines, if there are some of two threads; longer traces have most pairs anyway. The
 * first analysis ends where it meets such a pair in a trace of up to `stops_below` records. That
 * the trace is longer than it seemed, or that surer pairs of one thread are shown instead, the
 * second one finds out. */
static struct sc_analysis *run_for_pairs(struct sc_reader *r, const char *path,
					 struct sc_analysis_settings settings, uint64_t stops_below)
{
	struct sc_analysis *analysis;
	bool is_stopped;

	settings.stops_below = stops_below;
	analysis = run(r, path, &settings);
	is_stopped = sc_analysis_is_stopped(analysis);
	if (!is_stopped && (is_long(r) || !depends_on_schedule(analysis)))
		return analysis;
	sc_analysis_free(analysis);
	settings.stops_below = 0;
	settings.keeps_sites = 1;
	analysis = run(r, path, &settings);
	if (!is_stopped || (!is_long(r) && depends_on_schedule(analysis)))
		return analysis;
	sc_analysis_free(analysis);
	settings.keeps_sites = 0;
	return run_for_pairs(r, path, settings, 0);
}

static struct sc_analysis *analyse(struct sc_reader *r, const char *path,
				   const struct sc_options *o, const struct sc_watch *watch,
				   const struct sc_remarks *remarks)
{
	struct sc_analysis_settings settings = sc_loaded_settings(o);
	struct sc_footprints_files files;
	struct sc_analysis *analysis;

	settings.no_routine = watch != NULL;
	settings.watch = watch;
	settings.remark_count = remarks->count;
	settings.remarks = remarks->items;
	settings.is_unasked = remarks->doubts_queries;
	sc_footprints_files_read(&files, o);
	settings.footprints = files.texts;
	settings.footprint_count = files.count;
	sc_progress_begin(r, path);
	analysis = !watch && sc_reader_is_whole(r) ? run_for_pairs(r, path, settings, SITES_RECORDS)
						   : run(r, path, &settings);
	sc_progress_end();
	sc_footprints_files_fini(&files);
	return analysis;
}

struct sc_analysis *sc_loaded_analyse(struct sc_reader *r, const char *path,
				      const struct sc_options *o, const struct sc_watch *watch)
{
	return analyse(r, path, o, watch, &(struct sc_remarks){0});
}

static void fetch_symbols(struct sc_symbols *s)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (servers && *servers)
		sc_symbols_fetch(s);
	else
		sc_warn("option debuginfod: DEBUGINFOD_URLS names no server");
}

static void set_up_symbols(struct sc_symbols *s, const char *path, const struct sc_options *o)
{
	sc_symbols_own(s, &o->own);
	sc_kept_read_names(path, s);
	if (*o->debug_root)
		sc_symbols_look_below(s, o->debug_root);
	if (o->debuginfod)
		fetch_symbols(s);
}

struct sc_symbols *sc_loaded_symbols(const struct sc_reader *reader, const char *path,
				     const struct sc_options *o)
{
	struct sc_symbols *s = sc_symbols_new(reader);

	if (s)
		set_up_symbols(s, path, o);
	else
		sc_die("out of memory");
	return s;
}

void sc_loaded_take(struct sc_loaded *l, struct sc_reader *reader, struct sc_analysis *analysis,
		    const char *path, const struct sc_options *o, bool is_own)
{
	size_t count;

	*l = (struct sc_loaded){.reader = reader, .analysis = analysis};
	sc_analysis_findings(l->analysis, &count);
	sc_names_init(&l->names, l->reader, !count);
	l->report = (struct sc_report){
		.analysis = l->analysis,
		.reader = l->reader,
		.trace = is_own ? NULL : path,
		.names = &l->names,
		.symbols = sc_loaded_symbols(l->reader, path, o),
		.sources = &l->sources,
		.variables = &l->variables,
		.print_suppression = sc_suppress_print,
		.options = o,
	};
	sc_sources_init(&l->sources, o, is_own);
	sc_configured_init(&l->report, o);
	want_stacks(&l->report);
	merge_lines(&l->report, l->analysis);
}

/* Who names a process means its trace, perhaps. */
static void warn_of_trace(const char *path, const char *why)
{
	bool is_number = *path && strspn(path, "0123456789") == strlen(path);

	if (is_number)
		sc_warn("cannot read trace %s: %s; a process that goes on is reported by "
			"streamcheck report %s",
			path, why, path);
	else
		sc_warn("cannot read trace %s: %s", path, why);
}

int sc_loaded_open(struct sc_loaded *l, const char *path, const struct sc_options *o, bool is_own)
{
	return sc_loaded_open_with(l, path, o, is_own, &(struct sc_remarks){0});
}

int sc_loaded_open_with(struct sc_loaded *l, const char *path, const struct sc_options *o,
			bool is_own, const struct sc_remarks *remarks)
{
	struct sc_reader *reader;
	char message[512] = "";
	int err;

	*l = (struct sc_loaded){0};
	err = sc_kept_open(&reader, path, message, sizeof(message));
	if (err) {
		warn_of_trace(path, *message ? message : strerror(-err));
		return err;
	}
	sc_running_settle(reader, path);
	if (!is_own && sc_running_gives(path, false)) {
		sc_warn("cannot read trace %s: its process runs with option live-disk, and gives "
			"its space back meanwhile",
			path);
		sc_reader_free(reader);
		return -EBUSY;
	}
	sc_loaded_take(l, reader, analyse(reader, path, o, NULL, remarks), path, o, is_own);
	return 0;
}

void sc_loaded_name_all(struct sc_loaded *l)
{
	sc_names_fini(&l->names);
	sc_names_init(&l->names, l->reader, 0);
}

void sc_loaded_warn(const struct sc_loaded *l, const char *command, const char *path)
{
	if (!sc_analysis_complete(l->analysis))
		sc_warn("%s: %s is not complete; the answer may lack something", command, path);
}

void sc_loaded_close(struct sc_loaded *l)
{
	unsigned given_up = sc_symbols_given_up(l->report.symbols);

	if (given_up)
		sc_warn("names and lines of %u file%s of process %u could not be read", given_up,
			given_up == 1 ? "" : "s", l->names.process);
	if (l->sources.error)
		sc_warn("source files of process %u could not be read: %s", l->names.process,
			strerror(l->sources.error));
	sc_symbols_free(l->report.symbols);
	sc_configured_fini(&l->report);
	sc_variable_names_fini(&l->variables);
	sc_names_fini(&l->names);
	sc_analysis_free(l->analysis);
	sc_reader_free(l->reader);
}
