/* Diffs of sources: where statements begin and end, and changes as a unified diff. */
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
#include "extensions/repair/patcher/diff.h"

static const char text[] = "int main()\n"		/* 1 */
			   "{\n"			/* 2 */
			   "	first(in);\n"		/* 3 */
			   "#ifdef OTHER\n"		/* 4 */
			   "	other();\n"		/* 5 */
			   "#endif\n"			/* 6 */
			   "	second(out,\n"		/* 7 */
			   "	       more); // why\n" /* 8 */
			   "	if (first)\n"		/* 9 */
			   "		third(out);\n"	/* 10 */
			   "	else\n"			/* 11 */
			   "		fourth(out);\n" /* 12 */
			   "	for (;;) {\n"		/* 13 */
			   "		fifth(in);\n"	/* 14 */
			   "	}\n"			/* 15 */
			   "	a(); b();\n"		/* 16 */
			   "}\n";			/* 17 */

static char path[64];
static struct sc_sources sources = {.is_own = 1};

static int make_file(void **state)
{
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/streamcheck-diff-%d.c", (int)getpid());
	file = fopen(path, "w");
	fputs(text, file);
	return fclose(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void knows_whole_statements(void **state)
{
	struct sc_source_lines l;

	(void)state;
	assert_true(sc_source_lines_read(&l, &sources, path));
	assert_int_equal(l.lines.count, 17);
	assert_int_equal(sc_source_lines_begin(&l, 3), 3);
	assert_int_equal(sc_source_lines_begin(&l, 8), 7);
	assert_int_equal(sc_source_lines_end(&l, 7), 8);
	assert_int_equal(sc_source_lines_begin(&l, 10), 9);
	assert_false(sc_source_lines_is_plain(&l, 9));
	assert_true(sc_source_lines_is_plain(&l, 7));
	assert_int_equal(sc_source_lines_begin(&l, 12), 0);
	assert_int_equal(sc_source_lines_end(&l, 16), 0);
	sc_source_lines_fini(&l);
}

static void knows_blocks(void **state)
{
	struct sc_source_lines l;

	(void)state;
	assert_true(sc_source_lines_read(&l, &sources, path));
	assert_true(sc_source_lines_are_beside(&l, 4, 7));
	assert_false(sc_source_lines_are_beside(&l, 4, 5));
	assert_false(sc_source_lines_are_beside(&l, 9, 14));
	assert_false(sc_source_lines_are_beside(&l, 15, 16));
	sc_source_lines_fini(&l);
}

static const char hunks[] = "@@ -1,9 +1,11 @@\n"
			    " int main()\n"
			    " {\n"
			    " 	first(in);\n"
			    "+	record(in);\n"
			    " #ifdef OTHER\n"
			    " 	other();\n"
			    " #endif\n"
			    "+	wait(out);\n"
			    " 	second(out,\n"
			    " 	       more); // why\n"
			    " 	if (first)\n"
			    "@@ -11,7 +13,7 @@\n"
			    " 	else\n"
			    " 		fourth(out);\n"
			    " 	for (;;) {\n"
			    "-		fifth(in);\n"
			    "+		sixth(in);\n"
			    " 	}\n"
			    " 	a(); b();\n"
			    " }\n";

static void writes_a_diff(void **state)
{
	struct sc_diff d = {.sources = &sources};
	struct sc_diff_file *f = sc_diff_open(&d, path);
	struct sc_buf out = {0};
	char head[256];

	(void)state;
	assert_non_null(f);
	sc_diff_insert(f, 7, 7, "wait(out);");
	sc_diff_insert(f, 4, 3, "record(in);");
	sc_diff_remove(f, 14, 14);
	sc_diff_insert(f, 14, 14, "sixth(in);");
	sc_diff_write(&out, &d, "/tmp");
	snprintf(head, sizeof(head), "--- a/%s\n+++ b/%s\n", path + 5, path + 5);
	assert_int_equal(strncmp(out.text, head, strlen(head)), 0);
	assert_string_equal(out.text + strlen(head), hunks);
	sc_buf_fini(&out);
	sc_diff_fini(&d);
}

static void expect_stream(const char *statement, const char *stream)
{
	struct sc_buf out = {0};

	assert_int_equal(sc_call_text_stream(&out, statement), stream != NULL);
	assert_string_equal(sc_buf_text(&out), stream ? stream : "");
	sc_buf_fini(&out);
}

static void finds_streams_in_calls(void **state)
{
	struct sc_buf event = {0};

	(void)state;
	expect_stream("k<<<n, 32, 0, s[i]>>>(a, b);", "s[i]");
	expect_stream("k<<<f(n, 2), 32>>>(a, b);", "0");
	expect_stream("CHECK(cudaMemcpyAsync(d, h, f(1, 2), kind, p->in));", "p->in");
	expect_stream("cudaMemcpyAsync(d, h, n, kind);", "0");
	expect_stream("cudaLaunchHostFunc(s, f, NULL);", "s");
	expect_stream("my_cudaFreeAsync(d, s);", NULL);
	expect_stream("launch(d, s);", NULL);
	assert_false(
		sc_call_text_argument(&event, "f(s);", "", "s", 0)); /* no name ends the search */
	assert_true(sc_call_text_event(&event, "CHECK(cudaEventRecord(done[1], s));"));
	assert_string_equal(event.text, "done[1]");
	sc_buf_fini(&event);
}

static void expect_argument(const char *head, const char *function, const char *parameter,
			    bool is_python, const char *statement, const char *argument)
{
	struct sc_buf out = {0};
	unsigned index;
	bool is_found = sc_call_text_parameter(head, function, parameter, is_python, &index) &&
			sc_call_text_argument(&out, statement, function, parameter, index);

	assert_int_equal(is_found, argument != NULL);
	assert_string_equal(sc_buf_text(&out), argument ? argument : "");
	sc_buf_fini(&out);
}

static void follows_a_stream_from_parameter_to_argument(void **state)
{
	static const char head[] = "static void f(float *p, const cudaStream_t s = 0) {";
	static const char python[] = "def f(self, a, s: Stream = None, *, t=1):";

	(void)state;
	expect_argument(head, "f", "s", 0, "CHECK(f(g(1, 2), in->stream));", "in->stream");
	expect_argument(head, "f", "s", 0, "f(p);", NULL);
	expect_argument(head, "f", "p", 0, "f(p, s);", NULL);
	expect_argument(head, "f", "s", 0, "f(f(a, b), c);", NULL);
	expect_argument("void f(cudaStream_t *s)", "f", "s", 0, "f(s);", NULL);
	expect_argument("f(p, s);", "f", "s", 0, "f(p, s);", NULL);
	expect_argument(python, "f", "s", 1, "x.f(1, side)", "side");
	expect_argument(python, "f", "s", 1, "x.f(s=side, a=1)", "side");
	expect_argument(python, "f", "s", 1, "x.f(t=side, a=1)", NULL);
	expect_argument(python, "f", "s", 1, "x.f(*all, side)", NULL);
}

static const char included[] = "#include <a.h>\n"   /* 1 */
			       "#ifdef B\n"	    /* 2 */
			       "#include <b.h>\n"   /* 3 */
			       "#endif\n"	    /* 4 */
			       "enum {\n"	    /* 5 */
			       "#include <c.def>\n" /* 6 */
			       "};\n"		    /* 7 */
			       "#include <d.h>\n";  /* 8 */

static void finds_the_last_include_of_the_file_itself(void **state)
{
	struct sc_source_lines l = {0};
	char *copy = strdup(included), *rest = copy;

	(void)state;
	for (char *line; (line = strsep(&rest, "\n"));)
		sc_vector_push(&l.lines, strdup(line));
	assert_int_equal(sc_source_lines_last_include(&l, 1), 0);
	assert_int_equal(sc_source_lines_last_include(&l, 8), 1);
	assert_int_equal(sc_source_lines_last_include(&l, 9), 8);
	sc_source_lines_fini(&l);
	free(copy);
}

static void finds_nodes_of_graphs(void **state)
{
	struct sc_buf node = {0}, graph = {0};

	(void)state;
	assert_false(sc_call_text_node(&node, &graph, "CHECK(cudaGraphAddNode(n, g, 0, 0, p));"));
	assert_false(sc_call_text_node(&node, &graph, "cudaGraphAddNode(&n[i], g, 0, 0, p);"));
	assert_false(sc_call_text_node(&node, &graph, "cudaGraphAddDependencies(&a, &b, 0, 1);"));
	assert_true(sc_call_text_node(&node, &graph,
				      "CHECK(cudaGraphAddMemcpyNode1D(&n[2], g, NULL, 0, d, s));"));
	assert_string_equal(node.text, "n[2]");
	assert_string_equal(graph.text, "g");
	sc_buf_fini(&node);
	sc_buf_fini(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_whole_statements),
		cmocka_unit_test(knows_blocks),
		cmocka_unit_test(writes_a_diff),
		cmocka_unit_test(finds_streams_in_calls),
		cmocka_unit_test(follows_a_stream_from_parameter_to_argument),
		cmocka_unit_test(finds_the_last_include_of_the_file_itself),
		cmocka_unit_test(finds_nodes_of_graphs),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
