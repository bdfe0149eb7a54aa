/* Where statements of a C file begin and end. */
#include "reports/sources/source_lines.h"

#include <string.h>
#include "tests/unit/unit.h"
#include "base/heap.h"

static void make(struct sc_source_lines *l, const char *text)
{
	*l = (struct sc_source_lines){0};
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		sc_vector_push(&l->lines, sc_heap_xcopy(text, bytes));
		text += bytes + (text[bytes] == '\n');
	}
}

/* Comments of both kinds stand after a statement's end. */
TEST(a_comment_ends_no_statement)
{
	struct sc_source_lines l;

	make(&l, "int a; /* one */\nfill(a, /* in */\n     2); /* two */ // three\nfill(a);\n");
	assert_int_equal(sc_source_lines_begin(&l, 3), 2);
	assert_int_equal(sc_source_lines_end(&l, 2), 3);
	assert_int_equal(sc_source_lines_begin(&l, 4), 4);
	sc_source_lines_fini(&l);
}
