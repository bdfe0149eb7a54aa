/* Agents of this process: a list of names. */
#include "extensions/agents/nixl/agents.h"

#include <string.h>
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/slab.h"
#include "extensions/agents/nixl/descriptors.h"

/* Of a longer name its beginning and its length are compared. */
#define COMPARED 104

struct name {
	uint64_t length;
	char text[COMPARED];
};

struct agent {
	struct agent *next;
	uint64_t address;
	struct name name;
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct agent *first;
} agents;

/* A std::string begins with the address of its text and its length. */
static bool read_name(uint64_t string, struct name *out)
{
	uint64_t word[2];

	memset(out, 0, sizeof(*out));
	if (!sc_nixl_read(word, string, sizeof(word)))
		return false;
	out->length = word[1];
	return !word[1] ||
	       sc_nixl_read(out->text, word[0], word[1] < COMPARED ? word[1] : COMPARED);
}

static struct agent *take(uint64_t address)
{
	struct agent **link = &agents.first, *a;

	sc_lock_get(&agents.lock);
	while (*link && (*link)->address != address)
		link = &(*link)->next;
	a = *link;
	if (a)
		*link = a->next;
	sc_lock_put(&agents.lock);
	return a;
}

void sc_nixl_agents_begin(uint64_t address, uint64_t string)
{
	struct agent *a = sc_slab_get(SC_SLAB_NIXL_AGENT, sizeof(*a));

	if (!a)
		return;
	a->address = address;
	if (!read_name(string, &a->name)) {
		sc_slab_put(SC_SLAB_NIXL_AGENT, a);
		return;
	}
	sc_lock_get(&agents.lock);
	a->next = agents.first;
	agents.first = a;
	sc_lock_put(&agents.lock);
}

void sc_nixl_agents_end(uint64_t address)
{
	struct agent *a = take(address);

	if (a)
		sc_slab_put(SC_SLAB_NIXL_AGENT, a);
}

bool sc_nixl_agents_has(uint64_t string)
{
	const struct agent *a;
	struct name name;

	if (!read_name(string, &name))
		return false;
	sc_lock_get(&agents.lock);
	a = agents.first;
	while (a && memcmp(&a->name, &name, sizeof(name)) != 0)
		a = a->next;
	sc_lock_put(&agents.lock);
	return a;
}

bool sc_nixl_agents_is_nobody(uint64_t string)
{
	struct name name;

	return !read_name(string, &name) || !name.length;
}

const struct sc_module sc_module_nixl_agents = {SC_MODULE_STATE(agents)};
