/* Frame list: frames of C and lines of Python, in turn. */
#include "analyzer/symbol/frame_list.h"

#include <string.h>
#include "analyzer/symbol/python.h"

void sc_frame_list_begin(struct sc_frame_list *list, const char *python, struct sc_arena *arena)
{
	*list = (struct sc_frame_list){
		.arena = arena, .python = python, .has_python = *python != '\0'};
}

void sc_frame_list_end(struct sc_frame_list *list)
{
	struct sc_frame frame;

	while (sc_python_take(&list->python, list->arena, &frame))
		sc_vector_push(&list->frames, frame);
}

/* Compilers inline the beginning of a function apart from its rest: two frames of one function, of
 * which the outer one stands where the function begins. */
static bool is_beginning(const struct sc_frame_list *list, const struct sc_frame *frame)
{
	const struct sc_frame *inner =
		list->frames.count ? &list->frames.items[list->frames.count - 1] : NULL;

	return inner && frame->is_at_head && inner->is_named && frame->is_named &&
	       !strcmp(inner->function, frame->function) && !strcmp(inner->file, frame->file);
}

/* Python lines go above the C code that they called, in place of the interpreter's inside. */
void sc_frame_list_push(struct sc_frame_list *list, struct sc_frame frame)
{
	bool is_interpreter = sc_python_is_interpreter(&frame);

	if (is_interpreter && !list->has_python && !list->has_interpreter)
		sc_vector_push(&list->frames, sc_python_unknown());
	if (is_interpreter)
		sc_frame_list_end(list);
	list->has_interpreter |= is_interpreter;
	if (is_interpreter)
		frame.owner = SC_OWNER_SYSTEM;
	if (!is_beginning(list, &frame))
		sc_vector_push(&list->frames, frame);
}
