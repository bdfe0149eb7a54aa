/* Summary: the findings of all processes of a run, equal findings counted once, with their ranks.
 *
 * Findings are equal if their fingerprints are (reports/fingerprint.h). Of each the summary keeps a
 * line and the text of the first process that has it, and which ranks have it. Processes of equal
 * counts are one row. So the memory of a summary depends on how many different findings there are,
 * and not on how many processes: a run of thousands is summarized shard by shard, each summary is
 * written to a small file, and the files are merged, in any order and in any tree.
 *
 * The file (docs/user/many-ranks.md) is text:
 *
 *	# streamcheck summary VERSION of fingerprints VERSION
 *	shard RANKS of N		shards that were analyzed, absent without option shard
 *	run COUNT RANKS ID
 *	processes COUNT RANKS ERRORS … SIGNAL COMMAND
 *	finding FINGERPRINT SC-RULE SEVERITY CONFIDENCE COUNT RANKS MESSAGE
 *	at LINE COLUMN FILE		place of that finding, absent if it is not known
 *	in FUNCTION
 *	| a line of its text
 *	end
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "base/vector.h"
#include "analyzer/symbol/symbol.h"
#include "reports/fingerprint.h"
#include "reports/many/rank_set.h"

#define SC_SUMMARY_VERSION   2
#define SC_SUMMARY_HEAD	     "# streamcheck summary " /* how the file begins */
#define SC_SUMMARY_RUNS_MOST 64

/* A finding, however many processes have it. */
struct sc_summary_row {
	uint64_t fingerprint;
	uint64_t processes;
	uint16_t rule;
	uint8_t severity;
	uint8_t confidence; /* the surest of all processes */
	bool is_read;	    /* from a file: no other part of a report shows it */
	struct sc_rank_set ranks;
	unsigned line_number; /* of the file; 0: unknown */
	unsigned column;      /* 0: unknown */
	char *file;	      /* owned, as is the rest: "" if unknown; fit for a terminal */
	char *function;	      /* "" if unknown */
	char *message;	      /* what the rule says, and of which operations */
	char *text;	      /* the finding as a text report shows it */
};

/* A run of a launcher. Processes whose launcher gives runs no name, or that have no rank, are of
 * none. */
struct sc_summary_run {
	char *id; /* owned */
	uint64_t processes;
	struct sc_rank_set ranks;
};

/* What processes are grouped by: numbers, in the order of the file. */
enum {
	SC_SUMMARY_ERRORS,
	SC_SUMMARY_WARNINGS,
	SC_SUMMARY_ADVICE,
	SC_SUMMARY_SUPPRESSED,
	SC_SUMMARY_KNOWN,
	SC_SUMMARY_FILTERED,
	SC_SUMMARY_COMPLETE, /* 1 or 0 */
	SC_SUMMARY_SIGNAL,   /* that ended the process, 0: none */
	SC_SUMMARY_COUNTS,
};

/* Which count a finding of this severity goes to. */
static inline unsigned sc_summary_count_of(unsigned severity)
{
	return severity == SC_ERROR	? SC_SUMMARY_ERRORS
	       : severity == SC_WARNING ? SC_SUMMARY_WARNINGS
					: SC_SUMMARY_ADVICE;
}

struct sc_summary_group {
	uint64_t counts[SC_SUMMARY_COUNTS]; /* of each process */
	uint64_t processes;
	uint64_t process; /* id of the only one; 0: several, or not known */
	struct sc_rank_set ranks;
	char *command; /* owned: of the first */
};

struct sc_summary {
	struct sc_u64_map by_fingerprint; /* index + 1 in rows */
	SC_VECTOR(struct sc_summary_row) rows;
	SC_VECTOR(struct sc_summary_group) groups;
	SC_VECTOR(struct sc_summary_run) runs; /* in the last one those beyond the most */
	struct sc_buf first; /* a line for each of the first processes that were added */
	uint64_t processes;
	uint64_t added; /* of them, reports that were added here */
	struct sc_rank_set ranks;
	struct sc_rank_set shards; /* 1 … shard_count */
	uint32_t shard_count;	   /* 0: none */
};

void sc_summary_fini(struct sc_summary *s);
/* Adds a report whose hidden findings were taken out; `prints` are the fingerprints of the
 * remaining findings. */
void sc_summary_add(struct sc_summary *s, const struct sc_report *r,
		    const struct sc_fingerprints *prints);
/* Adds another summary, of other processes. False if the two are shards of different divisions:
 * then nothing is added. */
bool sc_summary_join(struct sc_summary *s, const struct sc_summary *other);
/* True if a process is incomplete, or a shard is missing. */
bool sc_summary_is_incomplete(const struct sc_summary *s);
/* True if it has processes that no other part of a report shows: they were read from files. */
bool sc_summary_has_read(const struct sc_summary *s);
/* The place of a finding as a frame that borrows it; without a line if none is known. */
struct sc_frame sc_summary_frame(const struct sc_summary_row *row);
/* Appends "in ranks 0-1023 except 7", or how many processes, if they have no ranks. */
void sc_summary_where(struct sc_buf *out, const struct sc_summary *s,
		      const struct sc_summary_row *row);
/* Appends why not everything was seen; nothing if it was. */
void sc_summary_gaps(struct sc_buf *out, const struct sc_summary *s);
/* Appends the finding as compilers write it, without a line end: its place, how bad it is, what it
 * is, its rule. */
void sc_summary_line(struct sc_buf *out, const struct sc_summary_row *row);
/* Appends "2 runs: 64 processes, ranks 0-63, of slurm 12.0; …"; false if the ranks are of one run,
 * as far as is known. */
bool sc_summary_runs(struct sc_buf *out, const struct sc_summary *s);
/* Bytes that the summary holds on the heap. */
size_t sc_summary_bytes(const struct sc_summary *s);

/* Appends the summary for people: one line for the run, then one for each finding and each process,
 * then the texts of findings that were read from files. Of all the first are shown, as many as fit
 * on a page, unless the text is to be whole. */
void sc_summary_print(struct sc_buf *out, const struct sc_summary *s, bool is_whole);

/* Appends the line of one process, or of several: `all` are the ranks of the run. */
void sc_summary_print_group(struct sc_buf *out, const struct sc_summary_group *g,
			    const struct sc_rank_set *all);

/* Appends the summary as a file. */
void sc_summary_write(struct sc_buf *out, const struct sc_summary *s);
/* True if the text begins as such a file does. */
bool sc_summary_is_file(const char *text, size_t bytes);
/* Reads a file that may hold anything into an empty summary. Returns 0, or -EINVAL with a sentence:
 * then the summary is partly filled. */
int sc_summary_read(struct sc_summary *s, const char *name, const char *text, size_t bytes,
		    char *message, size_t message_bytes);
