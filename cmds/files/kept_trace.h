/* Kept: the trace of a run with findings stays beside its HTML report, small enough to be sent to
 * somebody, so that the questions of the report (streamcheck explain, order, …) have what they ask.
 *
 * It is the trace in one zstd frame; a skippable frame after it has the names of functions and
 * lines that the report shows, so that they are known where the program is not. Whatever reads a
 * trace reads a packed one. Of a longer one than SC_KEPT_MAX nothing is kept: option `trace` keeps
 * it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/option.h"

struct sc_reader;
struct sc_symbols;

#define SC_KEPT_MAX (UINT64_C(256) << 20)

/* Where the trace of a process of this run stays, one of so many `traces`; false: it is not kept.
 */
bool sc_kept_name(char out[PATH_MAX], const struct sc_options *o, const char *trace, int process,
		  int rank, unsigned traces);
/* Packs a trace into a file, with the names that were looked up for its report. Returns 0 or
 * -errno.
 */
int sc_kept_write(const char *from, const char *to, const struct sc_symbols *names);
/* Takes up the names that are packed with a trace; none, if it is another file. */
void sc_kept_read_names(const char *path, struct sc_symbols *names);
/* True of a file that can be read as often as one likes: no pipe. */
bool sc_kept_is_file(const char *path);
/* Opens a trace, packed or not; see sc_reader_open. */
int sc_kept_open(struct sc_reader **out, const char *path, char *message, size_t bytes);
/* The trace that a command shall read: the argument, or if there is none the newest kept one, which
 * is then named on standard error. Ends the tool if there is none. */
void sc_kept_choose(char out[PATH_MAX], const char *command, const char *argument);
/* Those options, each with a blank after it, that decide which findings there are. */
void sc_kept_add_options(struct sc_buf *out, const struct sc_options *o);
