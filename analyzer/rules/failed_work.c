/* Rule 404: a launch, copy or fill that failed, and whose result the program uses as if it had run.
 *
 * Whether a program looked at what a copy returned is not seen, nor whether it asked for the error
 * of a launch where the runtime is linked statically. Where it is shared the recorder says that
 * such questions are seen: a launch that nobody asked for, and whose result is used, is likely a
 * mistake. The strict profile also reports launches of which only later work of the stream is
 * known.
 */
#include <stdbool.h>
#include <string.h>
#include "analyzer/access/access.h"
#include "analyzer/memory/shape.h"
#include "analyzer/rules/family.h"

#define FAILURES 16 /* whose results are looked for, at a time */
#define WRITES	 4  /* of one */

/* Bytes that were not written. */
struct missing {
	uint64_t allocation; /* sequence + 1 */
	struct sc_access shape;
	bool is_exact;
};

struct failure {
	struct sc_op op;
	uint64_t sequence;
	struct missing writes[WRITES];
	unsigned count;
	struct sc_op user; /* that reads one of them first */
	uint64_t used;	   /* its sequence + 1; 0: nothing did */
	bool is_exact;
};

struct failures {
	struct failure items[FAILURES];
	unsigned next;	     /* to be replaced */
	unsigned open;	     /* that may still be used */
	struct sc_op launch; /* of the strict profile: the first that failed */
	uint64_t sequence;   /* of it */
	uint64_t launches;
	bool is_heard; /* questions for errors are recorded */
	bool went_on;  /* later work of the stream was enqueued by the same thread */
};

/* ---- work that failed ---- */

/* An error of earlier work, or of a capture, is no refusal of this one; others report it. */
static bool is_refused(const struct sc_op *op)
{
	return (op->kind == SC_OP_KERNEL || op->kind == SC_OP_COPY || op->kind == SC_OP_SET) &&
	       op->result > 0 && op->result < SC_RESULT_STREAM_CAPTURE_UNSUPPORTED &&
	       op->result != SC_RESULT_NOT_READY && !sc_order_is_sticky(op->result) &&
	       !(op->flags & (SC_FLAG_LIBRARY | SC_FLAG_CAPTURED | SC_FLAG_DEAD_HANDLE));
}

static void add_write(struct failure *f, const struct sc_use *use)
{
	if (!(use->shape.mode & SC_WRITE) || f->count == WRITES)
		return;
	f->writes[f->count++] = (struct missing){.allocation = use->allocation->sequence,
						 .shape = use->shape,
						 .is_exact = use->shape.known == SC_KNOWN_EXACT};
}

/* Notes what the work would have written. */
static void note_failure(struct failures *s, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct failure *f = &s->items[s->next++ % FAILURES];
	struct sc_step as_if = *step;

	s->open -= f->count && !f->used;
	*f = (struct failure){.op = r->op, .sequence = r->sequence};
	as_if.is_enqueued = 1;
	sc_access_collect(&a->memory, &a->kernels, r, &as_if, &a->uses);
	for (size_t i = 0; i < a->uses.count; i++)
		add_write(f, &a->uses.items[i]);
	sc_vector_clear(&a->uses);
	s->open += f->count > 0;
}

static void note_launch(struct failures *s, const struct sc_record *r)
{
	if (!s->launches++) {
		s->launch = r->op;
		s->sequence = r->sequence;
	}
}

/* ---- later work ---- */

static void close_failure(struct failures *s, struct failure *f)
{
	if (!f->used)
		s->open--;
	f->count = 0;
}

/* What reads the bytes uses the result; what writes to them makes another of it. */
static void look_at(struct failures *s, struct failure *f, const struct sc_use *use,
		    const struct sc_record *r)
{
	uint64_t first, end;

	for (unsigned i = 0; i < f->count && !f->used; i++) {
		const struct missing *m = &f->writes[i];

		if (use->allocation->sequence != m->allocation ||
		    sc_shape_overlap(&use->shape, &m->shape, &first, &end) != SC_OVERLAPS)
			continue;
		if (use->shape.mode & SC_READ) {
			f->user = r->op;
			f->used = r->sequence + 1;
			f->is_exact = m->is_exact && use->shape.known == SC_KNOWN_EXACT;
			s->open--;
		} else {
			close_failure(s, f);
		}
	}
}

