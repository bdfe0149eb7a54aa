/* Rules 130, 133, 156, 324, 402: stream captures that the driver refuses, that allow too much, that
 * are never ended (G-1 to G-5), and graphs whose recapture failed (G-16). */
#include <stdbool.h>
#include <string.h>
#include "analyzer/rules/advice_tally.h"
#include "analyzer/rules/family.h"
#include "base/vector.h"

/* CUstreamCaptureMode */
#define GLOBAL	0
#define RELAXED 2

/* A stream that captures. */
struct capture {
	uint32_t stream;
	uint64_t sequence;
	struct sc_op op;
};

struct captures {
	SC_VECTOR(struct capture) open;
	SC_VECTOR(struct capture) failed; /* calls that ended a recapture; of graph `op.peer` */
	struct capture refused; /* a library's call that was, since the last capture began */
	bool is_broken;		/* a refused call was reported since the last capture began */
	uint32_t relaxed;	/* thread that captures in relaxed mode, or 0 */
};

/* The rule that the result of a call belongs to, or 0. */
static unsigned rule_of(int32_t result)
{
	switch ((enum sc_result)result) {
	case SC_RESULT_STREAM_CAPTURE_UNSUPPORTED:
	case SC_RESULT_STREAM_CAPTURE_INVALIDATED:
	case SC_RESULT_STREAM_CAPTURE_IMPLICIT:
	case SC_RESULT_CAPTURED_EVENT: return SC_RULE_130;
	case SC_RESULT_STREAM_CAPTURE_MERGE:
	case SC_RESULT_STREAM_CAPTURE_UNMATCHED:
	case SC_RESULT_STREAM_CAPTURE_UNJOINED:
	case SC_RESULT_STREAM_CAPTURE_ISOLATION:
	case SC_RESULT_STREAM_CAPTURE_WRONG_THREAD: return SC_RULE_133;
	default: return 0;
	}
}

static enum sc_fix fix_of(int32_t result)
{
	switch ((enum sc_result)result) {
	case SC_RESULT_STREAM_CAPTURE_UNMATCHED: return SC_FIX_CAPTURE_STREAM;
	case SC_RESULT_STREAM_CAPTURE_WRONG_THREAD: return SC_FIX_CAPTURE_THREAD;
	case SC_RESULT_STREAM_CAPTURE_MERGE:
	case SC_RESULT_STREAM_CAPTURE_ISOLATION: return SC_FIX_CAPTURE_APART;
	default: return SC_FIX_RULE;
	}
}

/* How much a capture has to do with a call that was refused. */
static unsigned nearness(const struct capture *c, const struct sc_op *op)
{
	if (c->stream == op->stream)
		return 4;
	if (c->op.thread == op->thread)
		return c->op.value == RELAXED ? 1 : 3;
	return c->op.value == GLOBAL ? 2 : 0;
}

/* The capture that refused a call: of its stream, its thread, or in global mode any; or NULL. */
static const struct capture *find_capture(const struct captures *s, const struct sc_op *op)
{
	const struct capture *nearest = NULL;

	for (size_t i = 0; i < s->open.count; i++)
		if (!nearest || nearness(&s->open.items[i], op) > nearness(nearest, op))
			nearest = &s->open.items[i];
	return nearest;
}

static void file(const struct captures *s, struct sc_analysis *a, unsigned rule,
		 const struct sc_op *op, uint64_t sequence)
{
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, op, sequence);
	const struct capture *c = rule == SC_RULE_130 ? find_capture(s, op) : NULL;

	f.fix = (uint8_t)fix_of(op->result);
	if (c) {
		bool is_mode =
			op->result == SC_RESULT_STREAM_CAPTURE_UNSUPPORTED && nearness(c, op) == 2;

		f.fix = is_mode ? SC_FIX_CAPTURE_MODE : SC_FIX_CAPTURE_CALL;
		*(is_mode ? &f.fix_before : &f.fix_after) = c->sequence + 1;
	}
	sc_finding_file(a, &f, NULL, op);
}

/* SC-324: of the calls that stricter modes refuse, cudaMalloc is the one that is documented. */
static void check_relaxed(struct captures *s, struct sc_analysis *a, const struct sc_op *op,
			  uint64_t sequence)
{
	if (op->result)
		return;
	if (op->kind == SC_OP_CAPTURE_BEGIN && op->value == RELAXED)
		s->relaxed = op->thread;
	else if (op->kind == SC_OP_CAPTURE_END && op->thread == s->relaxed)
		s->relaxed = 0;
	else if (op->kind == SC_OP_ALLOC && s->relaxed && op->thread == s->relaxed &&
		 !strncmp(sc_reader_string(a->reader, op->call), "cuMemAlloc", 10))
		sc_advice_tally_count(a, SC_RULE_324, op, sequence, 1);
}

/* Reports only the first call that an invalidated capture refuses: that call ended the capture. A
 * library answers for its calls itself, unless the program's own fail because of them. */
