/* JUnit: the suite of a run. */
#include "reports/junit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "reports/alike.h"
#include "reports/facts.h"
#include "reports/many/together.h"
#include "reports/xml.h"

#define COMPLETE_CASE "everything was seen"
#define DEVICE_CASE   "the device was used"
#define NO_WORK	      "no copy, fill, kernel or graph was recorded"
#define GAPS_MOST     20 /* that are listed */

/* What a suite counts. */
enum count { TESTS, FAILURES, ERRORS, SKIPPED };

/* A case under way. */
struct test_case {
	const char *name;      /* borrowed; NULL: of a rule */
	const char *type;      /* of its failure */
	struct sc_buf message; /* of the first failure */
	struct sc_buf loud;    /* findings that fail the case */
	struct sc_buf quiet;   /* findings that do not */
	uint64_t failures, findings;
};

/* The suite under way. */
struct suite {
	const struct sc_joint *joint;
	const char *program;
	struct sc_buf cases;		  /* the suite's content */
	uint64_t counts[SC_JOINT_COUNTS]; /* enum count */
	const char *untested;		  /* why the rules were not tested, or NULL */
	SC_VECTOR(struct test_case) list;
	struct sc_u64_map by_group; /* index + 1 in the list */
	struct sc_u64_map in_full;  /* by fingerprint: index + 1 of the case that has the text */
};

static void open_case(struct suite *s, const char *name)
{
	struct sc_buf class = {0};

	s->counts[TESTS]++;
	sc_buf_printf(&class, "streamcheck.%s", s->program);
	for (char *c = class.text + strlen("streamcheck."); *c; c++)
		if (*c == '.')
			*c = '_'; /* dashboards take what is before the last dot for a package */
	sc_buf_add(&s->cases, "    <testcase");
	sc_xml_attribute(&s->cases, "classname", class.text);
	sc_xml_attribute(&s->cases, "name", name);
	sc_buf_add(&s->cases, ">\n");
	sc_buf_fini(&class);
}

static void close_case(struct suite *s)
{
	sc_buf_add(&s->cases, "    </testcase>\n");
}

/* Opens an element with its message, or closes it if it has no content. */
static void add_outcome(struct suite *s, const char *element, const char *type, const char *message,
			bool has_text)
{
	sc_buf_printf(&s->cases, "      <%s", element);
	if (type)
		sc_xml_attribute(&s->cases, "type", type);
	sc_xml_attribute(&s->cases, "message", message);
	sc_buf_add(&s->cases, has_text ? ">" : "/>\n");
}

/* Adds the case; which items are in it, if any. */
static void add_case(struct suite *s, const struct test_case *c, uint64_t group)
{
	sc_vector_push(&s->list, *c);
	*sc_u64_map_get(&s->by_group, group) = s->list.count;
}

/* One command line is that of the program, and no case. */
static uint64_t only_command(const struct sc_joint *joint)
{
	const struct sc_once_item *item, *only = NULL;
	struct sc_once_at at = sc_once_begin();

	while ((item = sc_once_next(&joint->said, &at)))
		if (item->weight == SC_JUNIT_COMMAND) {
			if (only)
				return 0;
			only = item;
		}
	return only ? only->group : 0;
}

static void add_cases(struct suite *s)
{
	uint64_t only = only_command(s->joint);
	struct sc_once_at at = sc_once_begin();
	const struct sc_once_item *item;
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);

	while ((item = sc_once_next(&s->joint->said, &at)))
		if (item->weight >= SC_JUNIT_TEST && item->group != only)
			add_case(s,
				 &(struct test_case){.name = item->part[0].text,
						     .type = "streamcheck"},
				 item->group);
	for (unsigned i = 0; i < count; i++)
		add_case(s, &(struct test_case){.type = rows[i].slug}, (uint64_t)rows[i].rule);
}

/* The case of an item of that group and rule, else NULL. */
static struct test_case *case_of(struct suite *s, uint64_t group, unsigned rule)
{
	const uint64_t *index = group ? sc_u64_map_find(&s->by_group, group) : NULL;

	if (!index)
		index = sc_u64_map_find(&s->by_group, rule);
	return index ? &s->list.items[*index - 1] : NULL;
}

