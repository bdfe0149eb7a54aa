/* Verification: sides become keys, the second run's findings and operations are looked up by them.
 */
#include "cmds/check/verification.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/finding/findings.h"
#include "analyzer/symbol/callsite.h"
#include "base/heap.h"
#include "cmds/judge/judge.h"
#include "reports/group.h"

/* A trace, its places, and the words for them. */
struct seen {
	struct sc_loaded loaded;
	struct sc_callsites sites; /* of stacks without a frame of the program */
	struct sc_fingerprints prints;
	struct sc_words words;
	char directory[PATH_MAX];
};

static bool open_seen(struct seen *s, const char *path, const struct sc_options *options,
		      bool is_own, bool doubts_queries)
{
	const struct sc_remarks how = {.doubts_queries = doubts_queries};

	*s = (struct seen){0};
	if (sc_loaded_open_with(&s->loaded, path, options, is_own, &how))
		return 0;
	sc_words_init(&s->words, &s->loaded.report, getcwd(s->directory, sizeof(s->directory)));
	sc_fingerprints_init(&s->prints, &s->loaded.report);
	return 1;
}

static void close_seen(struct seen *s)
{
	sc_fingerprints_fini(&s->prints);
	sc_callsites_fini(&s->sites);
	sc_loaded_close(&s->loaded);
}

static uint64_t hash_name(const char *name)
{
	return sc_fingerprint_hash(name, strlen(name));
}

