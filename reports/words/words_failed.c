/* Words for failed calls. */
#include "reports/words/words_failed.h"

#include <inttypes.h>
#include <string.h>
#include "reports/sources/site.h"
#include "reports/words/words_run.h"

#define THREADS_OF_BLOCK 1024 /* of all devices that there are */

static const struct {
	int32_t number;
	const char *driver, *runtime;
} answers[] = {
#define SC_RESULT(name, number, runtime) {number, #name, runtime},
#include "trace/result.def"
#undef SC_RESULT
};

void sc_words_failed_function(struct sc_buf *out, const struct sc_words *w,
			      const struct sc_failed_call *f)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, f->sequence);

	if (record)
		sc_words_call(out, w, record);
	else
		sc_buf_add(out, "a call");
}

/* A launch that the driver refuses as invalid may be another error in the runtime's words. */
static bool is_of_runtime(const struct sc_words *w, const struct sc_failed_call *f)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, f->sequence);
	struct sc_report_site site;

	if (!record || record->op.kind == SC_OP_KERNEL)
		return 0;
	sc_site_of(&site, w->report, &record->op);
	return site.api && !strncmp(site.api, "cuda", strlen("cuda"));
}

void sc_words_failed_error(struct sc_buf *out, const struct sc_words *w,
			   const struct sc_failed_call *f)
{
	if (f->result == SC_RESULT_PENDING) {
		sc_words_signal(out, f->signal);
		sc_buf_add(out, " ended the program in it");
		return;
	}
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		if (answers[i].number != f->result)
			continue;
		if (*answers[i].runtime && is_of_runtime(w, f))
			sc_buf_printf(out, "cudaError%s", answers[i].runtime);
		else
			sc_buf_printf(out, "CUDA_ERROR_%s", answers[i].driver);
		return;
	}
	sc_buf_printf(out, "error %" PRId32, f->result);
}

static void add_one(struct sc_buf *out, const struct sc_words *w, const struct sc_failed_call *f)
{
	sc_words_call_at(out, w, f->sequence);
	sc_buf_add(out, ": ");
	sc_words_failed_error(out, w, f);
}

/* Why a launch is refused, where its shape says it. */
static void add_shape(struct sc_buf *out, const struct sc_words *w, const struct sc_failed_call *f)
{
	const struct sc_record *record = sc_analysis_record(w->report->analysis, f->sequence);
	struct sc_launch launch;
	uint64_t threads;
	uint32_t bytes = 0;
	const void *data = record && f->result == SC_RESULT_INVALID_VALUE
				   ? sc_record_attachment(record, SC_ATTACH_LAUNCH, &bytes)
				   : NULL;

	if (!data || bytes < sizeof(launch))
		return;
	memcpy(&launch, data, sizeof(launch));
	threads = (uint64_t)launch.block[0] * launch.block[1] * launch.block[2];
	if (!launch.grid[0] || !launch.grid[1] || !launch.grid[2])
		sc_buf_add(out, "; its grid has no blocks");
	else if (!threads || threads > THREADS_OF_BLOCK)
		sc_buf_printf(out, "; %" PRIu64 " threads in a block, where 1 to %d are possible",
			      threads, THREADS_OF_BLOCK);
}

void sc_words_failed_call(struct sc_buf *out, const struct sc_words *w,
			  const struct sc_failed_call *f)
{
	add_one(out, w, f);
	if (f->count > 1)
		sc_buf_printf(out, ", %" PRIu64 " times", f->count);
	add_shape(out, w, f);
}

bool sc_words_first_failed(struct sc_buf *out, const struct sc_words *w)
{
	size_t count, findings;
	const struct sc_failed_call *f = sc_analysis_failed_calls(w->report->analysis, &count);

	if (!count)
		return 0;
	sc_buf_add(out, ", the first ");
	add_one(out, w, f);
	sc_analysis_findings(w->report->analysis, &findings);
	if (!findings && !sc_analysis_coverage(w->report->analysis)->work)
		sc_buf_add(out, ", so nothing was checked");
	return 1;
}
