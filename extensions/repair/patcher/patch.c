/* Patch: each edit as lines beside the statements that it belongs to, where that is plain. */
#include "extensions/repair/patcher/patch.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/heap.h"
#include "extensions/repair/patcher/c_edit.h"
#include "extensions/repair/patcher/diff.h"
#include "extensions/repair/patcher/python_edit.h"

static bool is_python(const struct sc_edit_text *t)
{
	const struct sc_frame *frame = t->then.frame ? t->then.frame : t->first.frame;

	return frame && sc_dialect_is_python(frame->file);
}

/* Writes an edit; else says why it is not plain. */
static const char *write_edit(struct sc_diff *d, const struct sc_edit *e,
			      const struct sc_edit_text *t)
{
	if (!t->is_plain)
		return "the source does not show its streams or events as names, or the current "
		       "device matters";
	return is_python(t) ? sc_python_edit_write(d, e, t) : sc_c_edit_write(d, e, t);
}

/* Which threads run the lines takes one more analysis. */
static void find_threads(struct sc_plan_texts *plan, const struct sc_report *r)
{
	size_t count = plan->texts.count;
	enum sc_threads *threads = sc_heap_xcalloc(count, sizeof(*threads));

	if (count)
		sc_threads_find(threads, r->reader, plan->repair.edits.items, count);
	for (size_t i = 0; i < count; i++)
		plan->texts.items[i].threads = threads[i];
	free(threads);
}

void sc_patch_write(struct sc_buf *out, struct sc_plan_texts *plan, const struct sc_report *r,
		    const char *directory)
{
	struct sc_diff diff = {.sources = r->sources};

	find_threads(plan, r);
	for (size_t i = 0; i < plan->texts.count; i++) {
		const char *reason =
			write_edit(&diff, &plan->repair.edits.items[i], &plan->texts.items[i]);

		if (reason)
			sc_buf_printf(out, "# edit %zu is not in this patch: %s\n", i + 1, reason);
	}
	sc_diff_write(out, &diff, directory);
	sc_diff_fini(&diff);
}
