/* Runs the analyzer on text traces and compares its findings with their `expect` lines.
 *
 *	expect none
 *	expect SC-101 proven 3 5 cause=SC-112 severity=warning count=2
 *	expect SC-101 possible 3 5 order=none doubt=unseen_record
 *	expect profile strict
 *	expect hosts strict
 *	expect repair …		(repaired.h)
 *	expect SC-174 proven 3 says "and it has ended"
 *
 * Numbers are op lines, the sides in their order; memory=N is the op that began the memory which it
 * is about, leader=N the number of the finding that this one follows (analyzer/model/cause.h). An
 * expectation says proven or possible, and why: of what is possible the doubt, of what collides the
 * cause, or how far order reached (order). All else that is left out may be anything. Every finding
 * must be expected by exactly one line, and every line must be met. Usage: run_traces
 * FILE-OR-DIRECTORY…; exit status 1 if anything differs.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "analyzer/analysis.h"
#include "joined.h"
#include "repaired.h"
#include "trace/text/text.h"
#include "trails.h"
#include "ways.h"

#define SUFFIX	   ".sct.txt"
#define LINES_MAX  4
#define CAUSES_MAX 4
#define SAYS	   " says \""

static const char *const confidences[] = {"possible", "likely", "proven"};
static const char *const severities[] = {"advice", "warning", "error"};
static const char *const profiles[] = {"strict", "reference", "permissive"};
static const char *const modes[] = {"read", "write", "free", "call"};
static const char *const hows[] = {"op",	"ptx",	"parameter",  "program", "file",
				   "execution", "word", "documented", "recorded"};

/* One expect line; -1 or 0 is "anything". */
struct expectation {
	const char *text;
	unsigned rule;
	unsigned lines[2], line_count;
	unsigned causes[CAUSES_MAX], cause_count;
	int confidence, severity, doubt, order, fix;
	int timing;
	long timing_ns, blocked_ns, idle_ns, held_ns;
	int modes[2], hows[2];
	int suppressed; /* unless it says so, a finding is not suppressed */
	long count, bytes, offset;
	unsigned after, before, order_op, launched, memory;
	int leader;	   /* number of the finding that it follows; 0: none */
	const char *says;  /* in there: what is said of other processes has these words; or NULL */
	size_t says_bytes; /* without the quotes */
	bool is_met;
};

/* The lines of a file that say what is expected, and how. */
struct plan {
	struct sc_analysis_settings settings;
	struct expectation *list; /* owned */
	size_t expected;
	bool is_repaired;
};

/* One process. */
struct subject {
	const struct sc_text_script *script; /* borrowed */
	const struct sc_remark *remarks;     /* borrowed: of the comparison with others, or NULL */
};

static int index_of(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	fprintf(stderr, "unknown word in an expectation: %s\n", name);
	exit(2);
}

#define INDEX_OF(names, name) index_of((names), sizeof(names) / sizeof(*(names)), (name))

static int row_of(const struct sc_verdict_row *rows, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].id, id))
			return (int)i;
	fprintf(stderr, "unknown id in an expectation: %s\n", id);
	exit(2);
}

static unsigned rule_number(const char *word)
{
	unsigned number = 0;

	if (sscanf(word, "SC-%u", &number) != 1 || !sc_rule_find(number)) {
		fprintf(stderr, "unknown rule in an expectation: %s\n", word);
		exit(2);
	}
	return number;
}

static void parse_pair(struct expectation *e, const char *name, const char *value)
{
	if (!strcmp(name, "cause") && e->cause_count < CAUSES_MAX)
		e->causes[e->cause_count++] = rule_number(value);
	else if (!strcmp(name, "severity"))
		e->severity = INDEX_OF(severities, value);
	else if (!strcmp(name, "doubt"))
		e->doubt = row_of(sc_doubt_rows, SC_DOUBTS, value);
	else if (!strcmp(name, "order"))
		e->order = row_of(sc_reach_rows, SC_REACHES, value);
	else if (!strcmp(name, "fix"))
		e->fix = row_of(sc_fix_rows, SC_FIXES, value);
	else if (!strcmp(name, "first"))
		e->modes[0] = INDEX_OF(modes, value);
	else if (!strcmp(name, "second"))
		e->modes[1] = INDEX_OF(modes, value);
	else if (!strcmp(name, "timing"))
		e->timing = row_of(sc_timing_rows, SC_TIMINGS, value);
	else if (!strcmp(name, "ns"))
		e->timing_ns = atol(value);
	else if (!strcmp(name, "blocked"))
		e->blocked_ns = atol(value);
	else if (!strcmp(name, "idle"))
		e->idle_ns = atol(value);
	else if (!strcmp(name, "held"))
		e->held_ns = atol(value);
	else if (!strcmp(name, "first_how"))
		e->hows[0] = INDEX_OF(hows, value);
	else if (!strcmp(name, "second_how"))
		e->hows[1] = INDEX_OF(hows, value);
	else if (!strcmp(name, "suppressed"))
		e->suppressed = atoi(value) != 0;
	else if (!strcmp(name, "count"))
		e->count = atol(value);
	else if (!strcmp(name, "bytes"))
		e->bytes = atol(value);
	else if (!strcmp(name, "after"))
		e->after = (unsigned)atol(value);
	else if (!strcmp(name, "before"))
		e->before = (unsigned)atol(value);
	else if (!strcmp(name, "leader"))
		e->leader = atoi(value);
	else if (!strcmp(name, "launched"))
		e->launched = (unsigned)atol(value);
	else if (!strcmp(name, "memory"))
		e->memory = (unsigned)atol(value);
	else if (!strcmp(name, "order_op"))
		e->order_op = (unsigned)atol(value);
	else {
		fprintf(stderr, "unknown word in an expectation: %s=\n", name);
		exit(2);
	}
}

