/* The JUnit report: one test suite for each checked process, one test case a rule.
 *
 * A case fails by a proven error, for that is what fails a build; quieter findings are listed in
 * the case's output. The last case holds if nothing was hidden. The rules were not tested in a
 * process that did not use the device: their cases are skipped, and beside other processes the
 * suite is left out. The names have no process ids: dashboards compare runs by them.
 */
#include "reports/report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "reports/facts.h"
#include "reports/site.h"
#include "reports/together.h"
#include "reports/utf8.h"
#include "reports/words_coverage.h"
#include "reports/xml.h"

#define COMPLETE_CASE "everything was seen"
#define DEVICE_CASE   "the device was used"
#define NO_WORK	      "no copy, fill, kernel or graph was recorded"
#define FNV_BASIS     UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME     UINT64_C(0x100000001b3)

/* What a suite counts. */
enum count { TESTS, FAILURES, ERRORS, SKIPPED };

struct junit {
	const struct sc_report *report; /* of a process; NULL: of all */
	const struct sc_joint *joint;	/* of all; NULL: of a process */
	struct sc_words words;
	struct sc_buf program;		  /* name of the checked program */
	struct sc_buf cases;		  /* the suite's content */
	uint64_t counts[SC_JOINT_COUNTS]; /* enum count */
	const char *untested;		  /* why the rules were not tested, or NULL */
};

/* The program's name without its folder and arguments. */
static void name_program(struct junit *j, const char *command)
{
	size_t bytes = strcspn(command, " ");
	struct sc_buf plain = {0};
	const char *slash;

	sc_buf_add_bytes(&plain, command, bytes);
	slash = strrchr(sc_buf_text(&plain), '/');
	sc_buf_add(&j->program, slash ? slash + 1 : sc_buf_text(&plain));
	if (!j->program.bytes)
		sc_buf_add(&j->program, "unknown program");
	sc_buf_fini(&plain);
}

static uint64_t hash(const char *text)
{
	uint64_t h = FNV_BASIS;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * FNV_PRIME;
	return h;
}

/* Of several processes: the whole command line and the rank; of equal ones the later get numbers.
 */
static void name_process(struct junit *j, struct sc_joint *joint)
{
	const struct sc_names *names = j->report->names;
	uint64_t *seen;

	sc_buf_add(&j->program, names->command + strcspn(names->command, " "));
	if (names->rank >= 0)
		sc_buf_printf(&j->program, ", rank %d", names->rank);
	seen = sc_u64_map_get(&joint->ids, hash(j->program.text));
	if (++*seen > 1)
		sc_buf_printf(&j->program, " (%" PRIu64 ")", *seen);
}

static void open_case(struct junit *j, const char *name)
{
	struct sc_buf class = {0};

	j->counts[TESTS]++;
	sc_buf_printf(&class, "streamcheck.%s", j->program.text);
	for (char *c = class.text + strlen("streamcheck."); *c; c++)
		if (*c == '.')
			*c = '_'; /* dashboards take what is before the last dot for a package */
	sc_buf_add(&j->cases, "    <testcase");
	sc_xml_attribute(&j->cases, "classname", class.text);
	sc_xml_attribute(&j->cases, "name", name);
	sc_buf_add(&j->cases, ">\n");
	sc_buf_fini(&class);
}

static void close_case(struct junit *j)
{
	sc_buf_add(&j->cases, "    </testcase>\n");
}

/* Opens an element with its message, or closes it if it has no content. */
static void add_outcome(struct junit *j, const char *element, const char *type, const char *message,
			bool has_text)
{
	sc_buf_printf(&j->cases, "      <%s", element);
	if (type)
		sc_xml_attribute(&j->cases, "type", type);
	sc_xml_attribute(&j->cases, "message", message);
	sc_buf_add(&j->cases, has_text ? ">" : "/>\n");
}

static void add_stack(struct sc_buf *text, const struct junit *j, uint64_t op)
{
	const struct sc_record *record = sc_analysis_record(j->report->analysis, op);
	struct sc_report_site site;

	if (!record)
		return;
	sc_site_of(&site, j->report, &record->op);
	for (size_t i = site.user; i < site.count; i++) {
		if (site.frames[i].is_internal)
			continue;
		sc_buf_add(text, "    at ");
		sc_site_add_place(text, &site.frames[i], j->words.directory);
		sc_buf_add(text, " in ");
		sc_utf8_add_clean(text, site.frames[i].function);
		sc_buf_add_char(text, '\n');
	}
}

/* What add_fact needs: the report, and the text under construction. */
struct telling {
	const struct junit *junit;
	struct sc_buf *text;
};

