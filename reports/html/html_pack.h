/* Pack: JSON as short as a page carries it. Values that stand more than once are written once.
 *
 *	{"a":["train.cu",7],"b":["train.cu",7],"c":"train.cu"}
 *	{"a":-2,"b":-2,"c":-1,"shared":["train.cu",[-1,7]]}
 *
 * A number below zero stands for a value of `shared`, counted from 1 (sc_json_shared). Costs one
 * pass over the text for each level of it.
 */
#pragma once

#include <stdint.h>
#include "base/buf.h"

/* Appends an object that a JSON writer wrote for a page. Its last member is `shared`, an array of
 * so many values that it names already. */
void sc_html_pack(struct sc_buf *out, const struct sc_buf *json, uint32_t shared);
