/* streamcheck dump: a trace in text form, one op a line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmds/command.h"
#include "cmds/files/kept_trace.h"
#include "trace/reader.h"
#include "trace/text/text.h"

/* Returns 0, or why standard output takes no more. */
static int print_all(struct sc_reader *r)
{
	struct sc_record record;

	while (sc_reader_next(r, &record) > 0) {
		sc_text_print(stdout, r, &record);
		if (ferror(stdout))
			return errno ? errno : EIO;
	}
	return fflush(stdout) ? errno : 0;
}

/* Returns 1 if the trace is not all that was recorded. */
static int warn_of_gaps(const struct sc_reader *r, const char *path)
{
	const struct sc_reader_stats *s = sc_reader_stats(r);
	uint64_t gaps = 0;

	for (unsigned i = 0; i < SC_GAPS; i++) {
		gaps |= s->gaps[i];
		if (s->gaps[i])
			sc_warn("%s: missing: %" PRIu64 " × %s%s", path, s->gaps[i],
				sc_gap_rows[i].noun, sc_gap_rows[i].what);
	}
	if (!s->uncommitted && !s->damaged && !s->lost)
		return gaps != 0;
	sc_warn("%s: %" PRIu64 " slots never written, %" PRIu64 " damaged, %" PRIu64
		" records lost",
		path, s->uncommitted, s->damaged, s->lost);
	return 1;
}

int sc_cmd_dump(int argc, char **argv)
{
	char message[512] = "";
	struct sc_reader *r;
	int err, is_cut;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return sc_command_print_help(sc_command_find("dump"));
	if (argc != 2 || (argv[1][0] == '-' && argv[1][1]))
		sc_die("dump: expected one trace; usage: streamcheck dump TRACE");
	err = sc_kept_open(&r, argv[1], message, sizeof(message));
	if (err)
		sc_die("cannot read trace %s: %s", argv[1], *message ? message : strerror(-err));
	err = print_all(r);
	if (err && err != EPIPE)
		sc_die("cannot write to standard output: %s", strerror(err));
	is_cut = warn_of_gaps(r, argv[1]);
	sc_reader_free(r);
	return is_cut ? SC_EXIT_INCOMPLETE : SC_EXIT_CLEAN;
}
