/* The fuzz target: any text is parsed, its kernels analysed and evaluated for one launch. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "footprint/footprint.h"

#define IMAGE_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static uint8_t image[IMAGE_BYTES];
	struct sc_footprint_launch launch = {
		.grid = {3, 2, 1}, .block = {32, 2, 1}, .params = image};
	struct sc_footprint_module *m = sc_footprint_parse((const char *)data, bytes);

	for (size_t i = 0; i < sizeof(image); i++)
		image[i] = (uint8_t)(i * 7);
	for (size_t i = 0; i < sc_footprint_kernel_count(m); i++) {
		struct sc_footprint_kernel *k = sc_footprint_kernel_at(m, i);
		uint32_t wanted = sc_footprint_param_bytes(k);

		launch.param_bytes = wanted < IMAGE_BYTES ? wanted : IMAGE_BYTES;
		sc_footprint_of(k, &launch);
		for (uint32_t at = 0; at < launch.param_bytes; at += 8)
			sc_footprint_may_follow(k, at);
		sc_footprint_of(k, &launch);
	}
	sc_footprint_free(m);
	return 0;
}