static void look_for_uses(struct failures *s, const struct sc_analysis *a,
			  const struct sc_record *r)
{
	for (size_t use = 0; use < a->uses.count && s->open; use++)
		for (unsigned i = 0; i < FAILURES; i++)
			look_at(s, &s->items[i], &a->uses.items[use], r);
}

static bool goes_on(const struct failures *s, const struct sc_step *step)
{
	return s->launches && step->is_enqueued && step->op->stream == s->launch.stream &&
	       step->op->thread == s->launch.thread;
}

/* ---- questions for errors ---- */

static bool is_text(const struct sc_record *r, const char *text)
{
	uint32_t bytes = 0;
	const char *its = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);

	return its && bytes == strlen(text) && !memcmp(its, text, bytes);
}

static bool is_question(const struct sc_analysis *a, const struct sc_op *op)
{
	const char *call = op->kind == SC_OP_CALL ? sc_reader_string(a->reader, op->call) : "";

	return !strcmp(call, "cudaGetLastError") || !strcmp(call, "cudaPeekAtLastError");
}

/* The thread knows of its launches that failed so far. */
static void forgive(struct failures *s, uint32_t thread)
{
	for (unsigned i = 0; i < FAILURES; i++) {
		struct failure *f = &s->items[i];

		if (f->op.kind != SC_OP_KERNEL || f->op.thread != thread)
			continue;
		if (f->count)
			close_failure(s, f);
		f->used = 0;
	}
	if (s->launch.thread == thread)
		s->launches = 0;
}

/* ---- findings ---- */

/* Another rule says why the call failed, or that what it uses is wrong. */
static bool is_known(const struct sc_analysis *a, uint64_t sequence)
{
	const struct sc_finding *list = a->findings.list.items;

	for (size_t i = 0; i < a->findings.list.count; i++)
		for (unsigned side = 0; side < list[i].sides; side++)
			if (list[i].severity != SC_ADVICE && list[i].side[side].op == sequence)
				return 1;
	return 0;
}

static void file_used(struct sc_analysis *a, const struct failures *s, const struct failure *f)
{
	bool is_likely = s->is_heard && f->op.kind == SC_OP_KERNEL && f->is_exact;
	struct sc_finding finding =
		sc_finding_begin(SC_RULE_404, &f->op, f->sequence, &f->user, f->used - 1);

	finding.confidence = is_likely ? SC_LIKELY : SC_POSSIBLE;
	finding.doubt = SC_DOUBT_QUERY;
	sc_finding_file(a, &finding, &f->op, &f->user);
}

static void file_launch(struct sc_analysis *a, const struct failures *s)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_404, NULL, 0, &s->launch, s->sequence);

	f.count = s->launches;
	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_QUERY;
	sc_finding_file(a, &f, NULL, &s->launch);
}

/* A program that leaves with an error has said that it gave up. */
static void check_exit(struct failures *s, struct sc_analysis *a)
{
	bool is_strict = a->settings.profile == SC_STRICT && s->launches && s->went_on;

	for (unsigned i = 0; i < FAILURES; i++) {
		const struct failure *f = &s->items[(s->next + i) % FAILURES];

		if (!f->used || is_known(a, f->sequence))
			continue;
		file_used(a, s, f);
		is_strict = is_strict && f->sequence != s->sequence;
	}
	if (is_strict)
		file_launch(a, s);
	*s = (struct failures){0};
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct failures *s = state;

	(void)a;
	return s->open || (s->launches && !s->went_on);
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct failures *s = state;

	if (r->op.kind == SC_OP_SOURCE)
		s->is_heard |= is_text(r, "questions for errors");
	if (is_question(a, &r->op))
		forgive(s, r->op.thread);
	if (s->open)
		look_for_uses(s, a, r);
	if (r->op.phase == SC_PHASE_END)
		return;
	if (r->op.kind == SC_OP_EXIT && !r->op.value)
		check_exit(s, a);
	if (is_refused(&r->op)) {
		note_failure(s, a, r, step);
		if (r->op.kind == SC_OP_KERNEL)
			note_launch(s, r);
	} else if (goes_on(s, step)) {
		s->went_on = 1;
	}
}

const struct sc_rule_family sc_rules_failed_work = {
	.state_bytes = sizeof(struct failures),
	.sees_routine = sees_routine,
	.step = check_record,
};
