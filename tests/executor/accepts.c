/* Which kernels of a PTX text the executor can run, and what of their bytes the footprint analysis
 * knows.
 *
 * usage: accepts < TEXT
 * A line for each kernel: its name, a tab, why it cannot run, or nothing, a tab, and of the global
 * memory that it touches: none, exact, most (these bytes at most), or unknown.
 */
#include <stdio.h>
#include <stdlib.h>

#include "footprint/footprint.h"
#include "ptx/ptx.h"
#include "simulator/executor/executor.h"

/* Every variable lies somewhere. */
static uint64_t address_of(void *context, const char *name)
{
	(void)context;
	(void)name;
	return UINT64_C(0x700000000000);
}

static char *read_all(size_t *bytes)
{
	size_t room = 1 << 16;
	char *text = malloc(room);

	*bytes = 0;
	while (text && !feof(stdin)) {
		*bytes += fread(text + *bytes, 1, room - *bytes, stdin);
		if (*bytes == room)
			text = realloc(text, room *= 2);
	}
	return text;
}

static const char *bytes_of(struct sc_footprint_module *m, const char *name)
{
	static const uint64_t parameters[512] = {UINT64_C(0x700000000000)};
	struct sc_footprint_kernel *k = sc_footprint_find(m, name);
	struct sc_footprint_launch launch = {.grid = {1, 1, 1},
					     .block = {1, 1, 1},
					     .param_bytes = sizeof(parameters),
					     .params = parameters};
	struct sc_footprint f;

	if (!k)
		return "unknown";
	f = sc_footprint_of(k, &launch);
	for (size_t i = 0; i < f.count; i++)
		if (f.ranges[i].base_kind == SC_BASE_UNKNOWN)
			return "unknown";
	if (!f.count)
		return "none";
	return f.is_exact ? "exact" : "most";
}

int main(void)
{
	struct exec_program *p = exec_program_new(address_of, NULL);
	struct sc_footprint_module *footprints;
	const char *why;
	struct sc_ptx m;
	size_t bytes;
	char *text = read_all(&bytes);

	if (!p || !text)
		return 1;
	exec_program_add(p, text, bytes);
	footprints = sc_footprint_parse(text, bytes);
	sc_ptx_index(&m, text, bytes);
	for (size_t i = 0; i < m.functions.count; i++) {
		const char *name = m.names.items[m.functions.items[i].name];

		if (m.functions.items[i].is_kernel)
			printf("%s\t%s\t%s\n", name, exec_program_kernel(p, name, &why) ? "" : why,
			       bytes_of(footprints, name));
	}
	sc_ptx_fini(&m);
	sc_footprint_free(footprints);
	exec_program_free(p);
	free(text);
	return 0;
}