static void parse_word(struct expectation *e, char *word)
{
	char *equals = strchr(word, '=');

	if (equals) {
		*equals = '\0';
		parse_pair(e, word, equals + 1);
	} else if (!strncmp(word, "SC-", 3)) {
		e->rule = rule_number(word);
	} else if (*word >= '0' && *word <= '9') {
		if (e->line_count < 2)
			e->lines[e->line_count++] = (unsigned)atol(word);
	} else {
		e->confidence = INDEX_OF(confidences, word);
	}
}

static struct expectation parse_expectation(const char *text)
{
	struct expectation e = {.text = text,
				.confidence = -1,
				.severity = -1,
				.doubt = -1,
				.order = -1,
				.fix = -1,
				.leader = -1,
				.modes = {-1, -1},
				.timing = -1,
				.timing_ns = -1,
				.blocked_ns = -1,
				.idle_ns = -1,
				.held_ns = -1,
				.hows = {-1, -1},
				.count = -1,
				.bytes = -1};
	char *copy = strdup(text), *rest = copy, *word, *says = strstr(copy, SAYS);

	if (says) {
		e.says = text + (says - copy) + strlen(SAYS);
		e.says_bytes = strlen(e.says) - 1;
		*says = '\0';
	}
	while ((word = strsep(&rest, " \t")))
		if (*word)
			parse_word(&e, word);
	free(copy);
	return e;
}

/* Whether it says how sure the finding is, why not, and why the two were not ordered. */
static bool is_whole(const char *path, const struct expectation *e)
{
	const char *missing = NULL;

	if (!e->rule)
		missing = "SC-";
	else if (e->confidence < 0)
		missing = "proven, likely or possible";
	else if (e->confidence != SC_PROVEN && e->doubt < 0)
		missing = "doubt=";
	else if (sc_rule_find(e->rule)->kind == SC_RULE_BASE && !e->cause_count && e->order < 0)
		missing = "cause= or order=";
	if (missing)
		printf("%s: \"expect %s\" does not say %s\n", path, e->text, missing);
	return !missing;
}

static unsigned line_of(const struct sc_text_script *s, uint64_t sequence)
{
	return sequence < s->op_line_count ? s->op_lines[sequence] : 0;
}

/* All that are expected, and no others. */
static bool has_causes(const struct expectation *e, const struct sc_finding *f)
{
	unsigned count = 0;

	while (count < SC_FINDING_CAUSES && f->causes[count])
		count++;
	if (count != e->cause_count)
		return 0;
	for (unsigned i = 0; i < e->cause_count; i++) {
		bool found = 0;

		for (unsigned j = 0; j < SC_FINDING_CAUSES; j++)
			found |= f->causes[j] == e->causes[i];
		if (!found)
			return 0;
	}
	return 1;
}

static bool is(int expected, int got)
{
	return expected < 0 || expected == got;
}

static bool is_number(long expected, uint64_t got)
{
	return expected < 0 || (uint64_t)expected == got;
}

static bool line_is(const struct sc_text_script *s, unsigned expected, uint64_t sequence_plus)
{
	return !expected || (sequence_plus && line_of(s, sequence_plus - 1) == expected);
}

static bool is_said(const struct expectation *e, const char *text)
{
	for (; text && *text; text++)
		if (!strncmp(text, e->says, e->says_bytes))
			return 1;
	return 0;
}

