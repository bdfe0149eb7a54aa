/* Own place: how deep the author's frames are, and the frame of a place. */
#include "extensions/repair/patcher/own_place.h"

#include <stdbool.h>
#include <string.h>

static const struct sc_repair_depth whole_depth = {.frames = UINT32_MAX, .lines = UINT32_MAX};

/* How many return addresses and lines of Python lead to a frame. */
static struct sc_repair_depth depth_of(const struct sc_own *o, const struct sc_report_site *site,
				       const struct sc_frame *frame, uint32_t stack)
{
	struct sc_repair_depth depth = {0};
	const uint64_t *pcs;
	size_t count = sc_reader_stack(o->report->reader, stack, &pcs);

	for (size_t i = 0; i < site->count && &site->frames[i] <= frame; i++) {
		const struct sc_frame *f = &site->frames[i];

		if (!f->pc)
			depth.lines += f->line != 0;
		else if (depth.frames && pcs[depth.frames - 1] == f->pc && i &&
			 (site->frames[i - 1].is_inlined || site->frames[i - 1].is_tail))
			depth.inlined++, depth.has_inner |= i > site->user;
		else if (depth.frames < count && pcs[depth.frames] == f->pc)
			depth.frames++, depth.inlined = 0, depth.has_inner = 0;
		else if (!depth.frames || pcs[depth.frames - 1] != f->pc)
			return whole_depth;
	}
	return depth.frames ? depth : whole_depth;
}

void sc_own_choose(void *data, const struct sc_op *first, const struct sc_op *second,
		   struct sc_repair_depth out[2])
{
	const struct sc_own *o = data;
	const struct sc_op *ops[] = {first, second};
	const struct sc_frame *frames[2];
	struct sc_report_site sites[2];

	for (unsigned i = 0; i < 2; i++)
		sc_site_of(&sites[i], o->report, ops[i]);
	/* A stack frame has ended where both came from. */
	if (second->flags & SC_FLAG_FRAME || !sc_site_part(&sites[0], &sites[1], frames) ||
	    !sc_own_has(o, frames[0]) || !sc_own_has(o, frames[1]))
		for (unsigned i = 0; i < 2; i++)
			frames[i] = sc_own_innermost(o, &sites[i]);
	for (unsigned i = 0; i < 2; i++) {
		out[i] = frames[i] ? depth_of(o, &sites[i], frames[i], ops[i]->stack) : whole_depth;
		out[i].is_outer = frames[i] && frames[i] > &sites[i].frames[sites[i].user];
		out[i].is_foreign = frames[i] && frames[i]->is_internal;
	}
}

const struct sc_frame *sc_own_frame(const struct sc_own *o, const struct sc_edit_place *place)
{
	struct sc_report_site site;
	const uint64_t *pcs;
	size_t count = place->frames ? sc_reader_stack(o->report->reader, place->stack, &pcs) : 0;

	if (!count || place->frames > count)
		return NULL;
	sc_site_of_stack(&site, o->report, place->stack);
	if (place->frames == count && place->lines == UINT32_MAX)
		return sc_own_innermost(o, &site);
	for (size_t i = 0; i < site.count; i++) {
		struct sc_repair_depth d = depth_of(o, &site, &site.frames[i], place->stack);

		if (d.frames == place->frames && d.lines == place->lines &&
		    d.inlined == place->inlined)
			return &site.frames[i];
	}
	return NULL;
}

/* Passes by what needs no look-up: stacks that do not pass the file of an address. */
static bool passes_file(const struct sc_reader *r, uint32_t stack, uint64_t pc)
{
	const struct sc_map *maps;
	const uint64_t *pcs;
	size_t files = sc_reader_maps(r, &maps), count = sc_reader_stack(r, stack, &pcs);

	while (files && pc - maps[files - 1].start >= maps[files - 1].bytes)
		files--;
	for (size_t i = 0; files && i < count; i++)
		if (pcs[i] - maps[files - 1].start < maps[files - 1].bytes)
			return 1;
	return 0;
}

static bool has_line(const struct sc_report *r, uint32_t stack, const struct sc_frame *line)
{
	const struct sc_frame *frames;
	size_t count = sc_symbols_stack(r->symbols, stack, &frames);

	for (size_t i = 0; i < count; i++)
		if (frames[i].line == line->line && !strcmp(frames[i].file, line->file) &&
		    !strcmp(frames[i].function, line->function))
			return 1;
	return 0;
}

void sc_own_find_calls(void *data, const struct sc_edit_place *place, const uint32_t *stacks,
		       size_t count, bool *out)
{
	const struct sc_own *o = data;
	const struct sc_frame *line = sc_own_frame(o, place);

	if (!line || !line->line || !line->pc) /* lines of Python have no address */
		return;
	for (size_t i = 0; i < count; i++) {
		out[i] = passes_file(o->report->reader, stacks[i], line->pc);
		if (out[i])
			sc_symbols_want(o->report->symbols, stacks[i]);
	}
	for (size_t i = 0; i < count; i++)
		out[i] = out[i] && has_line(o->report, stacks[i], line);
}
