/* C events: one of a block, of a file, of two files, or of a header.
 *
 * In one block the event lives from its record to the wait. Else it is made before its first record
 * and lives as long as the program; before that nothing is waited for. It is a `static` variable of
 * the file that has both lines, a variable that one of two files defines and the other declares,
 * or that of an inline function in a header, which is one object for all that include it.
 */
#include "extensions/repair/patcher/c_event.h"

#include <stdbool.h>
#include <string.h>
#include "extensions/repair/patcher/c_spot.h"
#include "extensions/repair/patcher/edit_names.h"

/* Where the two lines are, and where the event goes. */
struct placing {
	const struct sc_edit_text *text;
	struct sc_c_spot first, then;
	const char *type; /* of an event */
};

static void write_short(const struct placing *p)
{
	const struct sc_edit_text *t = p->text;
	struct sc_buf code = {0};

	sc_buf_printf(&code, "%s %s;", p->type, t->event.text);
	sc_c_spot_put_after(&p->first, code.text);
	sc_buf_clear(&code);
	sc_buf_printf(&code, "%s;", t->make.text);
	sc_c_spot_put_after(&p->first, code.text);
	sc_c_spot_put_after(&p->first, t->first.code.text);
	sc_c_spot_put_before(&p->then, t->then.code.text);
	sc_buf_clear(&code);
	sc_buf_printf(&code, "%s(%s);",
		      sc_dialect_is_driver(t->dialect) ? "cuEventDestroy" : "cudaEventDestroy",
		      t->event.text);
	sc_c_spot_put_before(&p->then, code.text);
	sc_buf_fini(&code);
}

/* Its record and its wait; `name` is how the event is called there. */
static void write_uses(const struct placing *p, const char *name)
{
	const struct sc_edit_text *t = p->text;
	struct sc_buf code = {0};

	sc_buf_printf(&code, "if (!%s) ", name);
	sc_edit_names_replace(&code, t->make.text, t->event.text, name);
	sc_buf_add_char(&code, ';');
	sc_c_spot_put_after(&p->first, code.text);
	sc_buf_clear(&code);
	sc_edit_names_replace(&code, t->first.code.text, t->event.text, name);
	sc_c_spot_put_after(&p->first, code.text);
	sc_buf_clear(&code);
	sc_buf_printf(&code, "if (%s) ", name);
	sc_edit_names_replace(&code, t->then.code.text, t->event.text, name);
	sc_c_spot_put_before(&p->then, code.text);
	sc_buf_fini(&code);
}

/* The line of a file after which things of the file are declared; 0 if there is none. */
static unsigned home_of(const struct sc_diff_file *file, unsigned line)
{
	return sc_source_lines_last_include(&file->source, line);
}

static void declare(struct sc_diff_file *file, unsigned home, const struct placing *p,
		    const char *before, const char *after)
{
	struct sc_buf code = {0};

	sc_buf_printf(&code, "%s%s %s%s", before, p->type, p->text->event.text, after);
	sc_diff_insert(file, home + 1, home, code.text);
	sc_buf_fini(&code);
}

#define LATE " /* made when it is recorded first */"

static const char *write_static(const struct placing *p)
{
	unsigned line = p->first.begin < p->then.begin ? p->first.begin : p->then.begin;
	unsigned home = home_of(p->then.file, line);

	if (!home)
		return "its two lines are not in one block, and the event has no place in the file";
	declare(p->then.file, home, p, "static ", ";" LATE);
	write_uses(p, p->text->event.text);
	return NULL;
}

/* The file of the record defines it. */
static const char *write_extern(const struct placing *p)
{
	unsigned home = home_of(p->first.file, p->first.begin);
	unsigned other = home_of(p->then.file, p->then.begin);

	if (!home || !other)
		return "its two lines are in different files, and the event has no place in one of "
		       "them";
	declare(p->first.file, home, p, "", ";" LATE);
	declare(p->then.file, other, p, "extern ", ";");
	write_uses(p, p->text->event.text);
	return NULL;
}

/* In a header it is the variable of an inline function, which C does not have. */
static const char *write_inline(const struct placing *p, struct sc_diff_file *header, unsigned line)
{
	unsigned home = home_of(header, line);
	struct sc_buf code = {0};

	if (!sc_source_lines_is_cpp(&header->source, header->path))
		return "the event would be one of a header that may be read as C, which cannot "
		       "define it there";
	if (!home)
		return "the event would be one of a header that has no place for it";
	sc_buf_printf(&code, "inline %s &%s() { static %s event; return event; }", p->type,
		      p->text->event.text, p->type);
	sc_diff_insert(header, home + 1, home, code.text);
	sc_buf_clear(&code);
	sc_buf_printf(&code, "%s()", p->text->event.text);
	write_uses(p, code.text);
	sc_buf_fini(&code);
	return NULL;
}

static bool is_header(const struct sc_c_spot *s)
{
	return sc_c_spot_is_header(s->file->path);
}

/* True if the file of one line sees what stands in the header of the other. */
static bool sees(const struct sc_c_spot *s, const struct sc_c_spot *header)
{
	return is_header(header) &&
	       sc_source_lines_includes(&s->file->source, header->file->path, s->begin);
}

static const char *write_apart(const struct placing *p)
{
	const struct sc_edit_text *t = p->text;

	if (strcmp(t->first.frame->module, t->then.frame->module) != 0)
		return "its two lines are in different files, which are not linked together";
	if (!t->is_own)
		return "its two lines are in different files, of which one is not the program's "
		       "own";
	if (!is_header(&p->first) && !is_header(&p->then))
		return write_extern(p);
	if (sees(&p->then, &p->first))
		return write_inline(p, p->first.file, p->first.begin);
	if (sees(&p->first, &p->then))
		return write_inline(p, p->then.file, p->then.begin);
	return "its two lines are in different files, a header among them that the other does not "
	       "include";
}

/* Between functions, blocks or rounds of a loop. */
static const char *write_long(const struct placing *p)
{
	const char *reason = sc_edit_text_threads_reason(p->text);

	if (reason)
		return reason;
	if (p->first.file != p->then.file)
		return write_apart(p);
	if (!is_header(&p->first))
		return write_static(p);
	return write_inline(p, p->first.file,
			    p->first.begin < p->then.begin ? p->first.begin : p->then.begin);
}

const char *sc_c_event_write(struct sc_diff *d, const struct sc_edit_text *t)
{
	struct placing p = {.text = t, .type = sc_c_spot_event_type(t->dialect)};
	const char *reason = sc_c_spot_find_after(&p.first, d, &t->first);

	reason = reason ? reason : sc_c_spot_find(&p.then, d, &t->then);
	if (reason)
		return reason;
	p.first.file = sc_diff_open(d, t->first.frame->file); /* opening another moves files */
	if (p.first.file != p.then.file || p.first.end >= p.then.begin ||
	    !sc_source_lines_are_beside(&p.then.file->source, p.first.end + 1, p.then.begin))
		return write_long(&p);
	write_short(&p);
	return NULL;
}
