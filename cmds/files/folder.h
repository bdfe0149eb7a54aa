/* Folder: streamcheck-reports, where a run with findings leaves its HTML report and its packed
 * trace.
 *
 *	report.PID.html, report.PID.sct.zst		of one process
 *	report.PID.html, report.PID.OTHER.sct.zst	of several, reported together by process PID
 *	report.PID.N.txt, report.PID.N.html		so far, the Nth of run PID; the first in
 *							any format
 *	.gitignore					so that no version control takes them up
 *
 * The reports of the last ten runs stay. Nothing is removed but regular files of the user's with
 * such names, and none that changed since this run began: concurrent runs keep theirs.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/option.h"

#define SC_FOLDER	"streamcheck-reports"
#define SC_FOLDER_STAYS 10 /* runs whose reports stay */

/* True if HTML report and trace are kept: option html, a report for people, and with auto a
 * terminal on standard error. */
bool sc_folder_is_wanted(const struct sc_options *o);
/* True if it can be made, or written to. */
bool sc_folder_is_writable(void);
/* Makes the folder, if it is not there. Returns 0 or -errno. */
int sc_folder_make(void);
/* Removes the reports of older runs, but none that changed at `began` (base/run_start.h) or later.
 */
void sc_folder_clean(uint64_t began);
/* The newest trace that a run left in the folder; false: there is none. */
bool sc_folder_newest_trace(char out[PATH_MAX]);
