/* Chosen finding: by its number, its rule or its fingerprint. */
#include "cmds/check/chosen_finding.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "base/message.h"
#include "reports/fingerprint.h"

static bool has_rule(const struct sc_finding *f, unsigned rule)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i] == rule)
			return 1;
	return f->rule == rule;
}

/* The first finding of a rule; says how many there are. */
static const struct sc_finding *find_rule(const struct sc_finding *all, size_t count, unsigned rule,
					  const char *command)
{
	const struct sc_finding *found = NULL;
	size_t same = 0;

	for (size_t i = 0; i < count; i++) {
		if (!has_rule(&all[i], rule))
			continue;
		found = found ? found : &all[i];
		same++;
	}
	if (same > 1)
		sc_warn("%s: finding %u is the first of %zu of SC-%u", command, found->number, same,
			rule);
	return found;
}

/* By the beginning of a fingerprint of at least 4 digits. */
static const struct sc_finding *find_print(const struct sc_loaded *l, const char *name)
{
	struct sc_fingerprints prints;
	const struct sc_finding *all, *found = NULL;
	char text[SC_FINGERPRINT_SIZE];
	size_t count;

	all = sc_analysis_findings(l->analysis, &count);
	sc_fingerprints_init(&prints, &l->report);
	for (size_t i = 0; i < count && i < prints.count && strlen(name) >= 4; i++) {
		sc_fingerprint_text(text, prints.items[i]);
		if (!found && !strncmp(text, name, strlen(name)))
			found = &all[i];
	}
	sc_fingerprints_fini(&prints);
	return found;
}

static const struct sc_finding *find_finding(const struct sc_loaded *l, const char *name,
					     const char *command)
{
	bool is_rule = !strncasecmp(name, "SC-", 3);
	unsigned long number;
	size_t count;
	char *end;
	const struct sc_finding *all = sc_analysis_findings(l->analysis, &count);

	number = strtoul(is_rule ? name + 3 : name, &end, 10);
	if (*end || number < 1 || number > UINT16_MAX)
		return find_print(l, name);
	if (is_rule)
		return find_rule(all, count, (unsigned)number, command);
	return number <= count ? &all[number - 1] : find_print(l, name);
}

const struct sc_finding *sc_chosen_find(const struct sc_loaded *l, const struct sc_chosen *chosen,
					const char *command, const char *path)
{
	const struct sc_finding *found = find_finding(l, chosen->finding, command);
	size_t count;

	if (found)
		return found;
	sc_analysis_findings(l->analysis, &count);
	if (!count)
		sc_die("%s: no finding %s: %s has none", command, chosen->finding, path);
	sc_die("%s: no finding %s in %s, which has %zu: streamcheck analyze %s lists them", command,
	       chosen->finding, path, count, path);
}

static bool is_file(const char *word)
{
	struct stat status;

	return !stat(word, &status) && S_ISREG(status.st_mode);
}

void sc_chosen_read(struct sc_chosen *out, const char *command, int count, char **words)
{
	bool is_turned = count == 2 && is_file(words[0]) && !is_file(words[1]);

	if (count != 1 && count != 2)
		sc_die("%s: expected a finding and perhaps a trace; usage: streamcheck %s "
		       "[options] FINDING [TRACE], where FINDING is its number in the report, its "
		       "rule (SC-106) or its fingerprint",
		       command, command);
	if (count == 1 && is_file(words[0]))
		sc_die("%s: %s is a file; name the finding before it: streamcheck %s 1 %s", command,
		       words[0], command, words[0]);
	out->finding = words[is_turned];
	out->trace = count == 2 ? words[!is_turned] : NULL;
}
