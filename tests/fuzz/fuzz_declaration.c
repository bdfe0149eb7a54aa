/* Fuzz: whatever declares footprints is read or refused with a message, and can be worked out. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/declare/declared_footprint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* A launch whose parameters are the text itself. */
static void work_out(const struct sc_declarations *all, const uint8_t *data, size_t bytes)
{
	static const uint32_t shape[3] = {7, UINT32_MAX, 1};
	static const struct sc_param params[] = {{0, 8}, {8, 4}, {12, 1}, {UINT32_MAX, 8}};
	struct sc_declared_launch launch = {shape, shape, data, (uint32_t)bytes, NULL, 0};
	sc_declared_ranges out = {0};

	for (size_t i = 0; i < all->list.count && i < 64; i++) {
		launch.params = i & 1 ? params : NULL;
		launch.param_count = i & 1 ? 4 : 0;
		sc_declared_add(&all->list.items[i], &launch, &out);
	}
	for (size_t i = 0; i < out.count; i++)
		if (out.items[i].base_kind != SC_BASE_PARAMETER ||
		    (!out.items[i].is_unbounded && !out.items[i].width))
			abort();
	sc_vector_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct sc_declaration_source source = {"text", SC_HOW_FILE, 0};
	struct sc_declarations all = {0};
	char message[200] = "";
	int err = sc_declarations_parse(&all, &source, (const char *)data, bytes, message,
					sizeof(message));

	if ((err != 0) != (*message != 0))
		abort();
	work_out(&all, data, bytes);
	(void)sc_declarations_find(&all, "_Z5scalePfi");
	sc_declarations_fini(&all);
	return 0;
}
