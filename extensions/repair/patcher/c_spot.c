/* C spots: found by the statements around them. */
#include "extensions/repair/patcher/c_spot.h"

#include <string.h>

static bool ends_with_any(const char *file, const char *const *ends)
{
	for (; *ends; ends++) {
		size_t bytes = strlen(file), last = strlen(*ends);

		if (bytes > last && !strcmp(file + bytes - last, *ends))
			return 1;
	}
	return 0;
}

bool sc_c_spot_is_header(const char *file)
{
	static const char *const ends[] = {".h", ".hh", ".hpp", ".hxx", ".cuh", NULL};

	return ends_with_any(file, ends);
}

static bool is_c(const char *file)
{
	static const char *const ends[] = {".cu", ".c", ".cc", ".cpp", ".cxx", NULL};

	return ends_with_any(file, ends) || sc_c_spot_is_header(file);
}

const char *sc_c_spot_find(struct sc_c_spot *s, struct sc_diff *d, const struct sc_edit_line *line)
{
	if (!line->frame || !line->frame->line)
		return "its line is not known";
	if (!is_c(line->frame->file))
		return "its file is not in C, C++ or CUDA";
	s->file = sc_diff_open(d, line->frame->file);
	if (!s->file)
		return "its source may not be read here";
	s->begin = sc_source_lines_begin(&s->file->source, line->frame->line);
	s->end = s->begin ? sc_source_lines_end(&s->file->source, s->begin) : 0;
	return s->begin ? NULL : "its line is a part of a larger statement";
}

const char *sc_c_spot_find_after(struct sc_c_spot *s, struct sc_diff *d,
				 const struct sc_edit_line *line)
{
	const char *reason = sc_c_spot_find(s, d, line);

	if (reason)
		return reason;
	if (!s->end || !sc_source_lines_is_plain(&s->file->source, s->begin))
		return "nothing can be written after its statement alone";
	return NULL;
}

void sc_c_spot_put_before(const struct sc_c_spot *s, const char *code)
{
	sc_diff_insert(s->file, s->begin, s->begin, code);
}

void sc_c_spot_put_after(const struct sc_c_spot *s, const char *code)
{
	sc_diff_insert(s->file, s->end + 1, s->begin, code);
}

const char *sc_c_spot_event_type(const struct sc_dialect *dialect)
{
	return sc_dialect_is_driver(dialect) ? "CUevent" : "cudaEvent_t";
}
