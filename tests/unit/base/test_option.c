/* Options: defaults, every kind of value, escapes, and the round trip through print. */
#include "base/option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

static char message[512];

static int set(struct sc_options *o, const char *assignment)
{
	message[0] = 0;
	return sc_options_set(o, assignment, message, sizeof(message));
}

static int parse(struct sc_options *o, const char *text)
{
	message[0] = 0;
	return sc_options_parse(o, text, message, sizeof(message));
}

TEST(defaults)
{
	struct sc_options o;

	sc_options_init(&o);
	assert_string_equal(o.output, "");
	assert_int_equal(o.exitcode, 66);
	assert_int_equal(o.max_trace, UINT64_C(16) << 30);
	assert_int_equal(o.guard, SC_GUARD_FULL);
	assert_int_equal(o.profile, SC_PROFILE_REFERENCE);
	assert_int_equal(o.analyze, 1);
	assert_int_equal(o.report.count, 0);
}

TEST(every_kind_is_set)
{
	struct sc_options o;

	sc_options_init(&o);
	assert_int_equal(set(&o, "output=a=b.txt"), 0);
	assert_int_equal(set(&o, "stack-depth=128"), 0);
	assert_int_equal(set(&o, "max-trace=512m"), 0);
	assert_int_equal(set(&o, "color=never"), 0);
	assert_int_equal(set(&o, "report=json:x.json"), 0);
	assert_string_equal(o.output, "a=b.txt");
	assert_int_equal(o.stack_depth, 128);
	assert_int_equal(o.max_trace, UINT64_C(512) << 20);
	assert_int_equal(o.color, SC_COLOR_NEVER);
	assert_string_equal(o.report.text[0], "json:x.json");
}

TEST(bad_values_say_what_is_right)
{
	static const struct {
		const char *assignment, *said;
	} cases[] = {
		{"nonsense=1", "unknown option in \"nonsense=1\", see streamcheck run --help"},
		{"forma=text", "unknown option in \"forma=text\", did you mean format?"},
		{"format", "option \"format\" has no value, write name=value"},
		{"color=red", "option color: \"red\" is not one of auto|always|never"},
		{"guard=off|full",
		 "option guard: \"off|full\" is not one of off|full|sparse|always"},
		{"guard=", "option guard: \"\" is not one of off|full|sparse|always"},
		{"exitcode=256", "option exitcode: \"256\" is not a number from 0 to 255"},
		{"exitcode=-1", "option exitcode: \"-1\" is not a number from 0 to 255"},
		{"exitcode=6k", "option exitcode: \"6k\" is not a number from 0 to 255"},
		{"max-trace=1x", "option max-trace: \"1x\" is not a size like 512m or 16g"},
		{"max-trace=17179869184g",
		 "option max-trace: \"17179869184g\" is not a size like 512m or 16g"},
		{"max-trace=18446744073709551616",
		 "option max-trace: \"18446744073709551616\" is not a size like 512m or 16g"},
		{"report=json", "option report: \"json\" is not FORMAT:FILE"},
	};
	struct sc_options o, untouched;

	sc_options_init(&o);
	untouched = o;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(set(&o, cases[i].assignment), -EINVAL);
		assert_string_equal(message, cases[i].said);
		assert_memory_equal(&o, &untouched, sizeof(o));
	}
}

/* An unset variable in a script of CI: --fail-on=$LEVEL. */
TEST(no_text_is_empty)
{
	static const char *const names[] = {
#define SC_OPTION_TEXT(member, name, ...)   name,
#define SC_OPTION_NUMBER(member, name, ...) name,
#define SC_OPTION_SIZE(member, name, ...)   name,
#define SC_OPTION_CHOICE(member, name, ...) name,
#define SC_OPTION_LIST(member, name, ...)   name,
#include "base/option.def"
#undef SC_OPTION_TEXT
#undef SC_OPTION_NUMBER
#undef SC_OPTION_SIZE
#undef SC_OPTION_CHOICE
#undef SC_OPTION_LIST
	};
	struct sc_options o, untouched;

	sc_options_init(&o);
	untouched = o;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char assignment[64] = "";

		strcat(strcat(assignment, names[i]), "=");
		assert_int_equal(set(&o, assignment), -EINVAL);
		assert_non_null(strstr(message, names[i]));
	}
	assert_memory_equal(&o, &untouched, sizeof(o));
	set(&o, "fail-on=");
	assert_string_equal(message,
			    "option fail-on: the value is empty; it takes LEVEL|RULE,...: what "
			    "fails: none, error, warning, likely, possible, advice, or rules like "
			    "SC-301");
}