static const char *name_of(const struct sc_reader *r, const struct sc_op *op)
{
	return op->kind == SC_OP_KERNEL ? sc_reader_function(r, op->object)
					: sc_reader_string(r, op->call);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of the lines of Python, or else of the program's own frames: CUDA's runtime calls the driver from
 * another place while a tool listens to its calls, as the Sanitizer API does in the second run. */
static uint64_t place_of(struct seen *s, const struct sc_op *op, uint64_t sequence)
{
	const char *python = op->stack ? sc_reader_stack_python(s->loaded.reader, op->stack) : "";
	const struct sc_frame *frames;
	uint64_t place = SC_HASH_START;
	bool has_own = 0;
	size_t count = 0;

	if (*python)
		return hash_name(python);
	if (op->stack)
		count = sc_symbols_stack(s->loaded.report.symbols, op->stack, &frames);
	for (size_t i = 0; i < count; i++) {
		const struct sc_frame *f = &frames[i];

		if (f->is_internal || !*f->module)
			continue;
		has_own = 1;
		place = sc_hash_add(sc_hash_add(place, hash_name(base_name(f->module))), f->offset);
	}
	return has_own ? place : sc_callsite_of(&s->sites, s->loaded.reader, op->stack, sequence);
}

static uint64_t key_of(struct seen *s, const struct sc_op *op, uint64_t sequence)
{
	uint64_t key = sc_hash_add(SC_HASH_START, op->kind);

	key = sc_hash_add(key, hash_name(name_of(s->loaded.reader, op)));
	return sc_hash_add(key, place_of(s, op, sequence));
}

/* ---- the first run ---- */

static char *take_text(struct sc_buf *text)
{
	char *copy = sc_heap_xcopy(sc_buf_text(text), text->bytes);

	sc_buf_clear(text);
	return copy;
}

static void take_side(struct sc_verify_side *out, struct seen *s, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(s->loaded.analysis, side->op);
	struct sc_buf actor = {0};
	const char *name;

	if (!record)
		return;
	name = name_of(s->loaded.reader, &record->op);
	sc_words_actor(&actor, &s->words, record);
	*out = (struct sc_verify_side){
		.key = key_of(s, &record->op, record->sequence),
		.kind = record->op.kind,
		.name = sc_heap_xcopy(name, strlen(name)),
		.actor = take_text(&actor),
		.is_kernel = record->op.kind == SC_OP_KERNEL && side->known != SC_KNOWN_EXACT,
	};
	sc_buf_fini(&actor);
}

static void take_finding(struct sc_verification *v, struct seen *s, const struct sc_finding *f,
			 uint64_t fingerprint)
{
	struct sc_verify_item item = {.rule = f->rule,
				      .is_race = sc_finding_lacks_order(f),
				      .confidence = f->confidence,
				      .lines = sc_fingerprint_lines(&s->loaded.report, f).key,
				      .fingerprint = fingerprint};
	struct sc_buf what = {0};

	sc_words_set_finding(&s->words, f);
	sc_group_describe(&what, &s->words, f);
	item.what = take_text(&what);
	sc_buf_fini(&what);
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		take_side(&item.side[i], s, &f->side[i]);
	sc_vector_push(&v->items, item);
}

/* What the user suppresses or knows is not asked for again. */
static void hide(struct seen *s, struct sc_judge *judge, const struct sc_options *options)
{
	struct sc_loaded *l = &s->loaded;

	sc_judge_init(judge, options);
	sc_judge_report(judge, &l->report, l->analysis, l->reader, &s->prints);
	sc_fingerprints_fini(&s->prints);
	sc_fingerprints_init(&s->prints, &l->report);
}

bool sc_verification_take(struct sc_verification *v, const char *path,
			  const struct sc_options *options)
{
	const struct sc_finding *f;
	struct sc_judge judge;
	struct seen s;
	size_t count;

	if (!open_seen(&s, path, options, 0, 0))
		return 0;
	hide(&s, &judge, options);
	f = sc_analysis_findings(s.loaded.analysis, &count);
	for (size_t i = 0; i < count; i++)
		if (sc_words_can_verify(&s.words, &f[i]))
			take_finding(v, &s, &f[i], s.prints.items[i]);
		else if (f[i].severity != SC_ADVICE && f[i].confidence != SC_PROVEN &&
			 !f[i].suppression)
			v->unasked++;
	sc_judge_fini(&judge);
	close_seen(&s);
	return 1;
}

void sc_verification_kernels(struct sc_buf *out, const struct sc_verification *v)
{
	struct sc_u64_map met = {0};

	for (size_t i = 0; i < v->items.count * 2; i++) {
		const struct sc_verify_side *side = &v->items.items[i / 2].side[i % 2];
		uint64_t *place;

		if (!side->is_kernel || !*side->name || strchr(side->name, '\n'))
			continue;
		place = sc_u64_map_get(&met, hash_name(side->name));
		if (!(*place)++)
			sc_buf_printf(out, "%s\n", side->name);
	}
	sc_u64_map_fini(&met);
}

/* ---- the second run ---- */

static bool has_sides(const struct sc_verify_item *item, const uint64_t keys[2])
{
	uint64_t a = item->side[0].key, b = item->side[1].key;

	return a && ((a == keys[0] && b == keys[1]) || (a == keys[1] && b == keys[0]));
}

/* A finding of the same lines, or of the same operations where no line of the program is known. */
static bool is_met(const struct sc_verify_item *item, const struct sc_finding *f,
		   const uint64_t keys[2], uint64_t lines)
{
	bool fits = item->is_race ? sc_finding_lacks_order(f) : item->rule == f->rule;

	return fits && f->severity != SC_ADVICE &&
	       ((lines && item->lines == lines) || has_sides(item, keys));
}

static void meet(struct sc_verify_item *item, struct seen *s, const struct sc_finding *f,
		 uint64_t fingerprint)
{
	struct sc_buf doubt = {0};

	if (item->found_rule && item->found_confidence >= f->confidence)
		return;
	free(item->doubt);
	item->doubt = NULL;
	item->found_rule = f->rule;
	item->found = fingerprint;
	item->found_confidence = f->confidence;
	item->is_about_bytes = sc_words_can_verify(&s->words, f);
	sc_words_set_finding(&s->words, f);
	if (sc_words_doubt(&doubt, &s->words, f))
		item->doubt = take_text(&doubt);
	sc_buf_fini(&doubt);
}

static void take_keys(uint64_t keys[2], struct seen *s, const struct sc_finding *f)
{
	for (unsigned side = 0; side < f->sides && side < 2; side++) {
		const struct sc_record *record =
			sc_analysis_record(s->loaded.analysis, f->side[side].op);

		keys[side] = record ? key_of(s, &record->op, record->sequence) : 0;
	}
}

static void look_at_findings(struct sc_verification *v, struct seen *s)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(s->loaded.analysis, &count);

	v->is_lost |= count >= SC_FINDINGS_MAX; /* those beyond have lost their places */
	for (size_t i = 0; i < count; i++) {
		uint64_t lines = sc_fingerprint_lines(&s->loaded.report, &f[i]).key, keys[2] = {0};
		bool is_other = f[i].severity != SC_ADVICE;

		take_keys(keys, s, &f[i]);
		for (size_t n = 0; n < v->items.count; n++) {
			if (!is_met(&v->items.items[n], &f[i], keys, lines))
				continue;
			meet(&v->items.items[n], s, &f[i], s->prints.items[i]);
			is_other = 0;
		}
		v->others += is_other;
	}
}

