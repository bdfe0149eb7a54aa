/* Found: made with the first finding, appended to, put together after an early end. */
#include "cmds/found.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/message.h"
#include "cmds/folder.h"
#include "cmds/text_file.h"
#include "reports/output.h"

#define MOST ((size_t)1 << 30)

static bool name(char path[PATH_MAX], const char *trace)
{
	return snprintf(path, PATH_MAX, "%s" SC_FOUND_ENDING, trace) < PATH_MAX;
}

void sc_found_init(struct sc_found *f, const char *trace)
{
	*f = (struct sc_found){.lines = {.fd = -1}};
	if (!name(f->path, trace))
		*f->path = '\0';
}

void sc_found_fini(struct sc_found *f)
{
	sc_live_lines_fini(&f->lines);
}

void sc_found_add(struct sc_found *f, int process, const struct sc_report *r,
		  const struct sc_finding *finding, uint64_t fingerprint)
{
	if (!*f->path)
		return;
	if (f->lines.fd < 0)
		sc_live_lines_append(&f->lines, f->path);
	if (f->lines.fd < 0)
		*f->path = '\0'; /* it cannot be made, which was said */
	sc_live_lines_finding(&f->lines, process, r, finding, fingerprint);
}

static void take(struct sc_buf *all, const char *path)
{
	char *text;
	size_t bytes;

	if (sc_text_file_read_most(path, MOST, &text, &bytes))
		return;
	sc_buf_add_bytes(all, text, bytes);
	free(text);
}

void sc_found_keep(const struct sc_collect *c, int run)
{
	struct sc_buf all = {0};
	char trace[PATH_MAX], path[PATH_MAX];
	int err;

	for (int i = 0; i < c->count; i++) {
		sc_collect_path(c, i, trace);
		if (name(path, trace))
			take(&all, path);
	}
	if (all.bytes) {
		snprintf(path, sizeof(path), SC_FOLDER "/report.%d" SC_FOLDER_FOUND, run);
		err = sc_folder_make();
		if (!err)
			err = sc_output_write_file(path, &all, 0);
		if (err)
			sc_warn("cannot write %s: %s", path, strerror(-err));
		else
			sc_warn("the findings of that process are in %s, one JSON object a line",
				path);
	}
	sc_buf_fini(&all);
}

void sc_found_name(const char *trace)
{
	char path[PATH_MAX];

	if (name(path, trace) && !access(path, R_OK))
		sc_warn("%s: what was found in the part that was given back is in %s, one JSON "
			"object a line",
			trace, path);
}
