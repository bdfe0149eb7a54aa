/* The table of report formats. */
#include "reports/report.h"

#include <string.h>
#include "base/assert.h"
#include "base/option.h"

static const struct sc_report_ops formats[] = {
#define SC_REPORT(id, name, add, finish, shows_summaries, help) \
	{name, help, add, finish, shows_summaries},
#include "reports/report.def"
#undef SC_REPORT
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(*formats))

_Static_assert(SC_OPTION_LIST_MAX >= FORMAT_COUNT,
	       "option `report` can be given once for each format (base/option.h)");

const struct sc_report_ops *sc_report_find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (strlen(formats[i].name) == bytes && !memcmp(formats[i].name, name, bytes))
			return &formats[i];
	return NULL;
}

size_t sc_report_count(void)
{
	return FORMAT_COUNT;
}

const struct sc_report_ops *sc_report_at(size_t index)
{
	sc_assert(index < FORMAT_COUNT);
	return &formats[index];
}

void sc_report_add(const struct sc_report_ops *format, struct sc_joint *j,
		   const struct sc_report *r, const struct sc_report_style *style)
{
	format->add(j, r, style);
	j->processes++;
}

void sc_report_print(const struct sc_report_ops *format, struct sc_buf *out,
		     const struct sc_report *r, const struct sc_report_style *style)
{
	struct sc_joint alone = {.expected = 1, .directory = style->directory};

	sc_report_add(format, &alone, r, style);
	format->finish(out, &alone);
	sc_joint_fini(&alone);
}

struct sc_hidden_counts sc_report_hidden(const struct sc_report *r)
{
	struct sc_hidden_counts counts = {0};

	for (size_t i = 0; i < r->hidden_count; i++) {
		counts.filtered += r->hidden[i].filter != NULL;
		counts.suppressed += r->hidden[i].reason != NULL;
	}
	counts.known = r->hidden_count - counts.filtered - counts.suppressed;
	return counts;
}