TEST(too_long_and_too_many)
{
	char text[SC_OPTION_TEXT_BYTES + 16] = "output=";
	struct sc_options o;

	sc_options_init(&o);
	memset(text + 7, 'x', SC_OPTION_TEXT_BYTES);
	assert_int_equal(set(&o, text), -EINVAL);
	text[7 + SC_OPTION_TEXT_BYTES - 1] = 0;
	assert_int_equal(set(&o, text), 0);
	for (unsigned i = 0; i < SC_OPTION_LIST_MAX; i++)
		assert_int_equal(set(&o, "report=text:f"), 0);
	assert_int_equal(set(&o, "report=text:f"), -EINVAL);
	assert_string_equal(message, "option report: given too often");
}

/* No option is near a name that is longer than all. */
TEST(long_name)
{
	struct sc_options o;
	char text[123];

	sc_options_init(&o);
	memset(text, 'g', sizeof(text));
	memcpy(text + sizeof(text) - 3, "=1", 3);
	assert_int_equal(set(&o, text), -EINVAL);
	assert_null(strstr(message, "did you mean"));
	assert_non_null(strstr(message, "see streamcheck run --help"));
}

TEST(parse_goes_on_after_an_error)
{
	struct sc_options o;

	sc_options_init(&o);
	assert_int_equal(parse(&o, ":guard=off:bad=1::exitcode=7:"), -EINVAL);
	assert_string_equal(message, "unknown option in \"bad=1\", see streamcheck run --help");
	assert_int_equal(o.guard, SC_GUARD_OFF);
	assert_int_equal(o.exitcode, 7);
}

TEST(parse_escapes)
{
	struct sc_options o;

	sc_options_init(&o);
	assert_int_equal(
		parse(&o, "output=a\\:b\\\\c\\d:report=json:x\\:y:report=text:z:guard=off"), 0);
	assert_string_equal(o.output, "a:b\\c\\d");
	assert_int_equal(o.report.count, 2);
	assert_string_equal(o.report.text[0], "json:x:y");
	assert_string_equal(o.report.text[1], "text:z");
	assert_int_equal(o.guard, SC_GUARD_OFF);
}

TEST(print_parses_back)
{
	struct sc_options o, back;
	char text[4096];

	sc_options_init(&o);
	sc_options_init(&back);
	assert_int_equal(set(&o, "output=C:\\dir\\x:"), 0);
	assert_int_equal(set(&o, "report=json:a:b\\"), 0);
	assert_int_equal(set(&o, "report=html:\\:"), 0);
	assert_int_equal(set(&o, "max-trace=123456789"), 0);
	assert_int_equal(set(&o, "profile=strict"), 0);
	assert_int_equal(sc_options_print(&o, text, sizeof(text)), 0);
	assert_int_equal(parse(&back, text), 0);
	assert_memory_equal(&o, &back, sizeof(o));
}