static bool has_fields(const struct sc_text_script *s, const struct expectation *e,
		       const struct sc_finding *f)
{
	if (e->rule != f->rule || !has_causes(e, f))
		return 0;
	for (unsigned i = 0; i < e->line_count; i++)
		if (i >= f->sides || line_of(s, f->side[i].op) != e->lines[i])
			return 0;
	if (!is(e->confidence, f->confidence) || !is(e->severity, f->severity) ||
	    !is(e->doubt, f->doubt) || !is(e->order, f->reach) || !is(e->fix, f->fix))
		return 0;
	if (!is(e->hows[0], f->side[0].how) || !is(e->hows[1], f->side[1].how) ||
	    !is(e->suppressed, f->suppression != 0))
		return 0;
	if (!is(e->modes[0], f->side[0].mode) || !is(e->modes[1], f->side[1].mode))
		return 0;
	if (!line_is(s, e->after, f->fix_after) || !line_is(s, e->before, f->fix_before) ||
	    !line_is(s, e->order_op, f->reach_op) || !line_is(s, e->memory, f->allocation) ||
	    !line_is(s, e->launched, f->side[f->sides - 1].launch))
		return 0;
	if (!is(e->leader, (int)f->leader))
		return 0;
	return is(e->timing, f->timing) && is_number(e->timing_ns, f->timing_ns) &&
	       is_number(e->blocked_ns, f->blocked_ns) && is_number(e->idle_ns, f->idle_ns) &&
	       is_number(e->held_ns, f->held_ns) && is_number(e->count, f->count) &&
	       is_number(e->bytes, f->side[0].bytes);
}

static bool meets(const struct subject *s, const struct expectation *e, const struct sc_finding *f)
{
	return (!e->says || (f->remark && is_said(e, s->remarks[f->remark - 1].text))) &&
	       has_fields(s->script, e, f);
}

static void print_finding(const struct subject *subject, const struct sc_finding *f)
{
	const struct sc_text_script *s = subject->script;

	printf("  found    SC-%u %s", f->rule, confidences[f->confidence]);
	for (unsigned i = 0; i < f->sides; i++)
		printf(" %u", line_of(s, f->side[i].op));
	for (unsigned i = 0; i < SC_FINDING_CAUSES && f->causes[i]; i++)
		printf(" cause=SC-%u", f->causes[i]);
	printf("%s first_how=%s second_how=%s", f->suppression ? " suppressed=1" : "",
	       hows[f->side[0].how], hows[f->side[1].how]);
	printf(" memory=%u", line_of(s, f->allocation - 1));
	printf(" number=%u leader=%u severity=%s doubt=%s order=%s fix=%s count=%llu bytes=%llu\n",
	       f->number, f->leader, severities[f->severity], sc_doubt_rows[f->doubt].id,
	       sc_reach_rows[f->reach].id, sc_fix_rows[f->fix].id, (unsigned long long)f->count,
	       (unsigned long long)f->side[0].bytes);
	if (f->timing || f->blocked_ns || f->idle_ns || f->held_ns)
		printf("           timing=%s ns=%llu blocked=%llu idle=%llu held=%llu\n",
		       sc_timing_rows[f->timing].id, (unsigned long long)f->timing_ns,
		       (unsigned long long)f->blocked_ns, (unsigned long long)f->idle_ns,
		       (unsigned long long)f->held_ns);
	if (f->remark)
		printf("           says \"%s\"\n", subject->remarks[f->remark - 1].text);
}

/* Compares the findings with the expectations that are not met yet; the number of differences. */
static unsigned compare(const char *path, const struct subject *s, const struct sc_analysis *a,
			struct plan *plan)
{
	size_t count;
	const struct sc_finding *findings = sc_analysis_findings(a, &count);
	unsigned differences = 0;

	for (size_t i = 0; i < count; i++) {
		struct expectation *e = plan->list, *end = e + plan->expected;

		while (e < end && (e->is_met || !meets(s, e, &findings[i])))
			e++;
		if (e < end) {
			e->is_met = 1;
			continue;
		}
		if (!differences++)
			printf("%s:\n", path);
		print_finding(s, &findings[i]);
	}
	return differences;
}

static unsigned count_unmet(const char *path, const struct plan *plan)
{
	unsigned differences = 0;

	for (size_t i = 0; i < plan->expected; i++) {
		if (plan->list[i].is_met)
			continue;
		if (!differences++)
			printf("%s:\n", path);
		printf("  expected %s\n", plan->list[i].text);
	}
	return differences;
}

/* What must hold of any trace, whatever it expects. */
static unsigned check_always(struct sc_reader *r, struct sc_analysis_settings settings)
{
	unsigned differences = trails_check(r, &settings) + ways_forget(r, &settings);

	for (enum sc_profile p = SC_STRICT; p <= SC_PERMISSIVE; p++) {
		settings.profile = p;
		differences += ways_compare(r, &settings);
	}
	settings.is_unasked = 1;
	return differences + ways_compare(r, &settings);
}

