/* streamcheck watch: a program checked again whenever it was built, and only what is new told.
 *
 * Each check is a `streamcheck run` of its own, with the findings of the one before as its
 * baseline. A file counts as built when it stayed the same for a second: a linker writes for a
 * while. It is looked at instead of being notified of, since a build may end while a check goes on.
 */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/heap.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/judge/baseline_file.h"
#include "cmds/run/program.h"
#include "reports/output.h"

#define SELF "/proc/self/exe"

struct watch {
	const char *name;	   /* of the program, borrowed */
	struct sc_program program; /* found again before each look: it may be another file */
	char folder[64];	   /* owned: baseline and traces */
	char known[80], traces[80], baseline[96], trace[96];
};

static volatile sig_atomic_t ended; /* by this signal */

static void note_end(int signal)
{
	ended = signal;
}

static void prepare(struct watch *w)
{
	const char *dir = getenv("TMPDIR");
	struct sigaction end = {.sa_handler = note_end};
	struct sc_buf text = {0};
	int err;

	if (snprintf(w->folder, sizeof(w->folder), "%s/streamcheck-watch-XXXXXX",
		     dir && *dir ? dir : "/tmp") >= (int)sizeof(w->folder) ||
	    !mkdtemp(w->folder))
		sc_die("watch: no folder can be made below %s: %s", dir && *dir ? dir : "/tmp",
		       strerror(errno));
	snprintf(w->known, sizeof(w->known), "%s/known.txt", w->folder);
	snprintf(w->traces, sizeof(w->traces), "%s/*.sct", w->folder);
	snprintf(w->baseline, sizeof(w->baseline), "--baseline=%s", w->known);
	snprintf(w->trace, sizeof(w->trace), "--trace=%s/%%p.sct", w->folder);
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sc_known_print_head(&text);
	err = sc_output_write_file(w->known, &text, NULL);
	sc_buf_fini(&text);
	if (err)
		sc_die("watch: cannot write %s: %s", w->known, strerror(-err));
}

/* This command with other arguments. A signal ends it as it ends us. */
static void run_self(const char **argv)
{
	pid_t child = fork();
	bool is_told = 0;
	int status;

	if (!child) {
		execv(SELF, (char **)argv);
		_exit(SC_EXIT_USAGE);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		if (ended && !is_told) {
			is_told = 1;
			if (ended != SIGINT) /* a terminal sends that to all of us */
				kill(child, ended);
		}
}

/* Traces stay until the next check, since its report names them. */
static void drop_traces(struct watch *w)
{
	glob_t found = {0};

	if (!glob(w->traces, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
	globfree(&found);
}

/* What the check found is what the next one knows. */
static void take_known(struct watch *w)
{
	const char *head[] = {"streamcheck", "baseline", "-o", w->known};
	size_t count = sizeof(head) / sizeof(*head);
	glob_t found = {0};
	const char **argv;

	if (!glob(w->traces, 0, NULL, &found)) {
		argv = sc_heap_xcalloc(count + found.gl_pathc + 1, sizeof(*argv));
		memcpy(argv, head, sizeof(head));
		memcpy(argv + count, found.gl_pathv, found.gl_pathc * sizeof(*argv));
		run_self(argv);
		free(argv);
	}
	globfree(&found);
}

/* `argv` has `first` words before the program: our own name and the options of run. */
static void check(struct watch *w, int argc, char **argv, int first)
{
	const char **words = sc_heap_xcalloc((size_t)argc + 6, sizeof(*words));
	int options = first, count = 0;

	if (!strcmp(argv[first - 1], "--"))
		options--;
	drop_traces(w);
	words[count++] = "streamcheck";
	words[count++] = "run";
	for (int i = 1; i < options; i++)
		words[count++] = argv[i];
	words[count++] = w->baseline;
	words[count++] = w->trace;
	words[count++] = "--";
	for (int i = first; i < argc; i++)
		words[count++] = argv[i];
	run_self(words);
	free(words);
	if (!ended)
		take_known(w);
	if (!ended)
		sc_warn("%s was checked; its next build is awaited, Ctrl-C ends this", w->name);
}

/* Which file the program is, and since when: also a copy with an older time is another one. */
struct mark {
	dev_t device;
	ino_t file;
	struct timespec changed;
};

static struct mark look(struct watch *w)
{
	struct mark mark;
	struct stat status;

	memset(&mark, 0, sizeof(mark));
	if (sc_program_find(&w->program, w->name) || stat(w->program.path, &status))
		return mark;
	mark.device = status.st_dev;
	mark.file = status.st_ino;
	mark.changed = status.st_ctim;
	return mark;
}

static bool is_same(const struct mark *x, const struct mark *y)
{
	return x->device == y->device && x->file == y->file &&
	       x->changed.tv_sec == y->changed.tv_sec && x->changed.tv_nsec == y->changed.tv_nsec;
}

int sc_cmd_watch(int argc, char **argv)
{
	const struct timespec second = {.tv_sec = 1};
	struct mark checked, seen, now, none = {0};
	struct sc_options options;
	struct watch w = {0};
	char why[512];
	int first = sc_arguments_read(&options, sc_command_find("run"), argc, argv), err;

	if (first == argc)
		sc_die("watch: no program given; usage: streamcheck watch [options of run] [--] "
		       "PROGRAM");
	if (*options.baseline || *options.trace || !options.analyze)
		sc_die("watch: options baseline, trace and analyze=no are not for it");
	w.name = argv[first];
	err = sc_program_find(&w.program, w.name);
	if (err) {
		sc_program_describe_failure(why, sizeof(why), w.name, err);
		sc_die("%s", why);
	}
	prepare(&w);
	seen = checked = look(&w);
	check(&w, argc, argv, first);
	while (!ended) {
		nanosleep(&second, NULL);
		now = look(&w);
		if (is_same(&now, &seen) && !is_same(&now, &none) && !is_same(&now, &checked)) {
			checked = now;
			check(&w, argc, argv, first);
		}
		seen = now;
	}
	drop_traces(&w);
	unlink(w.known);
	rmdir(w.folder);
	return 128 + ended;
}
