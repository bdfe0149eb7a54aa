/* Which kernels the simulated device can execute, and what keeps it from executing the others. */
#include "tests/gpu/survey/census.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "simulator/executor/executor.h"

/* Every variable lies somewhere. */
static uint64_t address_of(void *context, const char *name)
{
	(void)context;
	(void)name;
	return UINT64_C(0x700000000000);
}

/* The reason without the place: its first words, of plain characters. */
static void shorten(char *to, const char *why)
{
	const char *end = strstr(why, " (line");
	size_t bytes = end ? (size_t)(end - why) : strlen(why);

	if (bytes > CENSUS_WORDS - 1)
		bytes = CENSUS_WORDS - 1;
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)(isalnum((unsigned char)why[i]) || strchr(" .:_%$", why[i]) ? why[i]
											  : '?');
	to[bytes] = 0;
}

static void count(struct census *c, const char *why)
{
	struct census_reason reason = {.kernels = 1};

	shorten(reason.text, why);
	for (size_t i = 0; i < c->reasons.count; i++)
		if (!strcmp(c->reasons.items[i].text, reason.text)) {
			c->reasons.items[i].kernels++;
			return;
		}
	sc_vector_push(&c->reasons, reason);
}

void census_add(struct census *c, const struct sc_ptx *m, const char *text, size_t bytes)
{
	struct exec_program *p = exec_program_new(address_of, NULL);
	const char *why;

	if (!p)
		return;
	exec_program_add(p, text, bytes);
	for (size_t i = 0; i < m->functions.count; i++) {
		const struct sc_function *f = &m->functions.items[i];

		if (!f->is_kernel || !f->has_body)
			continue;
		c->kernels++;
		if (exec_program_kernel(p, m->names.items[f->name], &why))
			c->executable++;
		else
			count(c, why);
	}
	exec_program_free(p);
}

void census_print(const struct census *c)
{
	printf("\"executable\": %lu, \"refused\": {", c->executable);
	for (size_t i = 0; i < c->reasons.count; i++)
		printf("%s\"%s\": %lu", i ? ", " : "", c->reasons.items[i].text,
		       c->reasons.items[i].kernels);
	printf("}");
}

void census_fini(struct census *c)
{
	sc_vector_fini(&c->reasons);
}
