/* Source scope and frame: which stream a name stands for, and where a variable of a function ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "reports/words/call_text.h"
#include "extensions/repair/patcher/source_frame.h"
#include "reports/sources/source_scope.h"

static const char text[] = "static cudaStream_t all;\n"		     /* 1 */
			   "void fill(cudaStream_t in, int n);\n"    /* 2 */
			   "static void pass(cudaStream_t in)\n"     /* 3 */
			   "{\n"				     /* 4 */
			   "	launch(in);\n"			     /* 5 */
			   "}\n"				     /* 6 */
			   "int main(int argc, char **argv)\n"	     /* 7 */
			   "{\n"				     /* 8 */
			   "	cudaStream_t one = make(), two;\n"   /* 9 */
			   "	cudaStream_t streams[4];\n"	     /* 10 */
			   "	struct job *job = get(all);\n"	     /* 11 */
			   "	cudaStreamCreate(&two);\n"	     /* 12 */
			   "	first(one);\n"			     /* 13 */
			   "	if (argc) {\n"			     /* 14 */
			   "		cudaStream_t inner = two;\n" /* 15 */
			   "		second(two, inner);\n"	     /* 16 */
			   "	}\n"				     /* 17 */
			   "	one = two;\n"			     /* 18 */
			   "	third(one, job->in, streams[1]);\n"  /* 19 */
			   "	job->in = one;\n"		     /* 20 */
			   "	fourth(two == one, job->in);\n"	     /* 21 */
			   "	return one == two;\n"		     /* 22 */
			   "}\n"				     /* 23 */
			   "int use(cudaStream_t s, float *far)\n"   /* 24 */
			   "{\n"				     /* 25 */
			   "	static float kept[4];\n"	     /* 26 */
			   "	float near[4], value;\n"	     /* 27 */
			   "	copy(far, near, s);\n"		     /* 28 */
			   "	copy(far, kept, s);\n"		     /* 29 */
			   "	copy(&value, far, s);\n"	     /* 30 */
			   "	if (near[0]) {\n"		     /* 31 */
			   "		return 1;\n"		     /* 32 */
			   "	}\n"				     /* 33 */
			   "	for (;;) {\n"			     /* 34 */
			   "		float part[4];\n"	     /* 35 */
			   "		copy(part, far, s);\n"	     /* 36 */
			   "		more();\n"		     /* 37 */
			   "	}\n"				     /* 38 */
			   "	for (;;) {\n"			     /* 39 */
			   "		float part[4];\n"	     /* 40 */
			   "		copy(part, far, s);\n"	     /* 41 */
			   "		if (more())\n"		     /* 42 */
			   "			break;\n"	     /* 43 */
			   "	}\n"				     /* 44 */
			   "	return 0;\n"			     /* 45 */
			   "}\n"				     /* 46 */
			   "void end(cudaStream_t s, float *far)\n"  /* 47 */
			   "{\n"				     /* 48 */
			   "	float near[4];\n"		     /* 49 */
			   "	copy(far, near, s);\n"		     /* 50 */
			   "	if (far)\n"			     /* 51 */
			   "		return;\n"		     /* 52 */
			   "}\n";				     /* 53 */

static struct sc_source_lines lines;

static int read_text(void **state)
{
	struct sc_sources sources = {.is_own = 1};
	char path[64];
	FILE *file;
	bool is_read;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/streamcheck-scope-%d.c", (int)getpid());
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
	is_read = sc_source_lines_read(&lines, &sources, path);
	unlink(path);
	return !is_read;
}

static int free_text(void **state)
{
	(void)state;
	sc_source_lines_fini(&lines);
	return 0;
}

static void finds_declarations(void **state)
{
	(void)state;
	assert_int_equal(sc_source_scope_declaration(&lines, "in", 5), 3);
	assert_int_equal(sc_source_scope_declaration(&lines, "in", 13), 0);
	assert_int_equal(sc_source_scope_declaration(&lines, "all", 13), 1);
	assert_int_equal(sc_source_scope_declaration(&lines, "two", 16), 9);
	assert_int_equal(sc_source_scope_declaration(&lines, "inner", 16), 15);
	assert_int_equal(sc_source_scope_declaration(&lines, "inner", 19), 0);
	assert_int_equal(sc_source_scope_declaration(&lines, "job->in", 19), 11);
	assert_int_equal(sc_source_scope_declaration(&lines, "get", 19), 0);
	assert_int_equal(sc_source_scope_declaration(&lines, "far", 45), 24);
}

