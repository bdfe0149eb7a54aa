/* The SARIF 2.1.0 report: results with places, both stacks as code flows, and fingerprints. */
#include "reports/sarif.h"

#include <stdbool.h>
#include "base/assert.h"
#include "reports/alike.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/group.h"
#include "reports/sources/site.h"

#define SCHEMA                                                                \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" \
	"sarif-schema-2.1.0.json"
#define RESULT_DEPTH 5 /* of the members of a result in the log */

static void put_region(struct sc_sarif *s, const struct sc_frame *frame)
{
	sc_json_open(&s->j, "region", '{');
	sc_json_number(&s->j, "startLine", frame->line);
	if (frame->column)
		sc_json_number(&s->j, "startColumn", frame->column);
	sc_json_close(&s->j, '}');
}

/* Members of a location: file and line if they are known, and the function. */
void sc_sarif_place(struct sc_sarif *s, const struct sc_frame *frame)
{
	if (frame->line && *frame->file) {
		sc_json_open(&s->j, "physicalLocation", '{');
		sc_sarif_file(s, "artifactLocation", frame->file);
		put_region(s, frame);
		sc_json_close(&s->j, '}');
	}
	sc_json_open(&s->j, "logicalLocations", '[');
	sc_json_open(&s->j, NULL, '{');
	sc_json_text(&s->j, "fullyQualifiedName", frame->function);
	sc_json_text(&s->j, "kind", "function");
	sc_json_close(&s->j, '}');
	sc_json_close(&s->j, ']');
}

static void put_locations(struct sc_sarif *s, const struct sc_finding *f)
{
	unsigned side = sc_facts_side(s->report, f);
	const struct sc_frame *frame = sc_facts_frame(s->report, f->side[side].op);

	sc_json_open(&s->j, "locations", '[');
	if (frame) {
		sc_json_open(&s->j, NULL, '{');
		sc_sarif_place(s, frame);
		sc_json_close(&s->j, '}');
	}
	sc_json_close(&s->j, ']');
}

/* Facts of a finding on their way into its related locations. */
struct related {
	struct sc_sarif *sarif;
	uint64_t id;
};

static void put_related(void *to, uint64_t op_plus, const char *label, const char *text)
{
	struct related *related = to;
	struct sc_sarif *s = related->sarif;
	const struct sc_frame *frame = op_plus ? sc_facts_frame(s->report, op_plus - 1) : NULL;

	sc_json_open(&s->j, NULL, '{');
	sc_json_number(&s->j, "id", ++related->id);
	if (frame)
		sc_sarif_place(s, frame);
	sc_buf_printf(&s->phrase, "%s: %s", label, text);
	sc_sarif_message(s, "message");
	sc_json_close(&s->j, '}');
}

static void put_relateds(struct sc_sarif *s, const struct sc_finding *f)
{
	struct related related = {.sarif = s};

	sc_json_open(&s->j, "relatedLocations", '[');
	sc_facts_each(&s->words, f, put_related, &related);
	sc_json_close(&s->j, ']');
}

/* Appends what a side did, in words. */
static void add_side(struct sc_sarif *s, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(s->report->analysis, side->op);

	if (record)
		sc_words_op(&s->phrase, &s->words, record);
	else
		sc_buf_add(&s->phrase, "an operation that is not known");
}

static void put_step(struct sc_sarif *s, const struct sc_side *side, const struct sc_frame *frame,
		     bool is_last)
{
	sc_json_open(&s->j, NULL, '{');
	sc_json_open(&s->j, "location", '{');
	sc_sarif_place(s, frame);
	if (is_last)
		add_side(s, side);
	else
		sc_buf_printf(&s->phrase, "in %s", frame->function);
	sc_sarif_message(s, "message");
	sc_json_close(&s->j, '}');
	sc_json_text(&s->j, "importance", is_last ? "essential" : "important");
	sc_json_close(&s->j, '}');
}

