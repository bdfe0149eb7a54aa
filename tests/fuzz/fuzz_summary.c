/* Fuzz target: bytes as a summary file; what is read is printed, and comes back as it was written.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "reports/report.h"
#include "reports/many/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Reads what was written, and writes it again. */
static void check_roundtrip(const struct sc_summary *s)
{
	struct sc_summary back = {0};
	struct sc_buf first = {0}, second = {0};
	char message[128];

	sc_summary_write(&first, s);
	if (sc_summary_read(&back, "f", first.text, first.bytes, message, sizeof(message)))
		abort();
	sc_summary_write(&second, &back);
	if (first.bytes != second.bytes || memcmp(first.text, second.text, first.bytes) != 0)
		abort();
	sc_buf_fini(&first);
	sc_buf_fini(&second);
	sc_summary_fini(&back);
}

/* Every format that shows summaries shows it, without control characters. */
static void check_formats(const struct sc_summary *s)
{
	const struct sc_joint joint = {.expected = 2, .all = s, .directory = "/a"};

	for (size_t i = 0; i < sc_report_count(); i++) {
		const struct sc_report_ops *format = sc_report_at(i);
		struct sc_buf text = {0};

		if (!format->shows_summaries)
			continue;
		format->finish(&text, &joint);
		if (text.bytes && memchr(text.text, '\033', text.bytes))
			abort();
		sc_buf_fini(&text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct sc_summary s = {0}, twice = {0};
	char message[128] = "";
	struct sc_buf text = {0};

	if (sc_summary_read(&s, "f", (const char *)data, bytes, message, sizeof(message))) {
		if (!*message)
			abort();
	} else {
		check_roundtrip(&s);
		check_formats(&s);
		sc_summary_join(&twice, &s);
		sc_summary_join(&twice, &s);
		sc_summary_print(&text, &twice, 0);
		if (memchr(text.text, '\033', text.bytes))
			abort();
	}
	sc_buf_fini(&text);
	sc_summary_fini(&s);
	sc_summary_fini(&twice);
	return 0;
}
