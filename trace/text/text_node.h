/* A graph node's place in the text form: [INDEX, in:PARENT, body:N, disabled, update, DEPENDENCY…].
 *
 * A dependency is the index of a node; p after it makes the edge programmatic, l and s give it the
 * launch-order or the programmatic port.
 */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "trace/op.h"
#include "trace/text/text_lex.h"

void sc_text_node_print(struct sc_buf *out, const uint8_t *data, uint32_t bytes);
/* A whole place, as it is printed. False if it is malformed. */
bool sc_text_node_parse(struct sc_buf *data, struct sc_text_span text);
/* All but the index, which stood at the start of the line (gN/INDEX:). */
bool sc_text_node_parse_rest(struct sc_buf *data, uint32_t index, struct sc_text_span text);
/* Cuts "NAME/INDEX" in two. False if it does not have that form. */
bool sc_text_node_prefix(struct sc_text_span word, struct sc_text_span *graph, uint32_t *index);