static void check_refused(struct captures *s, struct sc_analysis *a, const struct sc_op *op,
			  uint64_t sequence)
{
	unsigned rule = rule_of(op->result);

	if (!rule || op->phase == SC_PHASE_END)
		return;
	if (op->flags & SC_FLAG_LIBRARY) {
		if (!s->refused.sequence)
			s->refused = (struct capture){op->stream, sequence, *op};
		return;
	}
	if (op->result != SC_RESULT_STREAM_CAPTURE_INVALIDATED)
		file(s, a, rule, op, sequence);
	else if (!s->is_broken && s->refused.sequence)
		file(s, a, rule_of(s->refused.op.result), &s->refused.op, s->refused.sequence);
	else if (!s->is_broken)
		file(s, a, rule, op, sequence);
	s->is_broken = 1;
}

/* ---- SC-156 ---- */

static const struct capture *find_failed(const struct captures *s, uint32_t graph)
{
	for (size_t i = 0; graph && i < s->failed.count; i++)
		if (s->failed.items[i].op.peer == graph)
			return &s->failed.items[i];
	return NULL;
}

/* The call is what ended the recapture of the graph. */
static void note_failed(struct captures *s, uint32_t graph, const struct sc_op *op,
			uint64_t sequence)
{
	struct capture failed = {op->stream, sequence, *op};

	if (!graph || find_failed(s, graph))
		return;
	failed.op.peer = graph;
	sc_vector_push(&s->failed, failed);
}

/* A call that captures says that the recapture is over; its end says the same again. */
static void see_failure(struct captures *s, const struct sc_op *op, uint64_t sequence)
{
	const struct capture *c;

	if (op->result != SC_RESULT_GRAPH_RECAPTURE_FAILURE)
		return;
	c = find_capture(s, op);
	if (c)
		note_failed(s, c->op.object, op, sequence);
	s->is_broken = 1;
}

/* Instantiation, update of an executable graph, another recapture. */
static void check_undefined(const struct captures *s, struct sc_analysis *a, const struct sc_op *op,
			    uint64_t sequence)
{
	const struct capture *failed = NULL;
	struct sc_finding f;

	if (op->result)
		return;
	if (op->kind == SC_OP_INSTANTIATE)
		failed = find_failed(s, op->peer);
	else if (op->kind == SC_OP_CAPTURE_BEGIN)
		failed = find_failed(s, op->object);
	if (!failed)
		return;
	f = sc_finding_begin(SC_RULE_156, &failed->op, failed->sequence, op, sequence);
	sc_finding_file(a, &f, &failed->op, op);
}

/* ---- SC-402 ---- */

static void file_open(struct sc_analysis *a, const struct capture *c, const struct sc_record *r)
{
	struct sc_finding f =
		sc_finding_begin(SC_RULE_402, &c->op, c->sequence, &r->op, r->sequence);

	sc_finding_file(a, &f, &c->op, &r->op);
}

/* Of the answers to the end of a capture those after which it is over without a graph. */
static bool is_broken_off(int32_t result)
{
	return result == SC_RESULT_STREAM_CAPTURE_INVALIDATED ||
	       result == SC_RESULT_STREAM_CAPTURE_UNJOINED ||
	       result == SC_RESULT_GRAPH_RECAPTURE_FAILURE;
}

/* The stream's capture is over; the end of the stream leaves it open. */
static void end_capture(struct captures *s, struct sc_analysis *a, const struct sc_record *r)
{
	bool is_left = r->op.kind == SC_OP_STREAM_DESTROY;

	for (size_t i = 0; i < s->open.count; i++) {
		if (s->open.items[i].stream != r->op.stream)
			continue;
		if (is_left)
			file_open(a, &s->open.items[i], r);
		if (is_left || is_broken_off(r->op.result))
			note_failed(s, s->open.items[i].op.object, &r->op, r->sequence);
		s->open.items[i] = s->open.items[--s->open.count];
		return;
	}
}

/* A program that leaves with an error has said that it gave up. */
static void check_exit(struct captures *s, struct sc_analysis *a, const struct sc_record *r)
{
	if (r->op.value)
		return;
	for (size_t i = 0; i < s->open.count; i++)
		file_open(a, &s->open.items[i], r);
	sc_vector_clear(&s->open);
}

static void check_left_open(struct captures *s, struct sc_analysis *a, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;

	if (op->phase == SC_PHASE_END)
		return;
	if (op->kind == SC_OP_CAPTURE_BEGIN && op->result == 0)
		sc_vector_push(&s->open, ((struct capture){op->stream, r->sequence, *op}));
	else if (op->kind == SC_OP_CAPTURE_END ||
		 (op->kind == SC_OP_STREAM_DESTROY && op->result == 0))
		end_capture(s, a, r);
	else if (op->kind == SC_OP_EXIT)
		check_exit(s, a, r);
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct captures *s = state;

	(void)step;
	check_relaxed(s, a, &r->op, r->sequence);
	if (r->op.kind == SC_OP_CAPTURE_BEGIN && r->op.result == 0) {
		s->is_broken = 0;
		s->refused = (struct capture){0};
	}
	see_failure(s, &r->op, r->sequence);
	check_refused(s, a, &r->op, r->sequence);
	check_undefined(s, a, &r->op, r->sequence);
	check_left_open(s, a, r);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct captures *s = state;

	(void)a;
	sc_vector_fini(&s->open);
	sc_vector_fini(&s->failed);
}

const struct sc_rule_family sc_rules_capture = {
	.state_bytes = sizeof(struct captures),
	.step = check_record,
	.finish = finish,
};