static void add_fact(void *to, uint64_t op_plus, const char *label, const char *text)
{
	struct telling *t = to;

	sc_buf_printf(t->text, "%s: %s\n", label, text);
	if (op_plus && (!strcmp(label, "first") || !strcmp(label, "then")))
		add_stack(t->text, t->junit, op_plus - 1);
}

static void add_finding(struct junit *j, const struct sc_finding *f, struct sc_buf *text)
{
	struct telling telling = {.junit = j, .text = text};

	sc_buf_printf(text, "%s SC-%u [%s]: ", sc_severity_text(f->severity), f->rule,
		      sc_words_confidence(f->confidence));
	sc_facts_message(text, &j->words, f);
	sc_buf_add_char(text, '\n');
	add_stack(text, j, f->side[sc_facts_side(j->report, f)].op);
	sc_facts_each(&j->words, f, add_fact, &telling);
	if (sc_words_can_verify(&j->words, f)) {
		sc_buf_add(text, "decided by: ");
		sc_words_verify_command(text, &j->words);
		sc_buf_add_char(text, '\n');
	}
}

/* What one case has to report. */
struct result {
	struct sc_buf message; /* of the first failure */
	struct sc_buf loud;    /* findings that fail the case */
	struct sc_buf quiet;   /* findings that do not */
	uint64_t failures, findings;
};

static void take_finding(struct junit *j, const struct sc_finding *f, struct result *result)
{
	bool is_loud = sc_facts_loudness(f) == SC_LOUD_ERROR;
	struct sc_buf *text = is_loud ? &result->loud : &result->quiet;

	sc_words_set_finding(&j->words, f);
	if (is_loud && !result->failures++)
		sc_facts_message(&result->message, &j->words, f);
	if (text->bytes)
		sc_buf_add_char(text, '\n');
	add_finding(j, f, text);
	result->findings++;
}

/* A finding of which there is a summary only. */
static void take_row(const struct junit *j, const struct sc_summary_row *row, struct result *result)
{
	bool is_loud = sc_facts_loudness_of(row->severity, row->confidence) == SC_LOUD_ERROR;
	struct sc_buf *text = is_loud ? &result->loud : &result->quiet;

	if (is_loud && !result->failures++) {
		sc_buf_printf(&result->message, "%s; ", row->message);
		sc_summary_where(&result->message, j->joint->all, row);
	}
	if (text->bytes)
		sc_buf_add_char(text, '\n');
	sc_buf_printf(text, "%s  found ", row->text);
	sc_summary_where(text, j->joint->all, row);
	sc_buf_add_char(text, '\n');
	result->findings++;
}

/* Takes the findings of a rule; returns how many. */
static uint64_t take_rule(struct junit *j, unsigned number, struct result *result)
{
	const struct sc_summary_row *row;
	size_t count = 0, at = 0;
	const struct sc_finding *f =
		j->report ? sc_analysis_findings(j->report->analysis, &count) : NULL;

	for (; count; count--, f++)
		if (f->rule == number)
			take_finding(j, f, result);
	while (j->joint && (row = sc_together_next(j->joint, &at)))
		if (row->rule == number)
			take_row(j, row, result);
	return result->findings;
}

static void add_element(struct junit *j, const char *element, struct sc_buf *text)
{
	if (text->bytes) {
		sc_buf_printf(&j->cases, "      <%s>", element);
		sc_xml_add(&j->cases, text->text);
		sc_buf_printf(&j->cases, "</%s>\n", element);
	}
	sc_buf_fini(text);
}

/* A case has one failure, whatever the number of findings: so do the dashboards count. */
static void add_result(struct junit *j, struct result *result, const char *type)
{
	if (result->failures > 1)
		sc_buf_printf(&result->message, " (and %" PRIu64 " more)", result->failures - 1);
	if (result->failures) {
		j->counts[FAILURES]++;
		add_outcome(j, "failure", type, result->message.text, 1);
		sc_xml_add(&j->cases, result->loud.text);
		sc_buf_add(&j->cases, "</failure>\n");
	} else if (!result->findings && j->untested) {
		j->counts[SKIPPED]++;
		add_outcome(j, "skipped", NULL, j->untested, 0);
	}
	add_element(j, "system-out", &result->quiet);
	sc_buf_fini(&result->message);
	sc_buf_fini(&result->loud);
}

/* The case of a rule: all findings whose rule it is. A cause stands with another rule's finding, so
 * it is a case only where it stands alone. */
static void add_rule(struct junit *j, const struct sc_rule_row *rule)
{
	struct result result = {0};
	struct sc_buf name = {0};

	if (!take_rule(j, (unsigned)rule->rule, &result) && rule->kind == SC_RULE_CAUSE)
		return;
	sc_buf_printf(&name, "SC-%u %s", (unsigned)rule->rule, rule->slug);
	open_case(j, name.text);
	add_result(j, &result, rule->slug);
	close_case(j);
	sc_buf_fini(&name);
}

