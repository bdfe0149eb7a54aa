/* Numbers of the HTML report's data: seven bits a byte, the lowest first, as base64.
 *
 * What there are many of travels so: three bytes for most numbers, where JSON needs six.
 */
#pragma once

#include "reports/json_writer.h"

void sc_html_add_number(struct sc_buf *out, uint64_t number);
/* A number that may be below zero: the sign is its lowest bit. */
void sc_html_add_signed(struct sc_buf *out, int64_t number);
/* The numbers as a text under a key; empties them. */
void sc_html_put_numbers(struct sc_json *w, const char *key, struct sc_buf *numbers);
