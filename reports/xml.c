/* XML: escapes. */
#include "reports/xml.h"

#include <inttypes.h>
#include <stdbool.h>
#include "reports/utf8.h"

/* Characters of XML 1.0; what sc_utf8_decode returns is never a surrogate. */
static bool is_allowed(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xFFFE && c != 0xFFFF);
}

static void add_character(struct sc_buf *out, uint32_t c)
{
	if (!is_allowed(c))
		sc_utf8_add(out, SC_UTF8_INVALID);
	else if (c == '&')
		sc_buf_add(out, "&amp;");
	else if (c == '<')
		sc_buf_add(out, "&lt;");
	else if (c == '>')
		sc_buf_add(out, "&gt;");
	else if (c == '"')
		sc_buf_add(out, "&quot;");
	else if (c == '\r' || (c >= 0x7F && c < 0xA0))
		sc_buf_printf(out, "&#%" PRIu32 ";", c);
	else
		sc_utf8_add(out, c);
}

void sc_xml_add(struct sc_buf *out, const char *text)
{
	sc_utf8_add_each(out, text, add_character);
}

void sc_xml_attribute(struct sc_buf *out, const char *name, const char *text)
{
	sc_buf_printf(out, " %s=\"", name);
	sc_xml_add(out, text);
	sc_buf_add_char(out, '"');
}