static uint64_t kind_and_name(uint8_t kind, const char *name)
{
	return sc_hash_add(hash_name(name), kind);
}

/* The next operation of such a kind and name; false at the end. */
static bool next_wanted(struct sc_reader *r, const struct sc_u64_map *wanted,
			struct sc_record *record)
{
	while (sc_reader_next(r, record) > 0) {
		const struct sc_op *op = &record->op;

		if (op->phase != SC_PHASE_END &&
		    sc_u64_map_find(wanted, kind_and_name(op->kind, name_of(r, op))))
			return 1;
	}
	return 0;
}

/* Which operations of the findings the second run had, at their places. Stacks of all that may be
 * one of them are named in one batch. */
static void look_at_operations(struct sc_verification *v, struct seen *s)
{
	struct sc_reader *r = s->loaded.reader;
	struct sc_u64_map wanted = {0};
	struct sc_record record;

	for (size_t i = 0; i < v->items.count * 2; i++) {
		const struct sc_verify_side *side = &v->items.items[i / 2].side[i % 2];

		if (side->key)
			*sc_u64_map_get(&wanted, kind_and_name(side->kind, side->name)) = 1;
	}
	sc_reader_rewind(r);
	while (next_wanted(r, &wanted, &record))
		sc_symbols_want(s->loaded.report.symbols, record.op.stack);
	sc_reader_rewind(r);
	while (next_wanted(r, &wanted, &record))
		*sc_u64_map_get(&v->reached, key_of(s, &record.op, record.sequence)) = 1;
	sc_u64_map_fini(&wanted);
}

/* A launch that is known by an upper bound is known well enough for a pair that does not meet. */
static void look_at_kernels(struct sc_verification *v, struct seen *s)
{
	size_t count;
	const struct sc_kernel_tally *k = sc_analysis_kernels(s->loaded.analysis, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t name = hash_name(sc_reader_function(s->loaded.reader, k[i].kernel));

		for (unsigned known = 0; known < SC_TALLY_KNOWNS; known++)
			*sc_u64_map_get(&v->launched, name) += k[i].launches[known];
		*sc_u64_map_get(&v->unknown, name) +=
			k[i].launches[SC_KNOWN_PARAMETER] + k[i].launches[SC_TALLY_OPEN];
	}
}

static char *copy(const char *text, size_t bytes)
{
	return sc_heap_xcopy(text, bytes);
}

/* The recorder's reasons: what it had to do without, launches that it could not record, and kernels
 * that the simulated device did not execute ("KERNEL: REASON"). */
