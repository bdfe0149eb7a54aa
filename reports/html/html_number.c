/* Numbers of the HTML report's data. */
#include "reports/html/html_number.h"

static void add_base64(struct sc_buf *out, const struct sc_buf *data)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < data->bytes; i += 3) {
		size_t left = data->bytes - i;
		uint32_t bits = (uint32_t)(unsigned char)data->text[i] << 16;

		if (left > 1)
			bits |= (uint32_t)(unsigned char)data->text[i + 1] << 8;
		if (left > 2)
			bits |= (unsigned char)data->text[i + 2];
		sc_buf_add_char(out, digits[bits >> 18]);
		sc_buf_add_char(out, digits[bits >> 12 & 63]);
		sc_buf_add_char(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		sc_buf_add_char(out, left > 2 ? digits[bits & 63] : '=');
	}
}

void sc_html_add_number(struct sc_buf *out, uint64_t number)
{
	for (; number > 0x7F; number >>= 7)
		sc_buf_add_char(out, (char)(0x80 | (number & 0x7F)));
	sc_buf_add_char(out, (char)number);
}

void sc_html_add_signed(struct sc_buf *out, int64_t number)
{
	sc_html_add_number(out, number < 0 ? ((uint64_t) - (number + 1) << 1) + 1
					   : (uint64_t)number << 1);
}

void sc_html_put_numbers(struct sc_json *w, const char *key, struct sc_buf *numbers)
{
	struct sc_buf text = {0};

	add_base64(&text, numbers);
	sc_json_text(w, key, sc_buf_text(&text));
	sc_buf_clear(numbers);
	sc_buf_fini(&text);
}
