/* Leaving: the trace is closed, the analyzer run, its verdict turned into a status. */
#include "interposer/leave.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "interposer/say.h"
#include "interposer/session.h"
#include "interposer/spawn.h"

#define STATUS_INCOMPLETE 3 /* the analyzer: nothing or not everything was recorded */

/* Analyzes the closed trace; returns the status that the process should end with. */
static int report(int status)
{
	int verdict;

	if (sc_session.collected || !sc_session.options.analyze)
		return status;
	if (!atomic_load(&sc_session.recorded)) {
		if (!sc_session.kept)
			unlink(sc_session.trace_path);
		return status;
	}
	verdict = sc_spawn_analyzer(sc_session.trace_path);
	if (verdict < 0) {
		sc_say("cannot run the analyzer: %s; the trace is kept in %s", strerror(-verdict),
		       sc_session.trace_path);
		return status;
	}
	if (verdict != 0 && verdict != STATUS_INCOMPLETE &&
	    verdict != (int)sc_session.options.exitcode) {
		sc_say("the analysis failed (status %d); the trace is kept in %s", verdict,
		       sc_session.trace_path);
		return status;
	}
	if (!sc_session.kept)
		unlink(sc_session.trace_path);
	return status ? status : verdict;
}

int sc_leave(int status)
{
	int saved = errno;

	if (sc_session_close(status))
		status = report(status);
	errno = saved;
	return status;
}

void sc_leave_crash(int number)
{
	if (sc_session_close(128 + number))
		report(128 + number);
}

bool sc_leave_exec(void)
{
	/* A child of vfork shares our memory; its exec ends nothing of ours. */
	if (!sc_session_is_live() || (uint32_t)getpid() != sc_session.writer.head->process ||
	    !sc_session_close(0))
		return false;
	report(0);
	return true;
}
