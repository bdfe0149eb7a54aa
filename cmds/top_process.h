/* Top's process: its trace followed and analyzed as it is written, for `streamcheck top`. */
#ifndef SC_CMDS_TOP_PROCESS_H
#define SC_CMDS_TOP_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include "base/option.h"
#include "cmds/footprints.h"
#include "cmds/top_state.h"
#include "reports/report.h"
#include "reports/words.h"
#include "trace/follow.h"

/* Where a call was made: what a stack says. */
struct sc_top_place {
	char *call;  /* owned: the CUDA function that the program called, or NULL */
	char *place; /* owned: "main.cu:40", or NULL */
};

struct sc_top_process {
	int number;
	struct sc_follow follow;
	struct sc_reader *reader;     /* owned */
	struct sc_analysis *analysis; /* owned */
	struct sc_filter filter;      /* sees each record */
	struct sc_footprints_files files;
	struct sc_top_state state;
	struct sc_names names;
	struct sc_report report;
	struct sc_words words;
	SC_VECTOR(struct sc_top_place) places;
	struct sc_u64_map places_by_stack; /* index + 1; by stack and kernel */
	char directory[PATH_MAX];
	uint64_t operations; /* read so far */
	uint64_t behind;     /* written and not read yet, an estimate */
	double rate;	     /* operations a second, written */
	uint64_t rate_ns, rate_slots;
	bool is_given; /* space of its trace is given back (option live-disk): it tells nothing */
	bool has_ended;
};

/* Ends the tool with a sentence if the process cannot be looked at. */
void sc_top_process_init(struct sc_top_process *p, int number, const struct sc_options *o);
void sc_top_process_fini(struct sc_top_process *p);
/* Reads what was written since the last time. */
void sc_top_process_look(struct sc_top_process *p, uint64_t now_ns);
/* Finds the places of ops that are asked for next, all at once. */
void sc_top_process_find_places(struct sc_top_process *p, const struct sc_op *ops, size_t count);
/* The place of an op among these; nothing where that is not known. */
const struct sc_top_place *sc_top_process_place(const struct sc_top_process *p,
						const struct sc_op *op);

#endif
