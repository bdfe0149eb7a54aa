/* Live trace: follower, reader, analysis, and the giver of its space. */
#include "extensions/live/live_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/message.h"
#include "cmds/check/loaded.h"
#include "trace/given.h"

void sc_live_source_init(struct sc_live_source *s, const struct sc_options *o, const char *folder,
			 int run)
{
	*s = (struct sc_live_source){.options = o, .folder = folder, .run = run};
	sc_footprints_files_read(&s->files, o);
}

void sc_live_trace_path(const struct sc_live_trace *t, const struct sc_live_source *s,
			char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", s->folder, t->name);
}

static bool begin_disk(struct sc_live_trace *t, struct sc_live_source *s, const char *path)
{
	int err = sc_disk_open(&t->disk, path, s->options->live_disk, &t->follow, t->reader,
			       t->analysis);

	if (!err) {
		sc_found_init(&t->found, path);
		sc_trace_given(t->disk.giver.head)->run = (uint32_t)s->run;
		return true;
	}
	sc_traced_close(&t->top.traced);
	sc_names_fini(&t->top.names);
	sc_top_state_fini(&t->top.state);
	sc_analysis_free(t->analysis);
	sc_reader_free(t->reader);
	sc_follow_close(&t->follow);
	/* the recorder looks whether we live, so the lock may be taken for a moment */
	if (err != -EWOULDBLOCK && !s->has_warned)
		sc_warn("option live-disk: %s: %s", path, strerror(-err));
	s->has_warned |= err != -EWOULDBLOCK;
	return false;
}

static void begin_analysis(struct sc_live_trace *t, const struct sc_live_source *s,
			   const char *path)
{
	struct sc_analysis_settings settings = sc_loaded_settings(s->options);

	sc_reader_set_end(t->reader, t->follow.settled);
	sc_top_process_prepare(&t->top, t->number, path, t->reader, &t->follow);
	settings.is_live = 1;
	settings.advice &= s->options->live_disk > 0;
	settings.footprints = s->files.texts;
	settings.footprint_count = s->files.count;
	settings.gives_back = s->options->live_disk > 0;
	settings.watch = &t->top.state.watch;
	t->analysis = sc_analysis_begin(t->reader, &settings);
	if (!t->analysis)
		sc_die("out of memory");
	sc_top_process_attach(&t->top, t->analysis);
}

bool sc_live_trace_open(struct sc_live_trace *t, struct sc_live_source *s)
{
	char path[PATH_MAX];

	sc_live_trace_path(t, s, path);
	if (sc_follow_open(&t->follow, path))
		return false;
	t->follow.waits_for_reads = true;
	if (sc_reader_open(&t->reader, path, NULL, 0)) {
		sc_follow_close(&t->follow);
		return false;
	}
	begin_analysis(t, s, path);
	return !s->options->live_disk || begin_disk(t, s, path);
}

void sc_live_trace_add_totals(const struct sc_live_trace *t, struct sc_live_totals *sum)
{
	uint64_t operations = sc_analysis_coverage(t->analysis)->ops;
	uint64_t left = t->follow.written - t->follow.settled;
	struct stat status;

	sum->processes++;
	sum->operations += operations;
	sum->errors += t->errors;
	sum->warnings += t->warnings;
	if (!fstat(t->follow.fd, &status))
		sum->trace_bytes += (uint64_t)status.st_blocks * 512 + t->disk.giver.rest.bytes;
	/* as long as those before */
	sum->behind +=
		t->follow.settled
			? (uint64_t)((double)left * (double)operations / (double)t->follow.settled)
			: left;
}
