/* Views: pairs of launches that are not compared. */
#include "analyzer/memory/views.h"

#include "analyzer/memory/notes.h"
#include "analyzer/memory/touch.h"

void sc_views_count(struct sc_notes *notes, const struct sc_touch *earlier,
		    const struct sc_touch *later)
{
	struct sc_views *v = &notes->views;

	if (v->pairs++)
		return;
	sc_note_read_op(notes, earlier->note);
	sc_note_read_op(notes, later->note);
	v->kernels[0] = sc_touch_op(earlier)->object;
	v->kernels[1] = sc_touch_op(later)->object;
}
