/* A plan with its text: each edit's calls in the program's language. */
#include "extensions/repair/patcher/plan_texts.h"
#include "extensions/repair/patcher/own_place.h"

#include <stdbool.h>
#include <string.h>
#include "cmds/files/footprints.h"

/* Of reports that say how few edits would do: more takes time that nobody asked for. */
#define NOTE_FINDINGS 50
#define NOTE_OPS      20000
#define NOTE_RECORDS  300000

static size_t count_findings(const struct sc_report *r)
{
	size_t count, about = 0;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	for (size_t i = 0; i < count; i++)
		about += sc_repair_is_about(&f[i]);
	return about;
}

static void find(struct sc_repair *out, struct sc_own *own, const struct sc_report *r,
		 const struct sc_options *options, uint64_t most_records)
{
	struct sc_analysis_settings analysis = {.profile = (enum sc_profile)options->profile,
						.no_footprints = options->footprints == 0,
						.strict_hosts = options->hosts != 0};
	struct sc_repair_settings settings = {.analysis = &analysis,
					      .choose = sc_own_choose,
					      .calls_from = sc_own_find_calls,
					      .data = own,
					      .most_records = most_records};
	struct sc_footprints_files files;

	sc_own_init(own, r, options);
	sc_footprints_files_read(&files, options);
	analysis.footprints = files.texts;
	analysis.footprint_count = files.count;
	sc_repair_find(out, r->reader, r->analysis, &settings);
	sc_footprints_files_fini(&files);
}

void sc_plan_texts_make(struct sc_plan_texts *p, const struct sc_report *r,
			const struct sc_options *options, uint64_t most_records)
{
	unsigned event = 1;

	*p = (struct sc_plan_texts){.findings = count_findings(r)};
	find(&p->repair, &p->own, r, options, most_records);
	sc_words_init(&p->words, r, p->own.directory);
	sc_vector_reserve(&p->others, p->repair.others.count + 1);
	sc_vector_reserve(&p->texts, p->repair.edits.count + 1);
	for (size_t i = 0; i < p->repair.others.count; i++)
		sc_edit_text_make(sc_vector_add(&p->others), &p->own, &p->words,
				  &p->repair.others.items[i], 0);
	for (size_t i = 0; i < p->repair.edits.count; i++) {
		const struct sc_edit *e = &p->repair.edits.items[i];

		event = sc_edit_text_make(sc_vector_add(&p->texts), &p->own, &p->words, e, event);
	}
}

void sc_plan_texts_fini(struct sc_plan_texts *p)
{
	for (size_t i = 0; i < p->texts.count; i++)
		sc_edit_text_fini(&p->texts.items[i]);
	sc_vector_fini(&p->texts);
	for (size_t i = 0; i < p->others.count; i++)
		sc_edit_text_fini(&p->others.items[i]);
	sc_vector_fini(&p->others);
	sc_repair_fini(&p->repair);
}

void sc_plan_summary(struct sc_buf *out, const struct sc_plan_texts *p)
{
	size_t edits = p->repair.edits.count;

	if (!p->findings)
		sc_buf_add(out, "there is nothing to repair");
	else if (!edits)
		sc_buf_printf(out, "no edit that was tried ends any of %zu finding%s", p->findings,
			      p->findings == 1 ? "" : "s");
	else
		sc_buf_printf(out, "%zu edit%s end%s %zu of %zu finding%s", edits,
			      edits == 1 ? "" : "s", edits == 1 ? "s" : "", p->repair.mended,
			      p->findings, p->findings == 1 ? "" : "s");
}

void sc_plan_add_reason(struct sc_buf *out, const struct sc_repair *r, size_t finding)
{
	static const char *const flaws[] = {
		[SC_FLAW_DEAD_STREAM] = "; the stream is destroyed by then",
		[SC_FLAW_DEAD_EVENT] = "; the event is destroyed by then",
		[SC_FLAW_CAPTURED] = "; the line also runs in a capture",
		[SC_FLAW_CALLBACK] = "; the line also runs in a host function, which must not wait",
		[SC_FLAW_REACH] = "; the line's thread cannot name the stream",
		[SC_FLAW_HELD] = "; the stream may wait for a later call: the wait might never end",
		[SC_FLAW_ROOM] = "; too many calls would be needed at one place",
		[SC_FLAW_APART] = "; one of its lines runs more often than the other",
		[SC_FLAW_TAKEN] = "; its address is given out again before the last use",
		[SC_FLAW_HARM] = "; it brought another finding",
	};
	unsigned reason = r->unmended.items[finding];
	const char *flaw = flaws[r->flaws.items[finding]];

	sc_buf_add(out, sc_unmended_rows[reason].sentence);
	if (reason == SC_UNMENDED_TRIED && flaw)
		sc_buf_add(out, flaw);
}

bool sc_plan_note(struct sc_repair_note *out, const struct sc_report *r,
		  const struct sc_options *options)
{
	struct sc_repair plan;
	struct sc_own own;
	bool is_said;

	*out = (struct sc_repair_note){.findings = count_findings(r)};
	/* What is hidden would be found again, and the plan would be about it too. */
	if (r->hidden_count || out->findings < 2)
		return 0;
	if (out->findings > NOTE_FINDINGS || sc_analysis_coverage(r->analysis)->ops > NOTE_OPS)
		return 1;
	find(&plan, &own, r, options, NOTE_RECORDS);
	is_said = plan.edits.count && plan.edits.count < plan.mended && !plan.untried;
	out->edits = plan.edits.count;
	out->ended = plan.mended;
	sc_repair_fini(&plan);
	return is_said;
}
