/* XML: text of unknown origin made fit for XML 1.0. */
#pragma once

#include "base/buf.h"

/* Appends text that may stand between tags and in a quoted attribute: markup is escaped, bytes that
 * are no UTF-8 and characters that XML does not know become U+FFFD. */
void sc_xml_add(struct sc_buf *out, const char *text);
/* Appends ' name="text"'. */
void sc_xml_attribute(struct sc_buf *out, const char *name, const char *text);
