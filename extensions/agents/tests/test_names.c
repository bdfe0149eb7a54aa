/* Names: every function that agents follow is found by its name, and passes by its first letters.
 */
#include "tests/unit/unit.h"
#include "extensions/agents/agent.h"

TEST(all_may_be)
{
	static const char *const names[] = {
#define FIRST(group)
#define FOREIGN(id, symbol) symbol,
#include "extensions/agents/agent.def"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_true(sc_agent_may_be(names[i]));
		assert_string_equal(sc_library_name(sc_library_row(names[i])), names[i]);
	}
}

TEST(others)
{
	static const char *const names[] = {
		"",	  "M",	"c",   "cu",   "cuda",		"cudaMalloc",
		"_",	  "_Z", "_ZN", "_ZNK", "_ZNSt3mapIiiE", "memcpy",
		"malloc", "uc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (sc_agent_may_be(names[i]))
			assert_int_equal(sc_library_row(names[i]), SC_LIBRARY_ROWS);
	assert_false(sc_agent_may_be("memcpy"));
}
