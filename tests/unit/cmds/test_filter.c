/* Filters: which findings they hide, and which expressions are refused. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "cmds/judge/filter.h"
#include "tests/unit/reports/report_fake.h"

static char message[512];

/* Two kernels in a named and an unnamed stream, and a host read. */
static struct sc_finding *make_finding(struct fake *f, const char *process)
{
	char script[512];
	struct sc_finding *finding;

	snprintf(script, sizeof(script),
		 "%s\nfunction 1 0 text=\"_Z4scalPf\"\nfunction 2 0 text=\"_Z3addPfi\"\n"
		 "stream 3 nonblocking\nname 3 text=\"upload\"\nstream 14 nonblocking\n"
		 "alloc B 4096 pinned\nkernel 3 1\nkernel 14 2\nhost_read B 4\n",
		 process);
	fake_init(f, script);
	finding = fake_finding(f, 105, SC_ERROR);
	finding->side[0] = fake_side(f, 8, SC_SIDE_WRITE, 0, 4096);
	finding->side[1] = fake_side(f, 9, SC_SIDE_READ, 0, 4);
	finding->side[0].stream = 3;
	finding->side[1].stream = 14;
	return finding;
}

/* The option that hides the finding, "" if none does. */
static const char *hidden_by(const char *process, const char *assignment)
{
	struct sc_options options;
	struct sc_filters filter;
	struct sc_finding *finding;
	const char *hidden;
	struct fake f;

	sc_options_init(&options);
	assert_int_equal(sc_options_set(&options, assignment, message, sizeof(message)), 0);
	assert_int_equal(sc_filter_init(&filter, &options, message, sizeof(message)), 0);
	finding = make_finding(&f, process);
	hidden = sc_filter_hides(&filter, &f.report, finding);
	fake_fini(&f);
	sc_filter_fini(&filter);
	return hidden ? hidden : "";
}

TEST(each_filter_hides_what_it_names)
{
	static const char root[] = "process 7 text=\"/opt/bin/train --n 3\"",
			  child[] = "process 8 text=\"/opt/bin/load.x a\" peer=1";
	static const struct {
		const char *process, *assignment, *hidden;
	} cases[] = {
		{root, "kernel-name=^scal", ""},
		{root, "kernel-name=add\\(", ""},
		{root, "kernel-name=float", ""},
		{root, "kernel-name=^(add|mul)", ""},
		{root, "kernel-name=mul", "kernel-name"},
		{root, "exclude-kernel=scal", "exclude-kernel"},
		{root, "exclude-kernel=mul", ""},
		{root, "stream-name=^up", ""},
		{root, "stream-name=^14$", ""},
		{root, "stream-name=^1$", "stream-name"},
		{root, "stream-name=down", "stream-name"},
		{root, "processes=all", ""},
		{root, "processes=root", ""},
		{root, "processes=children:*", "processes"},
		{child, "processes=all", ""},
		{child, "processes=root", "processes"},
		{child, "processes=children:load.x", ""},
		{child, "processes=children:load*", ""},
		{child, "processes=children:train", "processes"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(hidden_by(cases[i].process, cases[i].assignment), cases[i].hidden) != 0)
			fail_msg("%s: hidden by \"%s\"", cases[i].assignment,
				 hidden_by(cases[i].process, cases[i].assignment));
}

TEST(bad_values_are_refused)
{
	static const struct {
		const char *assignment, *said;
	} bad[] = {
		{"kernel-name=(a", "kernel-name: \"(a\" is no extended regular expression"},
		{"exclude-kernel=[a", "exclude-kernel"},
		{"stream-name=*a(", "stream-name"},
		{"kernel-name=(a)\\1", "back-references"},
		{"kernel-name=((a{100}){100}){100}", "repetitions"},
		{"kernel-name=a{0,99999999999999999999}", "repetitions"},
		{"processes=children:", "is none of all, children:NAME, root"},
		{"processes=some", "is none of all, children:NAME, root"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sc_options options;
		struct sc_filters filter;

		sc_options_init(&options);
		assert_int_equal(
			sc_options_set(&options, bad[i].assignment, message, sizeof(message)), 0);
		assert_int_not_equal(sc_filter_init(&filter, &options, message, sizeof(message)),
				     0);
		if (!strstr(message, bad[i].said))
			fail_msg("\"%s\" is not in \"%s\"", bad[i].said, message);
	}
}
