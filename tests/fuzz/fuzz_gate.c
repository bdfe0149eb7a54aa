/* Fuzz target: bytes as suppressions, baseline, fail-on and budget; refused or read, never more. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cmds/judge/budget.h"
#include "cmds/judge/gate.h"
#include "base/glob.h"
#include "cmds/judge/baseline_file.h"
#include "cmds/judge/suppression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Bytes as a file; its patterns are matched with the same bytes up to the first zero. */
static void check_suppressions(const uint8_t *data, size_t bytes, const char *text)
{
	struct sc_suppressions s = {0};
	char message[64] = "";

	if (sc_suppressions_parse(&s, "f", (const char *)data, bytes, message, sizeof(message)) &&
	    !*message)
		abort();
	for (size_t i = 0; i < s.list.count; i++)
		for (int kind = 0; kind < SC_PATTERNS; kind++)
			if (s.list.items[i].match[kind])
				sc_glob_matches(s.list.items[i].match[kind], text);
	sc_suppressions_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char message[64] = "", *text = strndup((const char *)data, bytes);
	struct sc_knowns known = {0};
	struct sc_budget budget;
	struct sc_gate gate;

	if (!text)
		return 0;
	check_suppressions(data, bytes, text);
	sc_known_parse(&known, "f", text, message, sizeof(message));
	sc_known_fini(&known);
	sc_gate_parse(&gate, text, message, sizeof(message));
	sc_budget_parse(&budget, text, message, sizeof(message));
	free(text);
	return 0;
}
