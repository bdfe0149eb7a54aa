/* Lines of Python as a trace has them: function, file and number, with tabs between them and a line
 * end after them; bounded. Two ways lead to the lines of a stack (c_api.h, frame_reader.h), and
 * both write them here, so that they can be compared.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_PYTHON_DEPTH 32   /* lines of one stack */
#define SC_PYTHON_BYTES 8192 /* of them all */

struct sc_python_text {
	uint32_t used;
	char bytes[SC_PYTHON_BYTES];
};

/* False if there is no room for another line. */
bool sc_python_text_has_room(const struct sc_python_text *t);
/* Appends a name, without what would end a field. */
void sc_python_text_add(struct sc_python_text *t, const char *name);
/* The same, a character of Unicode at a time. */
void sc_python_text_add_code_point(struct sc_python_text *t, uint32_t c);
/* Ends the function's name. */
void sc_python_text_end_function(struct sc_python_text *t);
/* Ends the file's name, and the line. */
void sc_python_text_end_line(struct sc_python_text *t, uint64_t number);
