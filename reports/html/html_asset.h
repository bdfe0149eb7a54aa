/* The fixed parts of the HTML report, put together from assets/ when the command is built. */
#pragma once

#include <stddef.h>

/* Everything before the data: head, style, body. */
extern const char sc_html_head[];
extern const size_t sc_html_head_bytes;
/* Everything after the data: the drawing library, the script. */
extern const char sc_html_tail[];
extern const size_t sc_html_tail_bytes;
