/* Words for a whole run. */
#include "reports/words/words_run.h"

#include <signal.h>
#include <string.h>
#include "reports/facts.h"
#include "reports/sources/site.h"
#include "reports/utf8.h"

static const struct {
	int number;
	const char *name;
} signals[] = {
#define SC_SIGNAL(name) {SIG##name, "SIG" #name},
#include "reports/signal.def"
#undef SC_SIGNAL
};

void sc_words_signal(struct sc_buf *out, unsigned signal)
{
	sc_buf_printf(out, "signal %u", signal);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if ((unsigned)signals[i].number == signal)
			sc_buf_printf(out, " (%s)", signals[i].name);
}

/* The frame of a side whose line is not known; *has_line if it is. */
static const struct sc_frame *bare_frame(const struct sc_report *r, uint64_t op, bool *has_line)
{
	const struct sc_frame *frame = sc_facts_frame(r, op);

	*has_line |= frame && frame->line;
	return frame && !frame->line && *frame->module ? frame : NULL;
}

/* Why the lines of a file are not known, and what to do. */
static void add_lack(struct sc_buf *out, const struct sc_frame *frame, const char *name)
{
	if (!frame->instead) {
		sc_utf8_add_clean(out, name);
		sc_buf_add(out, frame->is_named ? " was built without -g"
						: " is stripped, or is not here as it ran");
		sc_buf_add(out, "; build it with -g (nvcc: -g -lineinfo)");
		return;
	}
	sc_buf_add(out, "another build of ");
	sc_utf8_add_clean(out, name);
	if (*frame->instead)
		sc_buf_printf(out, " (build id %s)", frame->instead);
	else
		sc_buf_add(out, " (without a build id)");
	sc_buf_add(out, " is where the recorded one was; put that one back, or run the new one");
}

bool sc_words_without_lines(struct sc_buf *out, const struct sc_words *w)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(w->report->analysis, &count);
	const struct sc_frame *bare = NULL;
	bool has_line = 0;
	const char *slash;

	for (; count && !has_line; count--, f++)
		for (unsigned i = 0; i < f->sides && i < 2; i++) {
			const struct sc_frame *frame =
				bare_frame(w->report, f->side[i].op, &has_line);

			bare = bare ? bare : frame;
		}
	if (!bare || has_line)
		return 0;
	slash = strrchr(bare->module, '/');
	add_lack(out, bare, slash ? slash + 1 : bare->module);
	sc_buf_add(out, ", so that findings have source lines");
	return 1;
}

bool sc_words_config(struct sc_buf *out, const struct sc_words *w)
{
	const struct sc_frame place = {.file = w->report->config};

	if (!place.file)
		return 0;
	sc_buf_add(out, "from ");
	sc_utf8_add_clean(out, sc_site_path(&place, w->directory));
	for (size_t i = 0; i < w->report->config_option_count; i++)
		sc_buf_printf(out, "%s%s", i ? ", " : ": ", w->report->config_options[i]);
	return 1;
}
