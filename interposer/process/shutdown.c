/* Shutdown: the trace is closed, the analyzer run, its verdict turned into a status. */
#include "interposer/process/shutdown.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/run_start.h"
#include "interposer/core/environment.h"
#include "interposer/core/message.h"
#include "interposer/core/session.h"
#include "interposer/process/spawn.h"
#include "interposer/core/thread.h"
#include "base/sys.h"

/* What the analyzer ended with, as a status; after saying why there may be no report. */
static int judge(int verdict)
{
	if (verdict == 0 || verdict == SC_STATUS_INCOMPLETE ||
	    verdict == (int)sc_session.options.exitcode)
		return verdict;
	if (verdict < 0)
		sc_message("cannot run the analyzer: %s; the trace is kept in %s",
			   strerror(-verdict), sc_session.trace_path);
	else
		sc_message("the analysis failed (status %d); the trace is kept in %s", verdict,
			   sc_session.trace_path);
	sc_session.kept = true;
	return SC_STATUS_UNUSABLE;
}

/* True if the variable asks for files with reports, and there is none of them. What depends on the
 * process is not asked of one without CUDA: a shell, or a test runner, has many such children. */
static bool lacks_files(void)
{
	const struct sc_options *o = &sc_session.options;
	unsigned files = 0;

	for (unsigned i = 0; i <= o->report.count && i < SC_OPTION_LIST_MAX; i++) {
		const char *colon = i < o->report.count ? strchr(o->report.text[i], ':') : NULL;
		const char *pattern = i == o->report.count ? o->output : colon ? colon + 1 : "-";
		char path[SC_PATH_BYTES];

		if (!*pattern || !strcmp(pattern, "-"))
			continue;
		if (strstr(pattern, "%p") ||
		    sc_options_expand(pattern, getpid(), path, sizeof(path)) ||
		    !sc_sys_access(path, F_OK))
			return false;
		files++;
	}
	return files > 0;
}

/* True if an empty report has to be made: of the outermost process, once all below it had their
 * chance to write one. */
static bool is_asked(void)
{
	const char *text = sc_environment_value(SC_VARIABLE_OPTIONS);
	char message[512];

	if (!text || sc_environment_value(SC_VARIABLE_COLLECT) ||
	    (!strstr(text, "report=") && !strstr(text, "output=")) ||
	    !sc_run_is_outermost(getpid()))
		return false;
	if (atomic_load(&sc_session.state) == SC_IDLE)
		sc_environment_read_options(&sc_session.options, message, sizeof(message));
	return sc_session.options.analyze && lacks_files();
}

/* Analyzes the closed trace; what comes of it is due. `may_be_empty`: where nothing was recorded, a
 * report may be made nevertheless, which decides nothing. */
static void report(bool may_be_empty)
{
	int verdict = 0;

	if (sc_session.collected || !sc_session.options.analyze)
		return;
	if (atomic_load(&sc_session.recorded))
		verdict = judge(sc_spawn_analyzer(sc_session.trace_path));
	else if (may_be_empty && is_asked())
		judge(sc_spawn_analyzer(sc_session.trace_path));
	if (!sc_session.kept)
		sc_sys_unlink(sc_session.trace_path);
	if (!sc_session.due)
		sc_session.due = verdict;
}

/* True for the one thread that ends the session; the end of a child of vfork is none of ours. */
static bool begin(int status)
{
	struct sc_thread *nobody = NULL;

	if (!sc_session_is_live() || !sc_session_is_ours())
		return false;
	if (!atomic_compare_exchange_strong(&sc_session.ending_thread, &nobody, &sc_self))
		return false;
	return sc_session_close(status);
}

int sc_shutdown(int status)
{
	int saved = errno;

	if (begin(status))
		report(true);
	sc_session_hold();
	errno = saved;
	return status || sc_session.process != getpid() ? status : sc_session.due;
}

void sc_shutdown_unused(void)
{
	int saved = errno;

	if (is_asked() && sc_session_note_process())
		report(true);
	sc_session.due = 0; /* the status is the program's own */
	errno = saved;
}

void sc_shutdown_crash(int number)
{
	sc_session.fatal = (uint32_t)number;
	if (begin(128 + number))
		report(false);
}

bool sc_shutdown_exec(void)
{
	if (!begin(0))
		return false;
	report(false);
	return true;
}

void sc_shutdown_stay(void)
{
	atomic_store(&sc_session.ending_thread, NULL);
}
