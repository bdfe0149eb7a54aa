/* Joint: the reports of all processes of a run, put together into one.
 *
 *	struct sc_joint joint = {.expected = traces};
 *	sc_report_add(format, &joint, &report, &style);		for each process
 *	sc_report_finish(format, &out, &joint);
 *	sc_joint_fini(&joint);
 *
 * A report of one process is a joint of one, and looks as if there were no others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/map.h"
#include "reports/sources/names.h"
#include "reports/once.h"

#define SC_JOINT_COUNTS		4
#define SC_JOINT_PROCESSES_MOST 64 /* ranks that have a part of the report each */

struct sc_finding;
struct sc_summary;

struct sc_joint {
	unsigned expected;		  /* processes that will come */
	unsigned processes;		  /* that came so far */
	const char *summary;		  /* of all, for people; borrowed, NULL = none */
	const struct sc_summary *all;	  /* of all, borrowed; NULL before the end */
	const char *directory;		  /* as in the style, at the end; borrowed, NULL = none */
	struct sc_buf parts;		  /* what each process gave */
	struct sc_once found;		  /* findings of all, in formats that show each once */
	struct sc_once said;		  /* the format's own: what else processes report alike */
	uint64_t counts[SC_JOINT_COUNTS]; /* the format's own */
	unsigned refresh_s;		  /* of the style: HTML */
	unsigned shown;			  /* the format's own: processes that it shows in full */
	struct sc_u64_map ids;		  /* the format's own: numbers that it met so far */
	struct sc_u64_map rules;	  /* whose pages the report has */
};

static inline bool sc_joint_is_many(const struct sc_joint *j)
{
	return j->expected > 1;
}

/* True if a process has no part of the page: it is one of so many ranks that a part for each could
 * not be read. The page shows what ranks have together (reports/many/together.h). Processes without
 * ranks are of several programs more often than not, as those of a test runner, and have parts. */
static inline bool sc_joint_leaves_out(const struct sc_joint *j, const struct sc_names *names)
{
	return j->expected > SC_JOINT_PROCESSES_MOST && names->rank >= 0;
}

void sc_joint_fini(struct sc_joint *j);
/* A number for a process that no other of the report has: its id, unless two machines gave out the
 * same one. */
uint64_t sc_joint_id(struct sc_joint *j, uint32_t process);
/* The pages of the rule of a finding, and of its causes, go with the report. */
void sc_joint_use_rules(struct sc_joint *j, const struct sc_finding *f);
/* Appends "rank 3" or "process 4711": what distinguishes this process from the others. */
void sc_joint_add_name(struct sc_buf *out, const struct sc_names *names);
/* Appends all parts as they are, for formats whose reports just follow each other. */
void sc_joint_copy(struct sc_buf *out, const struct sc_joint *j);
