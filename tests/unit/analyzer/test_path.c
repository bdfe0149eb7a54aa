/* Paths of source files, tidied. */
#include "analyzer/symbol/path.h"

#include <string.h>
#include "tests/unit/unit.h"

TEST(paths_read_as_people_write_them)
{
	static const struct {
		const char *path, *tidy;
	} cases[] = {
		{"/app/build/../src/a.cu", "/app/src/a.cu"},
		{"/w/build/release/t/../../../t/x.cu", "/w/t/x.cu"},
		{"/a/./b//c", "/a/b/c"},
		{"/../a", "/a"},
		{"/a/b/../../..", "/"},
		{"../x/../y", "../y"},
		{"a/../../b", "../b"},
		{"./string/../sys/m.S", "sys/m.S"},
		{"<built-in>", "<built-in>"},
		{"a..b/...", "a..b/..."},
		{"", ""},
	};
	char path[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(path, cases[i].path);
		sc_path_tidy(path);
		assert_string_equal(path, cases[i].tidy);
	}
}
