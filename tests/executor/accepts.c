/* Which kernels of PTX texts the executor can run.
 *
 * usage: accepts < TEXT
 * A line for each kernel: its name, a tab, and why it cannot run, or nothing.
 */
#include <stdio.h>
#include <stdlib.h>

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

int main(void)
{
	struct exec_program *p = exec_program_new(address_of, NULL);
	const char *why;
	struct sc_ptx m;
	size_t bytes;
	char *text = read_all(&bytes);

	if (!p || !text)
		return 1;
	exec_program_add(p, text, bytes);
	sc_ptx_index(&m, text, bytes);
	for (size_t i = 0; i < m.functions.count; i++) {
		const char *name = m.names.items[m.functions.items[i].name];

		if (m.functions.items[i].is_kernel)
			printf("%s\t%s\n", name, exec_program_kernel(p, name, &why) ? "" : why);
	}
	sc_ptx_fini(&m);
	exec_program_free(p);
	free(text);
	return 0;
}
