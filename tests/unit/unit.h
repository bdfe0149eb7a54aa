/* A unit test is its function: TEST(what_holds) { … }. main() runs those of the file in the
 * order in which they stand. Brings cmocka.h and what has to be included before it.
 *
 *	EACH_TEST(set_up, tear_down)	before and after each TEST
 *	TEST_WITH(what_holds, set_up, tear_down)	one that has its own
 *	ALL_TESTS(set_up, tear_down)	once, before and after all
 *
 * A file that defines UNIT_OWN_MAIN first has its own main(), which returns unit_run().
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define UNIT_TESTS 64 /* of a file */

struct unit_fixture {
	CMFixtureFunction set_up, tear_down;
};

static struct {
	struct CMUnitTest test[UNIT_TESTS];
	unsigned line[UNIT_TESTS];
	unsigned count;
	struct unit_fixture each, all;
} unit_tests;

/* Constructors do not run in the order of the file. */
static inline void unit_add(struct CMUnitTest test, unsigned line)
{
	unsigned at = unit_tests.count++;

	assert_true(unit_tests.count <= UNIT_TESTS);
	for (; at && unit_tests.line[at - 1] > line; at--) {
		unit_tests.test[at] = unit_tests.test[at - 1];
		unit_tests.line[at] = unit_tests.line[at - 1];
	}
	unit_tests.test[at] = test;
	unit_tests.line[at] = line;
}

static inline int unit_run(void)
{
	for (unsigned i = 0; i < unit_tests.count; i++) {
		if (unit_tests.test[i].setup_func || unit_tests.test[i].teardown_func)
			continue;
		unit_tests.test[i].setup_func = unit_tests.each.set_up;
		unit_tests.test[i].teardown_func = unit_tests.each.tear_down;
	}
	return _cmocka_run_group_tests("tests", unit_tests.test, unit_tests.count,
				       unit_tests.all.set_up, unit_tests.all.tear_down);
}

#ifndef UNIT_OWN_MAIN
int main(void)
{
	return unit_run();
}
#endif

#define UNIT_ADD static __attribute__((constructor)) void

#define TEST_WITH(name, set_up, tear_down)                                                 \
	static void test_##name(void **state);                                             \
	UNIT_ADD add_##name(void)                                                          \
	{                                                                                  \
		unit_add((struct CMUnitTest){#name, test_##name, set_up, tear_down, NULL}, \
			 __LINE__);                                                        \
	}                                                                                  \
	static void test_##name(__attribute__((unused)) void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

#define EACH_TEST(set_up, tear_down)                                        \
	UNIT_ADD add_each_fixture(void)                                     \
	{                                                                   \
		unit_tests.each = (struct unit_fixture){set_up, tear_down}; \
	}
#define ALL_TESTS(set_up, tear_down)                                       \
	UNIT_ADD add_all_fixture(void)                                     \
	{                                                                  \
		unit_tests.all = (struct unit_fixture){set_up, tear_down}; \
	}
