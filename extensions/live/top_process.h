/* Top's process: its trace followed and analyzed as it is written, for `streamcheck top`; by top
 * itself, or by the follower of a run, which does that anyway. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include "extensions/live/traced.h"
#include "base/option.h"
#include "cmds/files/footprints.h"
#include "extensions/live/top_state.h"
#include "reports/report.h"
#include "reports/words/words.h"
#include "trace/follow.h"

/* Where a call was made: what a stack says. */
struct sc_top_place {
	uint64_t key; /* stack and kernel */
	char *call;   /* owned: the CUDA function that the program called, or NULL */
	char *place;  /* owned: "main.cu:40", or NULL */
};

struct sc_top_process {
	int number;
	struct sc_traced traced;
	struct sc_follow own; /* used by top itself */
	const struct sc_follow *follow;
	struct sc_reader *reader; /* owned, as the next, by top itself; else borrowed */
	struct sc_analysis *analysis;
	struct sc_filter filter; /* sees each record */
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

/* Of the trace that the process writes now. False, with nothing to give back, if that cannot be
 * read; `why` gets the sentence. */
bool sc_top_process_init(struct sc_top_process *p, int number, const char *path,
			 const struct sc_options *o, struct sc_buf *why);
void sc_top_process_fini(struct sc_top_process *p);
/* The same of a trace that the caller follows, in three steps: before its analysis begins, whose
 * settings get `&p->state.watch`; once there is one; after it has read on. Until
 * sc_top_process_detach the reader calls this. */
void sc_top_process_prepare(struct sc_top_process *p, int number, const char *path,
			    struct sc_reader *r, const struct sc_follow *f);
void sc_top_process_attach(struct sc_top_process *p, struct sc_analysis *a);
void sc_top_process_measure(struct sc_top_process *p, uint64_t now_ns);
void sc_top_process_detach(struct sc_top_process *p);
/* Reads what was written since the last time. */
void sc_top_process_look(struct sc_top_process *p, uint64_t now_ns);
/* Finds the places of ops that are asked for next, all at once. */
void sc_top_process_find_places(struct sc_top_process *p, const struct sc_op *ops, size_t count);
/* The place of an op among these; nothing where that is not known. */
const struct sc_top_place *sc_top_process_place(const struct sc_top_process *p,
						const struct sc_op *op);
/* Places that were found since there were `first` of them, for a copy of this process, as text; and
 * what such a text has, taken up. */
void sc_top_process_print_places(const struct sc_top_process *p, size_t first, struct sc_buf *out);
void sc_top_process_take_places(struct sc_top_process *p, const char *text, size_t bytes);
