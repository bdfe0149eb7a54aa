/* SARIF 2.1.0: the parts of a log that its files share.
 *
 * A log has one run, whatever the number of processes, with one result for each finding. sarif.c
 * writes what was found (results, locations, stacks), sarif_run.c what found it and where it looked
 * (rules, invocations with their gaps), sarif_summary.c what summaries keep.
 */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "reports/json_writer.h"
#include "reports/words/words.h"

struct sc_sarif {
	struct sc_json j;
	const struct sc_report *report;
	const char *directory; /* files below it are named relative to SRCROOT; NULL = none */
	struct sc_words words;
	struct sc_buf phrase;
};

/* Writes the phrase as an object {"text": …} and empties it. */
void sc_sarif_message(struct sc_sarif *s, const char *key);
/* Writes an artifactLocation of a source file. */
void sc_sarif_file(struct sc_sarif *s, const char *key, const char *path);
/* "error", "warning", "note". */
const char *sc_sarif_level(unsigned loudness);

/* Members of the run: the tool with its rules, and the invocations of all processes. */
void sc_sarif_tool(struct sc_sarif *s, const struct sc_joint *joint);
void sc_sarif_invocations(struct sc_sarif *s, const struct sc_joint *joint);
/* Takes the invocation of the process; equal ones are one. */
void sc_sarif_take_invocation(struct sc_sarif *s, struct sc_joint *joint);
/* Writes the phrase as a notification of an invocation, and empties it. */
void sc_sarif_notification(struct sc_sarif *s, const char *level);
/* originalUriBaseIds: the folder that files are named relative to. */
void sc_sarif_base(struct sc_sarif *s);
/* Members of a result: its rule and level, its fingerprint; of a location: file, line, function. */
void sc_sarif_rule(struct sc_sarif *s, unsigned rule, unsigned loudness);
void sc_sarif_fingerprint(struct sc_sarif *s, uint64_t fingerprint);
void sc_sarif_place(struct sc_sarif *s, const struct sc_frame *frame);
/* Of summaries that were read: their invocation, their results (sarif_summary.c). */
void sc_sarif_summary_invocation(struct sc_sarif *s, const struct sc_joint *joint);
void sc_sarif_summary_results(struct sc_sarif *s, const struct sc_joint *joint);
/* Members of properties: which processes have a finding, as ranks and, of some, as ids. */
void sc_sarif_ranks(struct sc_sarif *s, uint64_t processes, const struct sc_rank_set *ranks);
void sc_sarif_ids(struct sc_sarif *s, const struct sc_once_item *item);
/* Index of a rule in the tool's rules, -1 if it has none. */
int sc_sarif_rule_index(unsigned rule);
