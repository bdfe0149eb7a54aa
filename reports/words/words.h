/* Words: the ids and numbers of a finding as phrases that all formats share.
 *
 * Each function appends one phrase without a final stop. Text that comes from the trace is made fit
 * for a terminal.
 */
#pragma once

#include <stdbool.h>
#include "reports/words/dialect.h"
#include "reports/trial.h"

#define SC_WORDS_PARTS 3

struct sc_origin_object;

/* What the phrases are about, and how paths are shown. */
struct sc_words {
	const struct sc_report *report;
	const char *directory;		  /* see struct sc_report_style */
	const struct sc_dialect *dialect; /* of the reported finding: how its calls are named */
	/* Of the reported finding: where its two ops part, see sc_site_part; and where the op that
	 * its fix comes after, if that is a third, parts from the second. */
	const struct sc_frame *parts[SC_WORDS_PARTS];
	uint64_t part_ops[SC_WORDS_PARTS];
};

void sc_words_init(struct sc_words *w, const struct sc_report *r, const char *directory);
/* Makes a finding the reported one: takes the dialect and the places from its ops. */
void sc_words_set_finding(struct sc_words *w, const struct sc_finding *f);

/* "1 byte", "4096 bytes". */
void sc_words_count(struct sc_buf *out, uint64_t count, const char *noun);
/* ` "uploads"`: what the program calls something; nothing for NULL. */
void sc_words_name(struct sc_buf *out, const char *name);
/* "stream 3", "the default stream", "the host". */
void sc_words_stream_name(struct sc_buf *out, const struct sc_words *w, uint32_t stream);
/* The same with its kind: "stream 3 (non-blocking)". */
void sc_words_stream(struct sc_buf *out, const struct sc_words *w, uint32_t stream);
/* "cudaMemcpyAsync device → pinned, 4096 bytes, stream 3 (non-blocking)". */
void sc_words_op(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record);
/* A graph node's number. */
uint32_t sc_words_node(const struct sc_record *record);
/* "node 3 of graph 2", as the driver prints it, for a program that asked it; of others "node 3" and
 * what is said otherwise. */
void sc_words_node_name(struct sc_buf *out, const struct sc_words *w,
			const struct sc_record *record, const char *otherwise);
/* The function that the program called, or else what kind of thing it was. */
void sc_words_call(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record);
/* What acts: "scale(float*)" of a launch, else the call: "cudaMemcpyAsync". */
void sc_words_actor(struct sc_buf *out, const struct sc_words *w, const struct sc_record *record);
/* "cudaStreamSynchronize at main.cu:40". */
void sc_words_call_at(struct sc_buf *out, const struct sc_words *w, uint64_t op);
/* "main.cu:40"; "operation 40" if it is not known. */
void sc_words_place(struct sc_buf *out, const struct sc_words *w, uint64_t op);
/* The same where something is to be done before or after it: "the launch of f() in main" without a
 * line. */
void sc_words_spot(struct sc_buf *out, const struct sc_words *w, uint64_t op);
/* The frame with the line of that, borrowed from the symbols; NULL without a line. `op_plus`: the
 * op + 1, or 0. */
const struct sc_frame *sc_words_spot_frame(const struct sc_words *w, uint64_t op_plus);
/* Demangled name of the kernel that an op launches. */
void sc_words_kernel(struct sc_buf *out, const struct sc_words *w, uint32_t kernel);
/* A mangled name of so many bytes, demangled and shortened; and other text of the trace as it is.
 */
void sc_words_mangled(struct sc_buf *out, const char *name, size_t bytes);
void sc_words_clean(struct sc_buf *out, const char *text, size_t bytes);
/* The kernel's name, however long it is. */
void sc_words_whole_kernel(struct sc_buf *out, const struct sc_words *w, uint32_t kernel);

