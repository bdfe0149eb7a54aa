/* Keys: cutting an opcode into its parts, and sorting out those that are in the table. */
#include "simulator/executor/code/key.h"

#include <string.h>

struct part {
	const char *text;
	uint16_t opcode;
	uint8_t space, count, round, integral, demands, boolean, order, geometry, outside, ignored;
};

static const struct part parts[] = {
#define PART(name, code, field, number) \
	{.text = (name), .opcode = SC_PTX_##code, .field = (number)},
#include "simulator/executor/code/part.def"
#undef PART
};

static void add(struct exec_key *key, const char *text, size_t bytes)
{
	size_t have = strlen(key->text);

	if (have + bytes >= sizeof(key->text)) {
		strcpy(key->text, "?");
		return;
	}
	memcpy(key->text + have, text, bytes);
	key->text[have + bytes] = 0;
}

void exec_key_add(struct exec_key *key, const char *text)
{
	add(key, text, strlen(text));
}

static const struct part *find(const char *text, size_t bytes, unsigned opcode)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strlen(parts[i].text) == bytes && !memcmp(parts[i].text, text, bytes) &&
		    (!parts[i].opcode || parts[i].opcode == opcode))
			return &parts[i];
	return NULL;
}

static void apply(struct exec_key *key, const struct part *p)
{
	if (p->space)
		key->space = p->space;
	if (p->count)
		key->count = p->count;
	if (p->boolean)
		key->boolean = p->boolean;
	if (p->round)
		key->round = p->round;
	if (p->integral) {
		key->round = p->integral;
		key->demands |= EXEC_DEMAND_INTEGRAL;
	}
	if (p->round > EXEC_ROUND_NEAREST)
		key->demands |= EXEC_DEMAND_DIRECTED;
	if (p->geometry)
		key->geometry = p->geometry;
	if (p->outside)
		key->outside = p->outside;
	key->demands |= p->demands;
	key->order |= p->order;
	key->polls |= (p->order & EXEC_ORDER_POLLS) != 0;
}

bool exec_key_make(struct exec_key *key, const struct sc_ptx *m, const struct sc_instruction *in)
{
	const char *at = m->names.items[in->name], *dot = strchr(at, '.');

	*key = (struct exec_key){.count = 1};
	add(key, at, dot ? (size_t)(dot - at) : strlen(at));
	while (dot) {
		const struct part *p;

		at = dot + 1;
		dot = strchr(at, '.');
		p = find(at, dot ? (size_t)(dot - at) : strlen(at), in->opcode);
		if (p) {
			apply(key, p);
			continue;
		}
		add(key, ".", 1);
		add(key, at, dot ? (size_t)(dot - at) : strlen(at));
	}
	return key->text[0] != '?';
}
