/* Test name: from ranges, and from GoogleTest's functions. */
#include "reports/sources/test_name.h"

#include <string.h>
#include "reports/sources/site.h"
#include "reports/utf8.h"

#define BETWEEN	     " > " /* the ranges around an op */
#define PREFIX	     "test: "
#define PYTEST_MARK  ".py::"
#define BODY	     "::TestBody("
#define CLASS_END    "_Test"
#define NAME_COLUMNS 200

static void add(struct sc_buf *out, const char *text, size_t bytes)
{
	struct sc_buf plain = {0};

	sc_buf_add_bytes(&plain, text, bytes);
	sc_utf8_add_cut(out, sc_buf_text(&plain), NAME_COLUMNS);
	sc_buf_fini(&plain);
}

/* The range's text is a test's name. */
static bool add_range(struct sc_buf *out, const char *text, size_t bytes)
{
	size_t prefix = strlen(PREFIX);

	if (bytes > prefix && !memcmp(text, PREFIX, prefix)) {
		add(out, text + prefix, bytes - prefix);
		return 1;
	}
	if (!memmem(text, bytes, PYTEST_MARK, strlen(PYTEST_MARK)))
		return 0;
	add(out, text, bytes);
	return 1;
}

/* The outermost of the ranges that is a test. */
static bool add_section(struct sc_buf *out, const char *section)
{
	while (section) {
		const char *end = strstr(section, BETWEEN);

		if (add_range(out, section, end ? (size_t)(end - section) : strlen(section)))
			return 1;
		section = end ? end + strlen(BETWEEN) : NULL;
	}
	return 0;
}

/* Where the class begins that ends there: after the last "::" that is not inside of <…> or (…). */
static const char *class_before(const char *name, const char *end)
{
	unsigned depth = 0;
	const char *at;

	for (at = end; at > name; at--) {
		char c = at[-1];

		if (c == '>' || c == ')')
			depth++;
		else if ((c == '<' || c == '(') && depth)
			depth--;
		else if (!depth && (c == ':' || c == ' '))
			break;
	}
	return at;
}

/* `Copy_One_Test` is "Copy.One": GoogleTest wants no other underscore in names of suites. */
static bool add_body(struct sc_buf *out, const char *function)
{
	const char *end = strstr(function, BODY), *class, *tail, *part;
	struct sc_buf name = {0};

	if (!end)
		return 0;
	class = class_before(function, end);
	tail = memchr(class, '<', (size_t)(end - class));
	tail = tail ? tail : end;
	if (tail - class <= (ptrdiff_t)strlen(CLASS_END) ||
	    memcmp(tail - strlen(CLASS_END), CLASS_END, strlen(CLASS_END)) != 0)
		return 0;
	tail -= strlen(CLASS_END);
	part = memchr(class, '_', (size_t)(tail - class));
	if (!part)
		return 0;
	sc_buf_add_bytes(&name, class, (size_t)(part - class));
	sc_buf_add_char(&name, '.');
	sc_buf_add_bytes(&name, part + 1, (size_t)(tail - part - 1));
	add(out, name.text, name.bytes);
	sc_buf_fini(&name);
	return 1;
}

static bool add_stack(struct sc_buf *out, const struct sc_report *r, uint64_t op)
{
	const struct sc_record *record = sc_analysis_record(r->analysis, op);
	struct sc_report_site site;

	if (!record)
		return 0;
	sc_site_of(&site, r, &record->op);
	for (size_t i = site.user; i < site.count; i++)
		if (add_body(out, site.frames[i].function))
			return 1;
	return 0;
}

/* The later side first: a race with what an earlier test left in flight is found in the later. */
bool sc_test_name(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f)
{
	for (unsigned i = f->sides; i--;)
		if (add_section(out, sc_analysis_section(r->analysis, f->side[i].op)))
			return 1;
	for (unsigned i = f->sides; i--;)
		if (add_stack(out, r, f->side[i].op))
			return 1;
	return 0;
}

void sc_test_name_each(const struct sc_report *r, void (*take)(void *to, const char *name),
		       void *to)
{
	struct sc_record record;

	sc_reader_rewind(r->reader);
	while (sc_reader_next(r->reader, &record) > 0) {
		bool is_range =
			record.op.kind == SC_OP_RANGE_PUSH || record.op.kind == SC_OP_RANGE_START;
		struct sc_buf name = {0}, chain = {0};
		uint32_t bytes = 0;
		const char *text =
			is_range ? sc_record_attachment(&record, SC_ATTACH_TEXT, &bytes) : NULL;

		if (text) {
			sc_buf_add_bytes(&chain, text, bytes);
			if (add_section(&name, chain.text))
				take(to, name.text);
		}
		sc_buf_fini(&chain);
		sc_buf_fini(&name);
	}
}
