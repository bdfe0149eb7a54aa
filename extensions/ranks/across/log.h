/* Log: the events of all processes of a run, read from one trace after the other into a file that
 * has no name, and handed out side by side, in the order of time since each process' first event.
 *
 * The order matters for memory only: what is matched early is forgotten early. In memory are some
 * events of each process, so a thousand of them need a few megabytes, however long they ran.
 */
#pragma once

#include <stddef.h>
#include "extensions/ranks/across/event.h"
#include "trace/reader.h"

struct sc_across_log;

/* NULL: no file can be made (errno says why). */
struct sc_across_log *sc_across_log_new(void);
void sc_across_log_free(struct sc_across_log *log);
/* Reads a trace to its end, as the next process. Returns how many events it has, or -errno. */
int64_t sc_across_log_add(struct sc_across_log *log, struct sc_reader *r);
/* The ops SHARE of the trace that was read last; borrowed until the next one is read. */
const struct sc_op *sc_across_log_shares(const struct sc_across_log *log, size_t *count);

/* The same record by record, with events in between that the caller makes; the log is as before the
 * trace that was read last if `again`. */
void sc_across_log_begin(struct sc_across_log *log, struct sc_reader *r, bool again);
void sc_across_log_record(struct sc_across_log *log, const struct sc_record *r);
void sc_across_log_put(struct sc_across_log *log, const struct sc_across_event *e);
/* The same of an event of the last record, whose place and time it gets. */
void sc_across_log_note(struct sc_across_log *log, enum sc_across_what what,
			struct sc_across_event e);
/* The number of the function that a record of this trace calls by this string. */
uint32_t sc_across_log_call_of(struct sc_across_log *log, uint32_t string);
int64_t sc_across_log_end(struct sc_across_log *log);

/* Adds a process with these events. */
int64_t sc_across_log_add_events(struct sc_across_log *log, const struct sc_across_event *events,
				 size_t count);
unsigned sc_across_log_processes(const struct sc_across_log *log);
/* The name of a function, by its number; "" for others. */
const char *sc_across_log_call(const struct sc_across_log *log, uint32_t call);
/* The next event and whose it is: 1; 0 at the end, -errno if the file cannot be read. */
int sc_across_log_next(struct sc_across_log *log, unsigned *process, struct sc_across_event *out);
/* No events of the process are handed out until it is released. */
void sc_across_log_hold(struct sc_across_log *log, unsigned process);
void sc_across_log_release(struct sc_across_log *log, unsigned process);
/* Releases all; false if none was held. */
bool sc_across_log_release_all(struct sc_across_log *log);
/* Bytes that it holds on the heap. */
size_t sc_across_log_bytes(const struct sc_across_log *log);
