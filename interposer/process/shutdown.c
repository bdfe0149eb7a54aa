/* Shutdown: the trace is closed, the analyzer run, its verdict turned into a status. */
#include "interposer/process/shutdown.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "interposer/core/raw.h"
#include "interposer/core/message.h"
#include "interposer/core/session.h"
#include "interposer/process/spawn.h"
#include "interposer/core/thread.h"

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

/* Analyzes the closed trace; what comes of it is due. */
static void report(void)
{
	int verdict = 0;

	if (sc_session.collected || !sc_session.options.analyze)
		return;
	if (atomic_load(&sc_session.recorded))
		verdict = judge(sc_spawn_analyzer(sc_session.trace_path));
	if (!sc_session.kept)
		unlink(sc_session.trace_path);
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

void sc_shutdown_wait(void)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	struct sc_thread *ender;

	while ((ender = atomic_load(&sc_session.ending_thread)) && ender != &sc_self &&
	       sc_session_is_ours())
		sc_raw(SYS_nanosleep, (uint64_t)&moment, 0, 0, 0, 0, 0);
}

int sc_shutdown(int status)
{
	int saved = errno;

	if (begin(status))
		report();
	sc_shutdown_wait();
	errno = saved;
	return status || sc_session.process != getpid() ? status : sc_session.due;
}

void sc_shutdown_crash(int number)
{
	sc_session.fatal = (uint32_t)number;
	if (!begin(128 + number))
		return;
	report();
	atomic_store(&sc_session.ending_thread,
		     NULL); /* should the fault not come again, it goes on */
}

bool sc_shutdown_exec(void)
{
	if (!begin(0))
		return false;
	report();
	atomic_store(&sc_session.ending_thread, NULL); /* it may fail */
	return true;
}