static void knows_whether_a_name_is_the_same(void **state)
{
	(void)state;
	assert_true(sc_source_scope_is_same(&lines, "two", 13, 21));
	assert_true(sc_source_scope_is_same(&lines, "two", 21, 16));
	assert_true(sc_source_scope_is_same(&lines, "all", 5, 21));
	assert_false(sc_source_scope_is_same(&lines, "one", 13, 19));
	assert_true(sc_source_scope_is_same(&lines, "one", 19, 21));
	assert_false(sc_source_scope_is_same(&lines, "two", 11, 13)); /* made there */
	assert_false(sc_source_scope_is_same(&lines, "inner", 16, 19));
	assert_false(sc_source_scope_is_same(&lines, "job->in", 19, 21));
	assert_true(sc_source_scope_is_same(&lines, "streams[1]", 13, 19));
	assert_false(sc_source_scope_is_same(&lines, "streams[i]", 13, 19));
	assert_false(sc_source_scope_is_same(&lines, "missing", 13, 19));
	assert_false(sc_source_scope_is_same(&lines, "0", 13, 19));
}

/* The lines that are found, one after the other, or "none". */
static const char *ends_of(unsigned line)
{
	static char out[64];
	struct sc_source_frame frame = {0};
	size_t bytes = 0;

	snprintf(out, sizeof(out), "none");
	if (sc_source_frame_find(&frame, &lines, line, "s"))
		for (size_t i = 0; i < frame.ends.count; i++)
			bytes += (size_t)snprintf(out + bytes, sizeof(out) - bytes, "%u ",
						  frame.ends.items[i]);
	sc_source_frame_fini(&frame);
	return out;
}

static void finds_where_a_variable_ends(void **state)
{
	(void)state;
	assert_string_equal(ends_of(28), "32 45 ");
	assert_string_equal(ends_of(30), "32 45 ");
	assert_string_equal(ends_of(29), "none"); /* it does not end */
	assert_string_equal(ends_of(36), "38 ");
	assert_string_equal(ends_of(41), "none"); /* the block is left elsewhere */
	assert_string_equal(ends_of(50), "none"); /* nothing stands before that return alone */
	assert_string_equal(ends_of(5), "none");
}

static void check_stream(const char *statement, const char *expected)
{
	struct sc_buf out = {0};
	bool is_set = sc_call_text_set_stream(&out, statement, "s");

	assert_string_equal(is_set ? sc_buf_text(&out) : "none", expected);
	sc_buf_fini(&out);
}

static void sets_the_stream_of_a_call(void **state)
{
	(void)state;
	check_stream("k<<<1, 2>>>(a, b); // c", "k<<<1, 2, 0, s>>>(a, b); // c");
	check_stream("k<<<1, f(2, 3), n>>>(a);", "k<<<1, f(2, 3), n, s>>>(a);");
	check_stream("k<<<1, 2, 0, x.y>>>(a);", "k<<<1, 2, 0, s>>>(a);");
	check_stream("C(cudaMemsetAsync(d, 0, n));", "C(cudaMemsetAsync(d, 0, n, s));");
	check_stream("C(cudaMemsetAsync(d, 0,\n\tn, x));", "C(cudaMemsetAsync(d, 0,\n\tn, s));");
	check_stream("cudaLaunchHostFunc(x, f, &x);", "cudaLaunchHostFunc(s, f, &x);");
	check_stream("cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, x, p, 0);",
		     "cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, s, p, 0);");
	check_stream("k<<<1, 2>>>(a), k<<<1, 2>>>(b);", "none");
	check_stream("cudaMemsetAsync(d, 0, n); k<<<1, 2>>>(a);", "none");
	check_stream("cudaMemcpyAsync(d, h);", "none");
	check_stream("cudaMemset(d, 0, n);", "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_declarations),
		cmocka_unit_test(knows_whether_a_name_is_the_same),
		cmocka_unit_test(finds_where_a_variable_ends),
		cmocka_unit_test(sets_the_stream_of_a_call),
	};

	return cmocka_run_group_tests(tests, read_text, free_text);
}
