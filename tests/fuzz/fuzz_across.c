/* Fuzz target: bytes as the traces of two processes, which are compared with each other.
 *
 * Four bytes say how long the first one is.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "extensions/ranks/across/across.h"
#include "analyzer/finding/rule.h"
#include "analyzer/finding/verdict.h"
#include "tests/fuzz/sealed_copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* True if it is a trace. */
static bool add(struct sc_across *across, const uint8_t *data, size_t bytes)
{
	uint8_t *trace = sealed_copy(data, bytes);
	char message[160];
	struct sc_reader *r;
	bool is = !sc_reader_open_memory(&r, trace, bytes, message, sizeof(message));

	if (is) {
		require(sc_across_add(across, r) >= 0);
		sc_reader_free(r);
	}
	free(trace);
	return is;
}

static void check(struct sc_across *across, unsigned process)
{
	size_t count;
	const struct sc_remark *list = sc_across_remarks_of(across, process, &count);

	for (size_t i = 0; i < count; i++) {
		require(sc_rule_find(list[i].rule) != NULL);
		require(list[i].text && *list[i].text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct sc_across *across;
	uint32_t first;

	if (bytes < sizeof(first))
		return 0;
	memcpy(&first, data, sizeof(first));
	data += sizeof(first);
	bytes -= sizeof(first);
	first = first < bytes ? first : (uint32_t)bytes;
	across = sc_across_new();
	require(across != NULL);
	if (add(across, data, first) && add(across, data + first, bytes - first)) {
		require(!sc_across_compare(across));
		check(across, 0);
		check(across, 1);
	}
	sc_across_free(across);
	return 0;
}
