/* Own code: frames of the author's files. */
#include "cmds/judge/own_code.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *const headers[] = {".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc"};

void sc_own_init(struct sc_own *o, const struct sc_report *r, const struct sc_options *options)
{
	*o = (struct sc_own){.report = r, .has_patterns = options->own.count};
	if (!getcwd(o->directory, sizeof(o->directory)))
		o->directory[0] = '\0';
}

static bool ends_with(const char *text, const char *end)
{
	size_t bytes = strlen(text), last = strlen(end);

	return bytes >= last && !strcmp(text + bytes - last, end);
}

static bool is_header(const char *file)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		if (ends_with(file, headers[i]))
			return 1;
	return 0;
}

static bool is_below(const char *file, const char *folder)
{
	size_t bytes = strlen(folder);

	return bytes && !strncmp(file, folder, bytes) && (file[bytes] == '/' || bytes == 1);
}

bool sc_own_has(const struct sc_own *o, const struct sc_frame *frame)
{
	const char *file = frame->file;

	if (!*file || !frame->line)
		return 0;
	return o->has_patterns ? frame->owner == SC_OWNER_NAMED
			       : frame->owner == SC_OWNER_USER && is_below(file, o->directory);
}

const struct sc_frame *sc_own_innermost(const struct sc_own *o, const struct sc_report_site *site)
{
	const struct sc_frame *header = NULL;

	for (size_t i = site->user; i < site->count; i++) {
		const struct sc_frame *frame = &site->frames[i];

		if (!sc_own_has(o, frame))
			continue;
		if (!is_header(frame->file))
			return frame;
		header = header ? header : frame;
	}
	return header ? header : sc_site_frame(site);
}