/* The user's frames of one side, from the outermost to the one that made the call. */
static void put_thread_flow(struct sc_sarif *s, const struct sc_side *side, const char *id,
			    const struct sc_report_site *site)
{
	sc_json_open(&s->j, NULL, '{');
	sc_json_text(&s->j, "id", id);
	add_side(s, side);
	sc_sarif_message(s, "message");
	sc_json_open(&s->j, "locations", '[');
	for (size_t i = site->count; i-- > site->user;)
		if (i == site->user || !site->frames[i].is_internal)
			put_step(s, side, &site->frames[i], i == site->user);
	sc_json_close(&s->j, ']');
	sc_json_close(&s->j, '}');
}

static void get_site(struct sc_sarif *s, const struct sc_side *side, struct sc_report_site *site)
{
	const struct sc_record *record = sc_analysis_record(s->report->analysis, side->op);

	*site = (struct sc_report_site){0};
	if (record)
		sc_site_of(site, s->report, &record->op);
}

static const char *const ids[] = {"first", "then"}; /* of sides */

/* One code flow with one thread flow a side; a flow without a step is not allowed. */
static void put_code_flows(struct sc_sarif *s, const struct sc_finding *f)
{
	struct sc_report_site sites[2] = {0};
	bool is_any = 0;

	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		get_site(s, &f->side[i], &sites[i]);
		is_any |= sites[i].user < sites[i].count;
	}
	if (!is_any)
		return;
	sc_json_open(&s->j, "codeFlows", '[');
	sc_json_open(&s->j, NULL, '{');
	sc_json_open(&s->j, "threadFlows", '[');
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		if (sites[i].user < sites[i].count)
			put_thread_flow(s, &f->side[i], ids[i], &sites[i]);
	sc_json_close(&s->j, ']');
	sc_json_close(&s->j, '}');
	sc_json_close(&s->j, ']');
}

static void put_frame(struct sc_sarif *s, const struct sc_side *side, const struct sc_frame *frame)
{
	sc_json_open(&s->j, NULL, '{');
	sc_json_open(&s->j, "location", '{');
	sc_sarif_place(s, frame);
	sc_json_close(&s->j, '}');
	sc_json_text(&s->j, "module", frame->module);
	sc_json_number(&s->j, "threadId", side->thread);
	sc_json_close(&s->j, '}');
}

/* Not what began the thread: it is the C library's. Of a stack without frames of the user the
 * innermost. */
static size_t shown_frames(const struct sc_report_site *site)
{
	size_t end = site->user < site->count ? site->count : 1;

	while (end > site->user && site->frames[end - 1].is_internal)
		end--;
	return end;
}

/* The stacks, innermost frame first. No two may be equal, as those of one node in two launches of a
 * graph would be without the word before the side. */
static void put_stacks(struct sc_sarif *s, const struct sc_finding *f)
{
	sc_json_open(&s->j, "stacks", '[');
	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		struct sc_report_site site;

		get_site(s, &f->side[i], &site);
		if (!site.count)
			continue;
		sc_json_open(&s->j, NULL, '{');
		sc_buf_printf(&s->phrase, "%s: ", ids[i]);
		add_side(s, &f->side[i]);
		sc_sarif_message(s, "message");
		sc_json_open(&s->j, "frames", '[');
		for (size_t k = 0; k < shown_frames(&site); k++)
			put_frame(s, &f->side[i], &site.frames[k]);
		sc_json_close(&s->j, ']');
		sc_json_close(&s->j, '}');
	}
	sc_json_close(&s->j, ']');
}

void sc_sarif_fingerprint(struct sc_sarif *s, uint64_t fingerprint)
{
	char text[SC_FINGERPRINT_SIZE];

	sc_fingerprint_text(text, fingerprint);
	sc_json_open(&s->j, "partialFingerprints", '{');
	sc_buf_printf(&s->phrase, "streamcheck/v%d", SC_FINGERPRINT_VERSION);
	sc_json_text(&s->j, s->phrase.text, text);
	sc_buf_clear(&s->phrase);
	sc_json_close(&s->j, '}');
}

/* Members of properties that are the same alone and among many. `group`: with which others it is
 * one line of the text report; 0: with none. */