static void look_at_notes(struct sc_verification *v, struct seen *s)
{
	size_t count;
	const struct sc_record *notes = sc_analysis_notes(s->loaded.analysis, &count);

	for (size_t i = 0; i < count; i++) {
		const struct sc_op *op = &notes[i].op;
		uint32_t bytes = 0;
		const char *text = sc_record_attachment(&notes[i], SC_ATTACH_TEXT, &bytes);
		const char *colon = text ? memmem(text, bytes, ": ", 2) : NULL;
		bool is_missing = op->kind == SC_OP_SOURCE && !op->value && text &&
				  memmem(text, bytes, "footprints", strlen("footprints"));

		if (is_missing ||
		    (op->kind == SC_OP_LAUNCHES && text && op->object == SC_LAUNCHES_RECORDED))
			sc_vector_push(&v->notes,
				       ((struct sc_verify_note){NULL, copy(text, bytes)}));
		else if (op->kind == SC_OP_LAUNCHES && colon)
			sc_vector_push(
				&v->notes,
				((struct sc_verify_note){
					copy(text, (size_t)(colon - text)),
					copy(colon + 2, bytes - (size_t)(colon + 2 - text))}));
	}
}

/* Which of those that were not met only a query orders in the second run, that may as well have
 * answered "not ready". */
static void look_at_queries(struct sc_verification *v, const char *path,
			    const struct sc_options *options)
{
	const struct sc_finding *f;
	bool is_open = 0;
	struct seen s;
	size_t count;

	for (size_t n = 0; n < v->items.count; n++)
		is_open |= !v->items.items[n].found_rule;
	if (!is_open || !open_seen(&s, path, options, 1, 1))
		return;
	f = sc_analysis_findings(s.loaded.analysis, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t lines = sc_fingerprint_lines(&s.loaded.report, &f[i]).key, keys[2] = {0};

		take_keys(keys, &s, &f[i]);
		for (size_t n = 0; n < v->items.count; n++)
			v->items.items[n].is_by_query |=
				is_met(&v->items.items[n], &f[i], keys, lines);
	}
	close_seen(&s);
}

void sc_verification_look(struct sc_verification *v, const char *path,
			  const struct sc_options *options)
{
	struct seen s;

	if (!open_seen(&s, path, options, 1, 0))
		return;
	v->traces++;
	v->is_lost |= !sc_analysis_complete(s.loaded.analysis);
	look_at_findings(v, &s);
	look_at_operations(v, &s);
	look_at_kernels(v, &s);
	look_at_notes(v, &s);
	close_seen(&s);
	look_at_queries(v, path, options);
}

/* ---- verdicts ---- */

static uint64_t value_of(const struct sc_u64_map *m, uint64_t key)
{
	const uint64_t *value = sc_u64_map_find(m, key);

	return value ? *value : 0;
}

/* Adds why a side was not there to be compared; false if it was. */
static bool add_absence(struct sc_buf *out, const struct sc_verification *v,
			const struct sc_verify_side *side, int exit_code)
{
	if (!side->key || value_of(&v->reached, side->key))
		return 0;
	if (side->kind == SC_OP_KERNEL && !value_of(&v->launched, hash_name(side->name)))
		sc_buf_printf(out, "%s was not launched in this run", side->actor);
	else
		sc_buf_printf(out, "the program took another path: no %s at this place in this run",
			      side->actor);
	if (exit_code)
		sc_buf_printf(out, ", which ended with exit code %d", exit_code);
	return 1;
}

/* The reasons that there are, of this kernel or of any. */
static void add_notes(struct sc_buf *out, const struct sc_verification *v, const char *kernel)
{
	const char *before = " (";

	for (size_t i = 0; i < v->notes.count; i++) {
		const struct sc_verify_note *note = &v->notes.items[i];

		if (note->kernel && strcmp(note->kernel, kernel) != 0)
			continue;
		sc_buf_add(out, before);
		sc_words_clean(out, note->reason, strlen(note->reason));
		before = "; ";
	}
	sc_buf_add(out, *before == ';' ? ")" : "");
}

