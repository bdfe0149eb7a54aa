/* C spots: where lines of an edit go in a file of C, C++ or CUDA. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_C_SPOT_H
#define SC_EXTENSIONS_REPAIR_PATCHER_C_SPOT_H

#include <stdbool.h>
#include "extensions/repair/patcher/diff.h"
#include "extensions/repair/patcher/edit_text.h"

struct sc_c_spot {
	struct sc_diff_file *file; /* borrowed, until another one is opened */
	unsigned begin, end;	   /* of the statement there; an end of 0: it is not known */
};

/* Finds the statement of a line; else returns why it cannot be written before. */
const char *sc_c_spot_find(struct sc_c_spot *s, struct sc_diff *d, const struct sc_edit_line *line);
/* The same for writing after it. */
const char *sc_c_spot_find_after(struct sc_c_spot *s, struct sc_diff *d,
				 const struct sc_edit_line *line);
void sc_c_spot_put_before(const struct sc_c_spot *s, const char *code);
void sc_c_spot_put_after(const struct sc_c_spot *s, const char *code);
/* True if other files include this one. */
bool sc_c_spot_is_header(const char *file);
/* What an event is declared as. */
const char *sc_c_spot_event_type(const struct sc_dialect *dialect);

#endif
