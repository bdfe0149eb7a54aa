/* Links of the HTML report: names and templates, and which templates are safe. */
#include "reports/html/html_links.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *template;
} links[] = {
#define SC_LINK(name, template) {name, template},
#include "reports/html/html_links.def"
#undef SC_LINK
};

static const char *const schemes[] = {
#define SC_SCHEME(name) name,
#include "reports/html/html_links.def"
#undef SC_SCHEME
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define LETTERS	     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS	     "0123456789"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const char *template_of(const char *value)
{
	for (size_t i = 0; i < COUNT(links); i++)
		if (!strcmp(links[i].name, value))
			return links[i].template;
	return NULL;
}

static bool is_scheme(const char *text, size_t bytes)
{
	for (size_t i = 0; i < COUNT(schemes); i++)
		if (strlen(schemes[i]) == bytes && !memcmp(schemes[i], text, bytes))
			return 1;
	return 0;
}

/* Characters of URLs, and braces around the three words only. */
static bool is_clean(const char *text)
{
	static const char *const words[] = {"{path}", "{relative}", "{line}"};

	while (*text) {
		size_t plain = strspn(text, LETTERS DIGITS "-._~:/?#[]@!$&()*+,;=%"), i;

		text += plain;
		if (!*text)
			return 1;
		for (i = 0; i < COUNT(words) && !begins(text, words[i]); i++)
			;
		if (i == COUNT(words))
			return 0;
		text += strlen(words[i]);
	}
	return 1;
}

/* The host is written out, and ends before anything that the program names. Absolute paths begin
 * with a slash, so {path} may follow it. */
static bool has_own_host(const char *scheme, const char *host)
{
	size_t bytes = strspn(host, LETTERS DIGITS "-.:");
	const char *end = host + bytes;

	if (!bytes && !begins(scheme, "file:"))
		return 0;
	return *end == '/' || *end == '?' || *end == '#' || begins(end, "{path}");
}

const char *sc_html_links_fault(const char *value)
{
	const char *slashes = strstr(value, "://");

	if (template_of(value))
		return NULL;
	if (!slashes)
		return "expected none, file, vscode, or a URL such as "
		       "https://example.org/{relative}#L{line}";
	if (!is_scheme(value, (size_t)(slashes - value)))
		return "links of this scheme are not written (docs/user/reports.md lists those "
		       "that are)";
	if (!is_clean(value))
		return "a URL has no spaces and quotes, and braces only in {path}, {relative} and "
		       "{line}";
	if (!has_own_host(value, slashes + 3))
		return "what follows :// is a host of the URL's own, then /, ?, # or {path}";
	if (!strstr(value, "{path}") && !strstr(value, "{relative}"))
		return "a URL has {path} or {relative}";
	return NULL;
}

const char *sc_html_links_template(const char *value)
{
	const char *template = value ? template_of(value) : "";

	return template ? template : value;
}