static void add_rules(struct junit *j)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);

	for (unsigned i = 0; i < count; i++)
		add_rule(j, &rows[i]);
}

/* `gaps` say what was not seen, and are freed. */
static void add_completeness(struct junit *j, bool is_complete, struct sc_buf *gaps)
{
	open_case(j, COMPLETE_CASE);
	if (!is_complete) {
		j->counts[ERRORS]++;
		add_outcome(j, "error", "incomplete",
			    gaps->bytes ? gaps->text : "nothing was recorded", 0);
		sc_buf_clear(gaps); /* the outcome has them */
	}
	add_element(j, "system-out", gaps);
	close_case(j);
}

static void add_counts(struct sc_buf *out, const char *element, const char *name,
		       const uint64_t counts[SC_JOINT_COUNTS])
{
	static const char *const words[SC_JOINT_COUNTS] = {"tests", "failures", "errors",
							   "skipped"};

	sc_buf_printf(out, "<%s", element);
	sc_xml_attribute(out, "name", name);
	for (unsigned i = 0; i < SC_JOINT_COUNTS; i++)
		sc_buf_printf(out, " %s=\"%" PRIu64 "\"", words[i], counts[i]);
	sc_buf_add(out, ">\n");
}

/* The case of option require-cuda. */
static void add_device(struct junit *j)
{
	open_case(j, DEVICE_CASE);
	if (j->untested) {
		j->counts[ERRORS]++;
		add_outcome(j, "error", "unused", j->untested, 0);
	}
	close_case(j);
}

/* Appends the suite, counts its cases, and ends it. */
static void add_suite(struct sc_buf *out, uint64_t counts[SC_JOINT_COUNTS], struct junit *j)
{
	sc_buf_add(out, "  ");
	add_counts(out, "testsuite", j->program.text, j->counts);
	sc_buf_add(out, sc_buf_text(&j->cases));
	sc_buf_add(out, "  </testsuite>\n");
	for (unsigned i = 0; i < SC_JOINT_COUNTS; i++)
		counts[i] += j->counts[i];
	sc_buf_fini(&j->program);
	sc_buf_fini(&j->cases);
}

/* True if the suite has nothing to say beside those of other processes. */
static bool is_dispensable(const struct junit *j, const struct sc_joint *joint)
{
	size_t findings;

	sc_analysis_findings(j->report->analysis, &findings);
	return j->untested && !findings && sc_analysis_complete(j->report->analysis) &&
	       (joint->parts.bytes || joint->processes + 1 < joint->expected);
}

/* A process is a test suite. */
void sc_report_junit(struct sc_joint *joint, const struct sc_report *r,
		     const struct sc_report_style *style)
{
	const struct sc_coverage *coverage = sc_analysis_coverage(r->analysis);
	struct sc_buf gaps = {0};
	struct junit j = {.report = r};

	if (!coverage->work)
		j.untested = coverage->ops ? NO_WORK : "nothing was recorded";
	if (sc_joint_leaves_out(joint, r->names) || is_dispensable(&j, joint))
		return;
	sc_words_init(&j.words, r, style->directory);
	name_program(&j, r->names->command);
	if (sc_joint_is_many(joint))
		name_process(&j, joint);
	add_rules(&j);
	sc_words_gaps(&gaps, coverage);
	add_completeness(&j, sc_analysis_complete(r->analysis), &gaps);
	if (style->requires_work)
		add_device(&j);
	add_suite(&joint->parts, joint->counts, &j);
}

/* What processes without a suite of their own have together is one. */
static void add_together(struct sc_buf *out, uint64_t counts[SC_JOINT_COUNTS],
			 const struct sc_joint *joint)
{
	const struct sc_summary *all = joint->all;
	struct junit j = {.joint = joint};
	struct sc_buf gaps = {0};

	name_program(&j, all->groups.count ? all->groups.items[0].command : "");
	sc_buf_add(&j.program, ", together");
	add_rules(&j);
	sc_summary_gaps(&gaps, all);
	add_completeness(&j, !sc_summary_is_incomplete(all), &gaps);
	add_suite(out, counts, &j);
}

void sc_report_finish_junit(struct sc_buf *out, const struct sc_joint *joint)
{
	uint64_t counts[SC_JOINT_COUNTS];
	struct sc_buf together = {0};

	memcpy(counts, joint->counts, sizeof(counts));
	if (sc_together(joint))
		add_together(&together, counts, joint);
	sc_buf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	add_counts(out, "testsuites", "streamcheck", counts);
	sc_joint_copy(out, joint);
	sc_buf_add(out, sc_buf_text(&together));
	sc_buf_fini(&together);
	sc_buf_add(out, "</testsuites>\n");
}
