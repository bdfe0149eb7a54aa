// A program of many unit tests: its argument is the name of one, as in `unit.NAME`.
#include <stdio.h>
#include <string.h>

#define TEST(name) int main_of_##name(void);
#include SC_UNIT_ROWS
#undef TEST

static const struct test {
	const char *name;
	int (*run)(void);
} tests[] = {
#define TEST(name) {#name, main_of_##name},
#include SC_UNIT_ROWS
#undef TEST
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(tests) / sizeof(*tests); i++)
		if (!strcmp(argv[1], tests[i].name))
			return tests[i].run();
	fprintf(stderr, "usage: %s TEST, one of:\n", argv[0]);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		fprintf(stderr, "  %s\n", tests[i].name);
	return 2;
}