/* "0–3 of the 4096 bytes of pinned memory allocated at main.cu:12"; false if not about memory. */
bool sc_words_bytes(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* "stream 1 (`up`) was created at main.cu:8", and from where (reports/sources/origin.h), after "; "
 * if something stands there already; nothing of a default stream, or if the place is not known. */
void sc_words_add_object(struct sc_buf *out, const struct sc_words *w,
			 const struct sc_origin_object *object);
/* The same of all streams (k = 0), events or graphs of a finding, perhaps nothing, and what a line
 * of that is called; false if there is no such k. */
bool sc_words_objects(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
		      size_t k, const char **label);
void sc_words_add_origin(struct sc_buf *out, const struct sc_words *w, uint32_t stream);
/* Where the op was called, and from where: a call that begins or ends memory is often in a helper.
 */
void sc_words_place_from(struct sc_buf *out, const struct sc_words *w,
			 const struct sc_record *record);
/* "4096 bytes of pinned memory allocated at main.cu:12"; false if the allocation is not known. */
bool sc_words_allocation(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* "cudaGraphLaunch at main.cu:40, in stream 3": what ran a side that is a graph's node; else false.
 */
bool sc_words_launch(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side);
/* "scale(float*) accesses an address without memory, block (2,0,0), …: 0x10, 16 bytes after …";
 * false unless a kernel failed. */
bool sc_words_fault(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* "rank 1 calls MPI_Barrier; …": what other processes of the run have to do with it; else
 * false. */
bool sc_words_ranks(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* How far the last ordering reached; false for a finding that is not about the order of two. */
bool sc_words_reach(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* "streamcheck explain 3 t.sct": the command that says more. */
void sc_words_explain(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* "2 edits end these 5 findings: streamcheck repair t.sct"; false if nothing is to be said. */
bool sc_words_repair(struct sc_buf *out, const struct sc_words *w);
/* "streamcheck repair t.sct": the command that makes the plan. */
void sc_words_repair_command(struct sc_buf *out, const struct sc_words *w);
/* The id of that (analyzer/finding/verdict.def), or NULL. */
const char *sc_words_order_id(const struct sc_finding *f);
/* The one change that mends it, with the place where it belongs. */
void sc_words_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* "12 times, 5 of them in the opposite order": how many pairs of operations. */
void sc_words_times(struct sc_buf *out, const struct sc_finding *f);
/* "for the same reason as finding 1, …"; false if it follows from no other. */
bool sc_words_leader(struct sc_buf *out, const struct sc_finding *f);
/* Which kind of change that is. */
enum sc_fix sc_words_fix_of(const struct sc_words *w, const struct sc_finding *f);
/* How the bytes of a side are known: "exact, from its PTX"; false unless it is a kernel. */
bool sc_words_known(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side);
/* Why it is only possible; false for a proven finding. */
bool sc_words_doubt(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* The id of that reason (analyzer/finding/verdict.def); NULL for a proven finding. */
const char *sc_words_doubt_id(const struct sc_finding *f);
/* True if it is not proven because the bytes of a kernel are not known: a run that records them
 * decides. */
bool sc_words_can_verify(const struct sc_words *w, const struct sc_finding *f);
/* Where the trace is kept, as the shell takes it; "FILE" if it is not. */
void sc_words_trace(struct sc_buf *out, const struct sc_words *w);
/* "streamcheck verify first.sct -- ./app 3": the command that makes such a run. */
void sc_words_verify_command(struct sc_buf *out, const struct sc_words *w);

/* "84.0 µs". */
void sc_words_time(struct sc_buf *out, uint64_t ns);
/* "overlapped in this run by 84.0 µs"; false without device times, or if it is not about two. */
bool sc_words_timing(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* "the host waited 3.0 ms in this run"; false if that is not known. */
bool sc_words_cost(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* What the runs in both orders showed; false if nobody asked for them. */
bool sc_words_trial(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);
/* The same as data: NULL if nobody asked. */
const struct sc_trial *sc_words_trial_of(const struct sc_words *w, const struct sc_finding *f);
/* "confirmed"; the id of a place (reports/trial.def); "01 02", with that side first. */
const char *sc_words_trial_verdict(const struct sc_trial *t);
const char *sc_words_trial_place(unsigned place);
void sc_words_trial_bytes(struct sc_buf *out, const struct sc_trial *t, unsigned order);
/* `, in "epoch 3 > forward"`: the program's own ranges around an op of a finding, if any. */
void sc_words_section(struct sc_buf *out, const struct sc_words *w, uint64_t op);

/* "proven", "possible"; "read", "write", "free", "call". */
const char *sc_words_confidence(unsigned confidence);
const char *sc_words_mode(unsigned mode);