static void put_properties(struct sc_sarif *s, const struct sc_finding *f, uint32_t group)
{
	sc_json_number(&s->j, "number", f->number);
	if (f->leader)
		sc_json_number(&s->j, "cause", f->leader);
	sc_json_text(&s->j, "severity", sc_severity_text(f->severity));
	sc_json_text(&s->j, "confidence", sc_words_confidence(f->confidence));
	sc_json_open(&s->j, "causes", '[');
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i]) {
			sc_buf_printf(&s->phrase, "SC-%u", f->causes[i]);
			sc_json_text(&s->j, NULL, s->phrase.text);
			sc_buf_clear(&s->phrase);
		}
	sc_json_close(&s->j, ']');
	if (sc_words_can_verify(&s->words, f)) {
		sc_words_verify_command(&s->phrase, &s->words);
		sc_json_text(&s->j, "decidedBy", s->phrase.text);
		sc_buf_clear(&s->phrase);
	}
	if (group)
		sc_json_number(&s->j, "group", group);
}

/* An empty array says that the finding is not suppressed; no array would say nothing. A hidden
 * finding with neither reason nor filter is known from the baseline. */
static void put_suppressions(struct sc_sarif *s, const struct sc_hidden *hidden)
{
	sc_json_open(&s->j, "suppressions", '[');
	if (hidden && (hidden->reason || hidden->filter)) {
		sc_json_open(&s->j, NULL, '{');
		sc_json_text(&s->j, "kind", hidden->is_in_source ? "inSource" : "external");
		sc_buf_printf(&s->phrase, "%s%s", hidden->filter ? "hidden by option " : "",
			      hidden->filter ? hidden->filter : hidden->reason);
		sc_json_text(&s->j, "justification", s->phrase.text);
		sc_buf_clear(&s->phrase);
		sc_json_close(&s->j, '}');
	}
	sc_json_close(&s->j, ']');
	if (hidden && !hidden->reason && !hidden->filter)
		sc_json_text(&s->j, "baselineState", "unchanged");
}

void sc_sarif_rule(struct sc_sarif *s, unsigned rule, unsigned loudness)
{
	int index = sc_sarif_rule_index(rule);

	sc_buf_printf(&s->phrase, "SC-%u", rule);
	sc_json_text(&s->j, "ruleId", s->phrase.text);
	sc_buf_clear(&s->phrase);
	if (index >= 0)
		sc_json_number(&s->j, "ruleIndex", (uint64_t)index);
	sc_json_text(&s->j, "level", sc_sarif_level(loudness));
}

/* Parts of a finding: members of its result before and after the message, the message, members of
 * its properties. */
enum { HEAD, MESSAGE, REST, PROPERTIES };

static void begin_part(struct sc_sarif *s, struct sc_once_item *item, unsigned part)
{
	s->j = (struct sc_json){.out = &item->part[part],
				.depth = RESULT_DEPTH + (part == PROPERTIES),
				.has_items = part == REST};
}

/* `hidden` is NULL for a finding that is reported. */
static void take(struct sc_sarif *s, struct sc_joint *joint, const struct sc_finding *f,
		 uint64_t fingerprint, const struct sc_hidden *hidden, uint32_t group)
{
	struct sc_once_item *item =
		sc_once_take(&joint->found, s->report->names, fingerprint,
			     hidden ? SC_ONCE_HIDDEN : sc_alike_weight(f), f->count ? f->count : 1);

	if (!item)
		return;
	sc_words_set_finding(&s->words, f);
	sc_joint_use_rules(joint, f);
	begin_part(s, item, HEAD);
	sc_sarif_rule(s, f->rule, sc_facts_loudness(f));
	sc_facts_message(&item->part[MESSAGE], &s->words, f);
	begin_part(s, item, REST);
	put_locations(s, f);
	put_relateds(s, f);
	put_code_flows(s, f);
	put_stacks(s, f);
	sc_sarif_fingerprint(s, fingerprint);
	put_suppressions(s, hidden);
	begin_part(s, item, PROPERTIES);
	put_properties(s, f, group);
}

static void take_findings(struct sc_sarif *s, struct sc_joint *joint)
{
	struct sc_fingerprints fingerprints;
	struct sc_groups groups;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(s->report->analysis, &count);

	sc_fingerprints_init(&fingerprints, s->report);
	sc_groups_init(&groups, &s->words);
	for (size_t i = 0; i < count; i++)
		take(s, joint, &f[i], fingerprints.items[i], NULL, groups.of[i]);
	for (size_t i = 0; i < s->report->hidden_count; i++) {
		const struct sc_hidden *hidden = &s->report->hidden[i];

		take(s, joint, &hidden->finding, hidden->fingerprint, hidden, 0);
	}
	sc_groups_fini(&groups);
	sc_fingerprints_fini(&fingerprints);
}

