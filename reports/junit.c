/* The JUnit report: one test suite for the run, whatever the number of its processes.
 *
 * A case is a test, where the program says which one ran (reports/sources/test_name.h); a command
 * line, where the processes of a run have several; a rule. A finding stands in the case of its
 * test, else in that of its command line, else in that of its rule. A case fails by a proven error,
 * for that is what fails a build; quieter findings are listed in the case's output. The last case
 * holds if nothing was hidden. Rules were not tested if no process used the device: their cases are
 * skipped. The names have no process ids: dashboards compare runs by them.
 */
#include "reports/junit.h"

#include <string.h>
#include "reports/alike.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/report.h"
#include "reports/sources/site.h"
#include "reports/sources/test_name.h"
#include "reports/utf8.h"

#define SEVERAL "all programs"

/* The process under way. */
struct junit {
	const struct sc_report *report;
	struct sc_joint *joint;
	struct sc_words words;
	struct sc_buf command; /* its case, if it has one: a command line without a folder */
};

static uint64_t hash(const char *text)
{
	return sc_fingerprint_hash(text, strlen(text));
}

void sc_junit_command(struct sc_buf *out, const char *command)
{
	size_t bytes = strcspn(command, " ");
	const char *slash = memrchr(command, '/', bytes);

	sc_utf8_add_clean(out, slash ? slash + 1 : command);
}

void sc_junit_name(struct sc_joint *joint, const char *command, bool has_worked)
{
	struct sc_buf name = {0};

	sc_junit_command(&name, command);
	if (name.bytes) {
		name.bytes = strcspn(name.text, " ");
		name.text[name.bytes] = '\0';
	}
	if (!name.bytes)
		sc_buf_add(&name, "unknown program");
	if (!joint->parts.bytes || (has_worked && !joint->counts[SC_JUNIT_WORKED])) {
		sc_buf_clear(&joint->parts);
		sc_buf_add(&joint->parts, name.text);
	} else if (has_worked && strcmp(joint->parts.text, name.text) != 0) {
		sc_buf_clear(&joint->parts);
		sc_buf_add(&joint->parts, SEVERAL);
	}
	sc_buf_fini(&name);
}

/* Notes that there is such a test, or command line. */
static void take_name(struct junit *j, const char *name, unsigned weight)
{
	struct sc_once_item *item =
		sc_once_take(&j->joint->said, j->report->names, hash(name) ^ weight, weight, 1);

	if (!item)
		return;
	sc_buf_add(&item->part[0], name);
	item->group = hash(name) ^ weight;
}

static void take_test(void *to, const char *name)
{
	take_name(to, name, SC_JUNIT_TEST);
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

/* The case that a finding stands in, 0: that of its rule. */
static uint64_t group_of(struct junit *j, const struct sc_finding *f)
{
	struct sc_buf name = {0};
	uint64_t group = 0;

	if (sc_test_name(&name, j->report, f)) {
		take_name(j, name.text, SC_JUNIT_TEST);
		group = hash(name.text) ^ SC_JUNIT_TEST;
	} else if (j->command.bytes) {
		group = hash(j->command.text) ^ SC_JUNIT_COMMAND;
	}
	sc_buf_fini(&name);
	return group;
}

static void take_finding(struct junit *j, const struct sc_finding *f, uint64_t fingerprint)
{
	uint64_t group = group_of(j, f);
	struct sc_once_item *item = sc_once_take(&j->joint->found, j->report->names,
						 fingerprint ^ group, sc_alike_weight(f), f->count);

	if (!item)
		return;
	item->rule = f->rule;
	item->group = group;
	item->fingerprint = fingerprint;
	sc_words_set_finding(&j->words, f);
	sc_facts_message(&item->part[SC_JUNIT_MESSAGE], &j->words, f);
	add_finding(j, f, &item->part[SC_JUNIT_TEXT]);
}

void sc_report_junit(struct sc_joint *joint, const struct sc_report *r,
		     const struct sc_report_style *style)
{
	const struct sc_coverage *coverage = sc_analysis_coverage(r->analysis);
	struct junit j = {.report = r, .joint = joint};
	struct sc_fingerprints prints;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &count);

	sc_words_init(&j.words, r, style->directory);
	sc_junit_name(joint, r->names->command, sc_coverage_has_work(coverage));
	if (sc_joint_is_many(joint) && r->names->rank < 0 && (coverage->work || count))
		sc_junit_command(&j.command, r->names->command);
	if (j.command.bytes)
		take_name(&j, j.command.text, SC_JUNIT_COMMAND);
	sc_test_name_each(r, take_test, &j);
	sc_fingerprints_init(&prints, r);
	for (size_t i = 0; i < count; i++)
		take_finding(&j, &f[i], prints.items[i]);
	sc_fingerprints_fini(&prints);
	sc_alike_take_gaps(joint, r);
	joint->counts[SC_JUNIT_WORKED] += sc_coverage_has_work(coverage);
	joint->counts[SC_JUNIT_RECORDED] += coverage->ops > 0;
	joint->counts[SC_JUNIT_REQUIRED] |= style->requires_work;
	sc_buf_fini(&j.command);
}