/* Where a finding is told; the texts of one case are separated by an empty line. */
static struct sc_buf *begin_text(struct test_case *c, bool is_loud)
{
	struct sc_buf *text = is_loud ? &c->loud : &c->quiet;

	c->findings++;
	if (text->bytes)
		sc_buf_add_char(text, '\n');
	return text;
}

static void tell_finding(struct suite *s, const struct sc_once_item *item)
{
	struct test_case *c = case_of(s, item->group, item->rule);
	bool is_loud = item->weight >= SC_ONCE_LOUD;
	struct sc_buf *text;
	uint64_t *in_full;

	if (!c)
		return;
	in_full = sc_u64_map_get(&s->in_full, item->fingerprint);
	if (is_loud && !c->failures++) {
		sc_buf_add(&c->message, item->part[SC_JUNIT_MESSAGE].text);
		sc_buf_add(&c->message, sc_joint_is_many(s->joint) ? "; " : "");
		if (sc_joint_is_many(s->joint))
			sc_alike_where(&c->message, s->joint, item);
	}
	text = begin_text(c, is_loud);
	if (*in_full)
		sc_buf_printf(text, "%s: in full in the case %s\n",
			      item->part[SC_JUNIT_MESSAGE].text, s->list.items[*in_full - 1].name);
	else
		sc_buf_add(text, item->part[SC_JUNIT_TEXT].text);
	if (sc_joint_is_many(s->joint)) {
		sc_buf_add(text, "processes: ");
		sc_alike_who(text, s->joint, item);
		sc_buf_add_char(text, '\n');
	}
	if (c->name && !*in_full)
		*in_full = (uint64_t)(c - s->list.items) + 1;
}

/* A finding of which there is a summary only. */
static void tell_row(struct suite *s, const struct sc_summary_row *row)
{
	bool is_loud = sc_facts_loudness_of(row->severity, row->confidence) == SC_LOUD_ERROR;
	struct test_case *c = case_of(s, 0, row->rule);
	struct sc_buf *text;

	if (!c)
		return;
	if (is_loud && !c->failures++) {
		sc_buf_printf(&c->message, "%s; ", row->message);
		sc_summary_where(&c->message, s->joint->all, row);
	}
	text = begin_text(c, is_loud);
	sc_buf_printf(text, "%s  processes: ", row->text);
	sc_summary_where(text, s->joint->all, row);
	sc_buf_add_char(text, '\n');
}

static void tell_findings(struct suite *s)
{
	struct sc_once_at at = sc_once_begin();
	const struct sc_once_item *item;
	const struct sc_summary_row *row;
	size_t next = 0;

	while ((item = sc_once_next(&s->joint->found, &at)))
		tell_finding(s, item);
	while ((row = sc_together_next(s->joint, &next)))
		tell_row(s, row);
}

static void add_element(struct suite *s, const char *element, struct sc_buf *text)
{
	if (text->bytes) {
		sc_buf_printf(&s->cases, "      <%s>", element);
		sc_xml_add(&s->cases, text->text);
		sc_buf_printf(&s->cases, "</%s>\n", element);
	}
	sc_buf_fini(text);
}

/* A case has one failure, whatever the number of findings: so do the dashboards count. */
static void add_result(struct suite *s, struct test_case *c)
{
	if (c->failures > 1)
		sc_buf_printf(&c->message, " (and %" PRIu64 " more)", c->failures - 1);
	if (c->failures) {
		s->counts[FAILURES]++;
		add_outcome(s, "failure", c->type, c->message.text, 1);
		sc_xml_add(&s->cases, c->loud.text);
		sc_buf_add(&s->cases, "</failure>\n");
	} else if (!c->findings && s->untested) {
		s->counts[SKIPPED]++;
		add_outcome(s, "skipped", NULL, s->untested, 0);
	}
	add_element(s, "system-out", &c->quiet);
	sc_buf_fini(&c->message);
	sc_buf_fini(&c->loud);
}

