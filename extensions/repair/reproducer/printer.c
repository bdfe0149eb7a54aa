/* Printer: lines, guards, devices. */
#include "extensions/repair/reproducer/printer.h"

#include <inttypes.h>
#include <string.h>
#include "reports/sources/site.h"

void sc_printer_add_comment(struct sc_printer *p, const char *what, uint32_t stack, uint64_t place)
{
	const struct sc_words *words = p->program.words;
	const struct sc_frame *frame;
	struct sc_report_site site;
	struct sc_buf text = {0};

	sc_site_of_stack(&site, words->report, stack);
	frame = stack ? sc_site_frame(&site) : NULL;
	sc_buf_add(&text, what);
	if (frame && frame->line) {
		sc_site_add_place(&text, frame, words->directory);
		sc_buf_add(&text, "  ");
		sc_site_add_function(&text, frame);
	} else if (place) {
		sc_buf_printf(&text, "operation %" PRIu64, place);
	}
	if (text.bytes) {
		sc_buf_add(p->out, " // ");
		sc_spelling_comment(p->out, sc_buf_text(&text), SC_PRINTER_COMMENT_MOST);
	}
	sc_buf_add_char(p->out, '\n');
	sc_buf_fini(&text);
}

void sc_printer_add_line(struct sc_printer *p, const char *text)
{
	sc_buf_printf(p->out, "\t%s\n", text);
}

/* One that begins where another one has ended goes on with it. */
void sc_printer_begin_guard(struct sc_printer *p, bool is_fixed)
{
	bool goes_on = p->guard_end && p->out->bytes == p->guard_end;

	if (goes_on)
		p->out->bytes -= strlen("#endif\n");
	if (!goes_on)
		sc_buf_add(p->out, is_fixed ? "#ifdef FIXED\n" : "#ifndef FIXED\n");
	else if (is_fixed != p->is_fixed)
		sc_buf_add(p->out, "#else\n");
	p->has_else = goes_on && (p->has_else || is_fixed != p->is_fixed);
	p->is_fixed = is_fixed;
}

void sc_printer_end_guard(struct sc_printer *p)
{
	sc_buf_add(p->out, "#endif\n");
	p->guard_end = p->has_else ? 0 : p->out->bytes;
}

void sc_printer_set_device(struct sc_printer *p, unsigned device)
{
	if (device == p->device)
		return;
	p->device = device;
	sc_buf_printf(p->out, "\tCHECK(cudaSetDevice(%u));\n", device);
}

void sc_printer_set_device_of(struct sc_printer *p, uint32_t stream, uint32_t context)
{
	const struct sc_named *named = sc_names_stream(p->program.words->report->names, stream);

	sc_printer_set_device(p,
			      sc_statement_device(&p->program, named ? named->context : context));
}

static bool carries(const struct sc_slice *s, const struct sc_slice_step *step, unsigned side)
{
	const struct sc_slice_step *at = sc_slice_side(s, side);

	while (at && at != step)
		at = at->by ? &s->steps.items[at->by - 1] : NULL;
	return at != NULL;
}

const char *sc_printer_role(const struct sc_printer *p, const struct sc_slice_step *step)
{
	bool is_first = carries(p->program.slice, step, 1);
	bool is_then = carries(p->program.slice, step, 2);

	if (is_first)
		return is_then ? "first and then: " : "first: ";
	return is_then ? "then: " : "";
}
