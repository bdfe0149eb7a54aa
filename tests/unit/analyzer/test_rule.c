/* The rule table: every row can be found, is complete and stands once. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/finding/rule.h"

TEST(rows)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);

	assert_in_range(count, 20, 200);
	for (unsigned i = 0; i < count; i++) {
		assert_ptr_equal(sc_rule_find(rows[i].rule), &rows[i]);
		assert_true(strlen(rows[i].slug) && strlen(rows[i].summary));
		assert_true(strlen(rows[i].why) && strlen(rows[i].fix));
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(rows[i].slug, rows[j].slug);
	}
	assert_null(sc_rule_find(100));
	assert_string_equal(sc_severity_text(SC_ERROR), "error");
}