/* Returns how many lines are wrong. */
static unsigned read_plan(const char *path, const struct sc_text_script *s, struct plan *plan)
{
	unsigned wrong = !s->expectation_count;
	char word[32];

	*plan = (struct plan){.settings = {.profile = SC_REFERENCE, .advice = 1},
			      .list = calloc(s->expectation_count + 1, sizeof(*plan->list))};
	if (wrong)
		printf("%s: expects nothing, not even \"none\"\n", path);
	for (size_t i = 0; i < s->expectation_count; i++) {
		const char *text = s->expectations[i];

		if (sscanf(text, "profile %31s", word) == 1)
			plan->settings.profile = (enum sc_profile)INDEX_OF(profiles, word);
		else if (sscanf(text, "hosts %31s", word) == 1)
			plan->settings.strict_hosts = !strcmp(word, "strict");
		else if (repaired_is_line(text))
			plan->is_repaired = 1;
		else if (strncmp(text, "none", 4)) {
			plan->list[plan->expected] = parse_expectation(text);
			wrong += !is_whole(path, &plan->list[plan->expected++]);
		}
	}
	return wrong;
}

/* Analyzes one process under the settings, and compares. */
static unsigned check(const char *path, const struct subject *s, struct sc_reader *r,
		      struct plan *plan)
{
	struct sc_analysis *a;
	unsigned differences;

	sc_analysis_run(&a, r, &plan->settings);
	differences = compare(path, s, a, plan) + check_always(r, plan->settings);
	differences += repaired_check(path, r, a, &plan->settings);
	if (plan->is_repaired)
		differences += repaired_compare(path, s->script, r, a, &plan->settings);
	sc_analysis_free(a);
	return differences;
}

static unsigned check_text(const char *path, const char *text, size_t bytes)
{
	struct sc_text_script script = {0};
	struct sc_reader *r = NULL;
	struct plan plan = {0};
	char message[256] = "";
	unsigned differences = 1;

	if (sc_text_parse(&script, text, bytes, message, sizeof(message)) ||
	    sc_reader_open_memory(&r, script.trace, script.bytes, message, sizeof(message))) {
		printf("%s: %s\n", path, message);
	} else {
		differences = read_plan(path, &script, &plan);
		differences += check(path, &(struct subject){&script, NULL}, r, &plan);
		differences += count_unmet(path, &plan);
	}
	free(plan.list);
	sc_reader_free(r);
	sc_text_script_fini(&script);
	return differences;
}

static unsigned check_joined(const char *path, const char *text, size_t bytes)
{
	struct plan plan = {0};
	struct joined joined;
	char message[256] = "";
	unsigned differences = 1;

	if (joined_open(&joined, text, bytes, message, sizeof(message)) || !joined.count) {
		printf("%s: %s\n", path, *message ? message : "has no rank");
	} else {
		differences = read_plan(path, &joined.scripts[0], &plan);
		for (unsigned i = 0; i < joined.count; i++) {
			struct subject s = {.script = &joined.scripts[i]};

			s.remarks = joined_remarks(&joined, i, &plan.settings.remark_count);
			plan.settings.remarks = s.remarks;
			differences += check(path, &s, joined.readers[i], &plan);
		}
		differences += count_unmet(path, &plan);
	}
	free(plan.list);
	joined_close(&joined);
	return differences;
}

static char *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t got;

	if (!file) {
		perror(path);
		exit(2);
	}
	got = getdelim(&text, &room, '\0', file);
	fclose(file);
	*bytes = got > 0 ? (size_t)got : 0;
	return text;
}

static unsigned run_file(const char *path)
{
	size_t bytes;
	char *text = read_file(path, &bytes);
	unsigned differences =
		joined_is(path) ? check_joined(path, text, bytes) : check_text(path, text, bytes);

	free(text);
	return differences;
}

static int is_trace(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return joined_is(entry->d_name) ||
	       (length > strlen(SUFFIX) &&
		!strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX));
}

/* A folder of one rule is called by its number and its title: 101-host-read-before-sync. */
static bool is_named_well(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *title;
	unsigned long number = strtoul(name, &title, 10);
	const struct sc_rule_row *rule = sc_rule_find((unsigned)number);

	return !number || (rule && *title == '-' && !strcmp(title + 1, rule->slug));
}

static unsigned run_directory(const char *path, unsigned *files)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_trace, alphasort);
	unsigned failed = !is_named_well(path);

	if (failed)
		printf("%s: is not named by its rule's number and title\n", path);
	for (int i = 0; i < count; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		failed += run_file(file) > 0;
		++*files;
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned failed = 0, files = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (!stat(argv[i], &st) && S_ISDIR(st.st_mode)) {
			failed += run_directory(argv[i], &files);
		} else {
			failed += run_file(argv[i]) > 0;
			files++;
		}
	}
	printf("%u traces, %u failed\n", files, failed);
	return failed || !files;
}