/* Adds that bytes of a kernel's launches are not known; false if they are. */
static bool add_unknown(struct sc_buf *out, const struct sc_verification *v,
			const struct sc_verify_side *side)
{
	uint64_t name = side->name ? hash_name(side->name) : 0;
	uint64_t unknown = side->kind == SC_OP_KERNEL ? value_of(&v->unknown, name) : 0;

	if (!unknown)
		return 0;
	sc_buf_printf(out,
		      "the bytes of %" PRIu64 " of %" PRIu64 " launches of %s are not known in "
		      "this run",
		      unknown, value_of(&v->launched, name), side->actor);
	add_notes(out, v, side->name);
	return 1;
}

static void add_unknowns(struct sc_buf *out, const struct sc_verification *v,
			 const struct sc_verify_item *item)
{
	for (unsigned i = 0; i < 2; i++)
		if (add_unknown(out, v, &item->side[i]))
			return;
}

/* Why an item that was not met is not decided; nothing if the bytes were apart. */
static void add_open_reason(struct sc_buf *out, const struct sc_verification *v,
			    const struct sc_verify_item *item, int exit_code)
{
	if (!v->traces) {
		sc_buf_add(out, "nothing was recorded in this run");
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		if (add_absence(out, v, &item->side[i], exit_code))
			return;
	if (v->is_lost) {
		sc_buf_add(out, "something of this run was lost");
		return;
	}
	if (item->is_by_query) {
		sc_buf_add(out, "in this run a query that succeeded (cudaEventQuery, "
				"cudaStreamQuery) orders the two");
		return;
	}
	add_unknowns(out, v, item);
}

/* Why an item that was met is not proven. */
static void add_doubt(struct sc_buf *out, const struct sc_verification *v,
		      const struct sc_verify_item *item)
{
	if (item->is_about_bytes)
		add_unknowns(out, v, item);
	if (!out->bytes)
		sc_buf_add(out, item->doubt ? item->doubt : "it is still not proven");
}

static void judge(struct sc_verified_row *row, const struct sc_verification *v,
		  const struct sc_verify_item *item, int exit_code)
{
	struct sc_buf reason = {0};

	*row = (struct sc_verified_row){.rule = item->rule,
					.found_rule = item->found_rule,
					.fingerprint = item->fingerprint,
					.found = item->found,
					.confidence = item->confidence,
					.what = sc_heap_xcopy(item->what, strlen(item->what))};
	if (item->found_rule && item->found_confidence == SC_PROVEN) {
		row->verdict = SC_VERIFIED_PROVEN;
		return;
	}
	if (item->found_rule)
		add_doubt(&reason, v, item);
	else
		add_open_reason(&reason, v, item, exit_code);
	row->verdict = reason.bytes ? SC_VERIFIED_OPEN : SC_VERIFIED_APART;
	row->reason = reason.bytes ? take_text(&reason) : NULL;
	sc_buf_fini(&reason);
}

void sc_verification_judge(struct sc_verified *out, const struct sc_verification *v, int exit_code)
{
	for (size_t i = 0; i < v->items.count; i++)
		judge(sc_vector_add(&out->rows), v, &v->items.items[i], exit_code);
	out->others = v->others;
	sc_verified_sort(out);
}

void sc_verification_fini(struct sc_verification *v)
{
	for (size_t i = 0; i < v->items.count; i++) {
		struct sc_verify_item *item = &v->items.items[i];

		for (unsigned side = 0; side < 2; side++) {
			free(item->side[side].name);
			free(item->side[side].actor);
		}
		free(item->what);
		free(item->doubt);
	}
	for (size_t i = 0; i < v->notes.count; i++) {
		free(v->notes.items[i].kernel);
		free(v->notes.items[i].reason);
	}
	sc_vector_fini(&v->notes);
	sc_vector_fini(&v->items);
	sc_u64_map_fini(&v->reached);
	sc_u64_map_fini(&v->launched);
	sc_u64_map_fini(&v->unknown);
}
