/* Tests of reports/html/html_links.c: which values are links, and which could lead elsewhere. */
#include <string.h>
#include "tests/unit/unit.h"
#include "reports/html/html_links.h"

TEST(names_are_templates)
{
	assert_string_equal(sc_html_links_template(NULL), "");
	assert_string_equal(sc_html_links_template("none"), "");
	assert_string_equal(sc_html_links_template("file"), "file://{path}");
	assert_string_equal(sc_html_links_template("vscode"), "vscode://file{path}:{line}");
	assert_string_equal(sc_html_links_template("idea://open?file={path}"),
			    "idea://open?file={path}");
	assert_null(sc_html_links_fault("none"));
	assert_null(sc_html_links_fault("vscode"));
}

TEST(templates_of_known_schemes_are_taken)
{
	static const char *const good[] = {
		"idea://open?file={path}&line={line}",
		"https://example.org/o/r/blob/main/{relative}#L{line}",
		"http://localhost:8080{path}",
		"file://{path}",
		"vscode-insiders://file{path}:{line}",
		"subl://open?url=file://{path}&line={line}",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (sc_html_links_fault(good[i]))
			fail_msg("%s: %s", good[i], sc_html_links_fault(good[i]));
}

TEST(a_fault_says_what_is_expected)
{
	static const struct {
		const char *value, *fault;
	} bad[] = {
		{"", "expected none"},
		{"emacs", "expected none"},
		{"javascript:alert({path})", "expected none"},
		{"javascript://x/{path}", "scheme"},
		{"data://x/{path}", "scheme"},
		{"HTTPS://x/{path}", "scheme"},
		{"://x/{path}", "scheme"},
		{"xhttps://x/{path}", "scheme"},
		{"https://x/{path} y", "spaces"},
		{"https://x/\"{path}", "spaces"},
		{"https://x/<{path}", "spaces"},
		{"https://x/\n{path}", "spaces"},
		{"https://x/\xC3\xA9{path}", "spaces"},
		{"https://x/{file}", "braces"},
		{"https://x/{path", "braces"},
		{"https://x/}{path}", "braces"},
		{"https://{relative}", "host"},
		{"https://{path}", "host"},
		{"https://example.org{relative}", "host"},
		{"https://user@example.org/{path}", "host"},
		{"https://x{line}/{path}", "host"},
		{"vscode://{path}", "host"},
		{"file://{relative}", "host"},
		{"https://example.org", "host"},
		{"https://example.org/", "has {path}"},
		{"https://example.org/L{line}", "has {path}"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *fault = sc_html_links_fault(bad[i].value);

		if (!fault || !strstr(fault, bad[i].fault))
			fail_msg("%s: %s", bad[i].value, fault ? fault : "was taken");
	}
}
