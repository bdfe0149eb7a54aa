/* Running the analyzer as a process of its own, from anywhere: exit handlers and signal handlers.
 */
#pragma once

/* Runs `streamcheck analyze TRACE` and waits. Returns its exit status, 128 + the signal that
 * killed it, or -errno if it could not be run. Allocates nothing; async-signal-safe. */
int sc_spawn_analyzer(const char *trace);