void sc_sarif_base(struct sc_sarif *s)
{
	struct sc_buf folder = {0};

	if (!s->directory)
		return;
	sc_json_open(&s->j, "originalUriBaseIds", '{');
	sc_buf_printf(&folder, "%s/", s->directory);
	sc_sarif_file(s, "SRCROOT", folder.text);
	sc_json_close(&s->j, '}');
	sc_buf_fini(&folder);
}

void sc_report_sarif(struct sc_joint *joint, const struct sc_report *r,
		     const struct sc_report_style *style)
{
	struct sc_sarif s = {.report = r, .directory = style->directory};

	sc_words_init(&s.words, r, style->directory);
	take_findings(&s, joint);
	sc_sarif_take_invocation(&s, joint);
	sc_buf_fini(&s.phrase);
}

/* Which processes have the finding; the first one's report is what the numbers are of. */
static void put_processes(struct sc_sarif *s, const struct sc_joint *joint,
			  const struct sc_once_item *item)
{
	sc_sarif_ranks(s, sc_alike_processes(joint, item), sc_alike_ranks(joint, item));
	sc_sarif_ids(s, item);
	sc_json_open(&s->j, "firstProcess", '{');
	sc_json_number(&s->j, "processId", item->ids.items[0]);
	if (item->rank >= 0)
		sc_json_number(&s->j, "rank", (uint64_t)item->rank);
	sc_json_text(&s->j, "commandLine", item->command);
	sc_json_close(&s->j, '}');
}

static void add_part(struct sc_sarif *s, const struct sc_once_item *item, unsigned part)
{
	sc_assert(s->j.depth == RESULT_DEPTH + (part == PROPERTIES));
	sc_buf_add(s->j.out, sc_buf_text(&item->part[part]));
	s->j.has_items = 1;
}

static void put_result(struct sc_sarif *s, const struct sc_joint *joint,
		       const struct sc_once_item *item)
{
	sc_json_open(&s->j, NULL, '{');
	add_part(s, item, HEAD);
	sc_buf_add(&s->phrase, sc_buf_text(&item->part[MESSAGE]));
	if (item->processes > 1) {
		sc_buf_add(&s->phrase, "; ");
		sc_alike_where(&s->phrase, joint, item);
	}
	sc_sarif_message(s, "message");
	add_part(s, item, REST);
	sc_json_number(&s->j, "occurrenceCount", item->count);
	sc_json_open(&s->j, "properties", '{');
	add_part(s, item, PROPERTIES);
	if (sc_joint_is_many(joint))
		put_processes(s, joint, item);
	sc_json_close(&s->j, '}');
	sc_json_close(&s->j, '}');
}

static void put_results(struct sc_sarif *s, const struct sc_joint *joint)
{
	const struct sc_once_item *item;
	struct sc_once_at at = sc_once_begin();

	sc_json_open(&s->j, "results", '[');
	while ((item = sc_once_next(&joint->found, &at)))
		put_result(s, joint, item);
	sc_sarif_summary_results(s, joint);
	sc_json_close(&s->j, ']');
}

void sc_report_finish_sarif(struct sc_buf *out, const struct sc_joint *joint)
{
	struct sc_sarif s = {.j = {.out = out}, .directory = joint->directory};

	sc_json_open(&s.j, NULL, '{');
	sc_json_text(&s.j, "$schema", SCHEMA);
	sc_json_text(&s.j, "version", "2.1.0");
	sc_json_open(&s.j, "runs", '[');
	sc_json_open(&s.j, NULL, '{');
	sc_sarif_tool(&s, joint);
	sc_sarif_invocations(&s, joint);
	sc_sarif_base(&s);
	put_results(&s, joint);
	sc_json_close(&s.j, '}');
	sc_json_close(&s.j, ']');
	sc_json_close(&s.j, '}');
	sc_buf_fini(&s.phrase);
}
