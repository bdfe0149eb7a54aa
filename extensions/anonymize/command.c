/* streamcheck anonymize: a trace without what is the program's own, with the same findings. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmds/arguments.h"
#include "cmds/check/loaded.h"
#include "cmds/command.h"
#include "cmds/files/kept_trace.h"
#include "extensions/anonymize/private_trace.h"
#include "reports/output.h"

#define CHUNK (64 << 10)

/* ---- the same findings ---- */

struct pair {
	const struct sc_finding *was, *is;
	const sc_private_places *places;
};

static bool is_same_op(const struct pair *p, uint64_t was_plus, uint64_t is_plus)
{
	return was_plus ? is_plus == sc_private_place(p->places, was_plus - 1) + 1 : !is_plus;
}

/* Addresses stay, and with them the place of bytes in their memory. */
static bool is_same_side(const struct pair *p, unsigned i)
{
	const struct sc_side *was = &p->was->side[i], *is = &p->is->side[i];

	return is_same_op(p, was->op + 1, is->op + 1) && is_same_op(p, was->launch, is->launch) &&
	       was->address == is->address && was->bytes == is->bytes && was->mode == is->mode &&
	       was->known == is->known && was->stream == is->stream && was->thread == is->thread;
}

static const char *difference_of(const struct pair *p)
{
	const struct sc_finding *was = p->was, *is = p->is;

	if (was->rule != is->rule || memcmp(was->causes, is->causes, sizeof(was->causes)) != 0)
		return "its rule";
	if (was->sides != is->sides)
		return "its operations";
	for (unsigned i = 0; i < was->sides && i < 2; i++)
		if (!is_same_side(p, i))
			return "its operations";
	if (!is_same_op(p, was->allocation, is->allocation))
		return "its memory";
	if (was->severity != is->severity || was->confidence != is->confidence ||
	    was->doubt != is->doubt || !was->suppression != !is->suppression)
		return "how sure it is";
	return was->count == is->count ? NULL : "how often it was met";
}

/* Ends the tool where the findings are not the same. */
static void compare(const struct sc_analysis *was, const struct sc_analysis *is,
		    const sc_private_places *places, const char *path)
{
	size_t counts[2];
	struct pair p = {sc_analysis_findings(was, &counts[0]),
			 sc_analysis_findings(is, &counts[1]), places};

	for (size_t i = 0; i < counts[0] && i < counts[1]; i++, p.was++, p.is++) {
		const char *what = difference_of(&p);

		if (what)
			sc_die("anonymize: %s is not written: without names, finding %zu (SC-%u) "
			       "would change: %s",
			       path, i + 1, p.was->rule, what);
	}
	if (counts[0] != counts[1])
		sc_die("anonymize: %s is not written: without names there would be %zu findings "
		       "instead of %zu",
		       path, counts[1], counts[0]);
	if (sc_analysis_complete(was) != sc_analysis_complete(is))
		sc_die("anonymize: %s is not written: it would not be as complete as it is", path);
}

/* ---- files ---- */

static int copy(FILE *from, int to)
{
	char chunk[CHUNK];
	size_t got;
	int err = 0;

	rewind(from);
	while (!err && (got = fread(chunk, 1, sizeof(chunk), from)) > 0)
		err = sc_output_write_bytes(to, chunk, got);
	return err ? err : ferror(from) ? -EIO : 0;
}

static int deliver(FILE *from, const char *to)
{
	struct sc_output out;
	int err;

	if (!*to || !strcmp(to, "-"))
		return copy(from, STDOUT_FILENO);
	err = sc_output_open(&out, to, 0600);
	if (err)
		return err;
	err = copy(from, out.fd);
	if (!err)
		return sc_output_close(&out);
	sc_output_drop(&out);
	return err;
}

/* What this run cannot say of the trace. */
static void check_input(const struct sc_loaded *l, const char *path)
{
	if (!sc_reader_is_whole(l->reader))
		sc_die("anonymize: a part of %s was given back while its process ran (option "
		       "live-disk)",
		       path);
}

static void anonymize(struct sc_loaded *l, const char *path, const struct sc_options *o)
{
	FILE *file = tmpfile();
	sc_private_places places = {0};
	struct sc_loaded again;
	char name[64];
	int err;

	if (!file)
		sc_die("anonymize: cannot make a temporary file: %s", strerror(errno));
	err = sc_private_trace_write(&l->report, file, &places);
	if (err)
		sc_die("anonymize: cannot write a temporary file: %s", strerror(-err));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(file));
	if (sc_loaded_open(&again, name, o, 0))
		sc_die("anonymize: the result of %s cannot be read", path);
	compare(l->analysis, again.analysis, &places, path);
	sc_loaded_close(&again);
	sc_vector_fini(&places);
	err = deliver(file, o->output);
	if (err)
		sc_die("anonymize: cannot write %s: %s", *o->output ? o->output : "standard output",
		       strerror(-err));
	fclose(file);
}

int sc_cmd_anonymize(int argc, char **argv)
{
	struct sc_options options;
	struct sc_loaded l;
	char path[PATH_MAX];
	int first = sc_arguments_read(&options, sc_command_find("anonymize"), argc, argv);

	if (argc - first > 1)
		sc_die("anonymize: usage: streamcheck anonymize [options] [TRACE]");
	if (!*options.output && isatty(STDOUT_FILENO))
		sc_die("anonymize: a trace is no text for a terminal: name a file with option "
		       "output");
	sc_kept_choose(path, "anonymize", argc > first ? argv[first] : NULL);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	check_input(&l, path);
	anonymize(&l, path, &options);
	sc_loaded_close(&l);
	return SC_EXIT_CLEAN;
}