/* A cause stands with another rule's finding, so it is a case only where it stands alone. */
static void put_rule(struct suite *s, const struct sc_rule_row *rule, struct test_case *c)
{
	struct sc_buf name = {0};

	if (!c->findings && rule->kind == SC_RULE_CAUSE)
		return;
	sc_buf_printf(&name, "SC-%u %s", (unsigned)rule->rule, rule->slug);
	open_case(s, name.text);
	add_result(s, c);
	close_case(s);
	sc_buf_fini(&name);
}

/* The rules are the last cases of the list. */
static void put_cases(struct suite *s)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);
	size_t tests = s->list.count - count;

	for (size_t i = 0; i < tests; i++) {
		open_case(s, s->list.items[i].name);
		add_result(s, &s->list.items[i]);
		close_case(s);
	}
	for (unsigned i = 0; i < count; i++)
		put_rule(s, &rows[i], &s->list.items[tests + i]);
}

/* Appends what was not seen: of incomplete processes, or of the others. */
static void add_gaps(struct sc_buf *out, const struct sc_joint *joint, bool is_complete)
{
	struct sc_once_at at = sc_once_begin();
	const struct sc_once_item *item;
	uint64_t listed = 0;

	while ((item = sc_once_next(&joint->said, &at))) {
		if (item->weight != !is_complete || ++listed > GAPS_MOST)
			continue;
		sc_buf_printf(out, "%s%s", out->bytes ? "; " : "", item->part[0].text);
		if (sc_joint_is_many(joint)) {
			sc_buf_add_char(out, ' ');
			sc_alike_where(out, joint, item);
		}
	}
	if (listed > GAPS_MOST)
		sc_buf_printf(out, "; and %" PRIu64 " more", listed - GAPS_MOST);
}

static void put_completeness(struct suite *s)
{
	struct sc_buf lost = {0}, unseen = {0};

	add_gaps(&lost, s->joint, 0);
	add_gaps(&unseen, s->joint, 1);
	if (sc_summary_has_read(s->joint->all) && sc_summary_is_incomplete(s->joint->all)) {
		sc_buf_add(&lost, lost.bytes ? "; " : "");
		sc_summary_gaps(&lost, s->joint->all);
	}
	open_case(s, COMPLETE_CASE);
	if (lost.bytes) {
		s->counts[ERRORS]++;
		add_outcome(s, "error", "incomplete", lost.text, 0);
	}
	add_element(s, "system-out", &unseen);
	close_case(s);
	sc_buf_fini(&lost);
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
static void put_device(struct suite *s)
{
	open_case(s, DEVICE_CASE);
	if (s->untested) {
		s->counts[ERRORS]++;
		add_outcome(s, "error", "unused", s->untested, 0);
	}
	close_case(s);
}

static void put_suite(struct sc_buf *out, const struct suite *s)
{
	sc_buf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	add_counts(out, "testsuites", "streamcheck", s->counts);
	sc_buf_add(out, "  ");
	add_counts(out, "testsuite", s->program, s->counts);
	sc_buf_add(out, sc_buf_text(&s->cases));
	sc_buf_add(out, "  </testsuite>\n</testsuites>\n");
}

void sc_report_finish_junit(struct sc_buf *out, const struct sc_joint *joint)
{
	struct sc_joint named = {0}; /* only summaries were read: they name the program */
	struct suite s = {.joint = joint};

	if (!joint->processes && joint->all)
		sc_junit_name(&named,
			      joint->all->groups.count ? joint->all->groups.items[0].command : "",
			      1);
	s.program = sc_buf_text(joint->processes ? &joint->parts : &named.parts);
	if (!joint->counts[SC_JUNIT_WORKED] && !sc_summary_has_read(joint->all))
		s.untested = joint->counts[SC_JUNIT_RECORDED] ? NO_WORK : "nothing was recorded";
	add_cases(&s);
	tell_findings(&s);
	put_cases(&s);
	put_completeness(&s);
	if (joint->counts[SC_JUNIT_REQUIRED])
		put_device(&s);
	put_suite(out, &s);
	sc_buf_fini(&s.cases);
	sc_vector_fini(&s.list);
	sc_u64_map_fini(&s.by_group);
	sc_u64_map_fini(&s.in_full);
	sc_joint_fini(&named);
}