TEST(print_of_defaults_is_empty)
{
	struct sc_options o;
	char text[8];

	sc_options_init(&o);
	assert_int_equal(sc_options_print(&o, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(set(&o, "guard=off"), 0);
	assert_int_equal(sc_options_print(&o, text, sizeof(text)), -ENOSPC);
	assert_int_equal(sc_options_print(&o, text, 0), -ENOSPC);
}

TEST(what_a_trace_names)
{
	struct sc_options o;
	char text[64];

	sc_options_init(&o);
	assert_int_equal(sc_options_print_recorded(&o, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(set(&o, "output=a.txt"), 0);
	assert_int_equal(set(&o, "window=after:1s"), 0);
	assert_int_equal(set(&o, "hosts=strict"), 0);
	assert_int_equal(sc_options_print_recorded(&o, text, sizeof(text)), 0);
	assert_string_equal(text, "window=after\\:1s:hosts=strict");
	assert_int_equal(sc_options_print_recorded(&o, text, 8), -ENOSPC);
}

TEST(one_option)
{
	struct sc_options o;
	char text[32];
	int window = sc_options_find("window", 6), guard = sc_options_find("guard", 5);

	sc_options_init(&o);
	assert_int_equal(sc_options_print_one(&o, guard, text, sizeof(text)), 0);
	assert_string_equal(text, "guard=full");
	assert_int_equal(o.is_given[guard], 0);
	assert_int_equal(set(&o, "guard=full"), 0);
	assert_int_equal(set(&o, "window=after:1s"), 0);
	assert_int_equal(o.is_given[guard] && o.is_given[window], 1);
	assert_int_equal(sc_options_print_one(&o, window, text, sizeof(text)), 0);
	assert_string_equal(text, "window=after:1s");
	assert_int_equal(
		sc_options_print_one(&o, sc_options_find("stack-depth", 11), text, sizeof(text)),
		0);
	assert_string_equal(text, "stack-depth=32");
	assert_int_equal(sc_options_print_one(&o, guard, text, 7), -ENOSPC);
}

TEST(expand)
{
	char text[16];

	assert_int_equal(sc_options_expand("t.%p.%%%x%", 4711, text, sizeof(text)), 0);
	assert_string_equal(text, "t.4711.%%x%");
	assert_int_equal(sc_options_expand("%p%p%p%p", 47110, text, sizeof(text)), -ENAMETOOLONG);
}

TEST(names_of_other_processes)
{
	char text[32];

	assert_int_equal(sc_options_number("a.b/report.json", 4711, text, sizeof(text)), 0);
	assert_string_equal(text, "a.b/report.4711.json");
	assert_int_equal(sc_options_number("a.b/report", 4711, text, sizeof(text)), 0);
	assert_string_equal(text, "a.b/report.4711");
	assert_int_equal(sc_options_number(".hidden", 4711, text, sizeof(text)), 0);
	assert_string_equal(text, ".hidden.4711");
	assert_int_equal(sc_options_number("report.json", 4711, text, 16), -ENAMETOOLONG);
	assert_int_equal(sc_options_number("report.json", 4711, text, 0), -ENAMETOOLONG);
}

TEST(expand_rank_and_variables)
{
	char text[32];

	unsetenv("OMPI_COMM_WORLD_RANK");
	setenv("SLURM_PROCID", "12", 1);
	setenv("SC_TEST_VARIABLE", "a%pb", 1);
	assert_int_equal(sc_options_expand("r%r.%q{SC_TEST_VARIABLE}.%q{", 1, text, sizeof(text)),
			 0);
	assert_string_equal(text, "r12.a%pb.%q{");
	setenv("OMPI_COMM_WORLD_RANK", "3", 1);
	assert_int_equal(sc_options_rank(), 3);
	setenv("OMPI_COMM_WORLD_RANK", "-3", 1);
	assert_int_equal(sc_options_rank(), 12);
	assert_int_equal(sc_options_expand_for("%r%q{SC_NOT_SET}", 1, 7, text, sizeof(text)), 0);
	assert_string_equal(text, "7");
	assert_int_equal(sc_options_expand("%q{SC_TEST_VARIABLE}", 1, text, 4), -ENAMETOOLONG);
	unsetenv("OMPI_COMM_WORLD_RANK");
	unsetenv("SLURM_PROCID");
	assert_int_equal(sc_options_rank(), -1);
}

/* torchrun on each node of a job: the rank of the node is not that of its workers. */
TEST(rank_of_a_worker_is_not_its_nodes)
{
	setenv("SLURM_PROCID", "1", 1);
	setenv("PMI_RANK", "1", 1);
	setenv("RANK", "9", 1);
	assert_int_equal(sc_options_rank(), 1);
	setenv("TORCHELASTIC_RUN_ID", "none", 1);
	assert_int_equal(sc_options_rank(), 9);
	unsetenv("TORCHELASTIC_RUN_ID");
	unsetenv("PMI_RANK");
	unsetenv("SLURM_PROCID");
	assert_int_equal(sc_options_rank(), 9);
	unsetenv("RANK");
	setenv("FLUX_TASK_RANK", "4", 1);
	assert_int_equal(sc_options_rank(), 4);
	unsetenv("FLUX_TASK_RANK");
}

TEST(lists_of_files_need_no_colon)
{
	struct sc_options o;
	char text[128];

	sc_options_init(&o);
	assert_int_equal(parse(&o, "suppressions=a\\:b:suppressions=c:budget=x=1,y=2"), 0);
	assert_int_equal(o.suppressions.count, 2);
	assert_string_equal(o.suppressions.text[0], "a:b");
	assert_string_equal(o.suppressions.text[1], "c");
	assert_string_equal(o.budget, "x=1,y=2");
	assert_int_equal(sc_options_print(&o, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "suppressions=a\\:b:suppressions=c"));
}

static void count_line(void *context, const char *text)
{
	unsigned *found = context;

	if (strstr(text, "--exitcode=N ") && strstr(text, "(default 66)"))
		*found |= 1;
	if (strstr(text, "--color=auto|always|never ") && strstr(text, "(default auto)"))
		*found |= 2;
	if (strstr(text, "--max-trace=BYTES ") && strstr(text, "(default 16g)"))
		*found |= 4;
	if (strstr(text, "--report=FORMAT:FILE ") && !strstr(text, "default"))
		*found |= 8;
}

TEST(help)
{
	unsigned found = 0;

	sc_options_help(count_line, &found);
	assert_int_equal(found, 15);
}
