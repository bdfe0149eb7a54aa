/* Names of libraries that are not there: those that this library has alone. */
#include "interposer/core/absent.h"

#include <string.h>

/* Functions of this library's own, which others refer to weakly where it may be missing. */
static const char *const own_prefixes[] = {"streamcheck_", "InitializeInjectionNvtx"};

struct sc_loaded_object sc_absent_here;

static bool is_here(const struct sc_loaded_object *o)
{
	return sc_loaded_object_has(o, (uint64_t)&sc_absent_here);
}

static int read_here(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct sc_loaded_object *o = data;

	(void)bytes;
	return sc_loaded_object_read(info, o) && is_here(o);
}

void sc_absent_begin(void)
{
	dl_iterate_phdr(read_here, &sc_absent_here);
}

static bool is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own_prefixes) / sizeof(*own_prefixes); i++)
		if (!strncmp(name, own_prefixes[i], strlen(own_prefixes[i])))
			return true;
	return false;
}

bool sc_absent_may_be(const char *name)
{
	return sc_absent_here.hash &&
	       sc_loaded_object_find(&sc_absent_here, sc_loaded_name(name)) && !is_own(name);
}

struct question {
	struct sc_loaded_name name;
	bool is_others;
};

static int ask(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct question *q = data;
	struct sc_loaded_object o;

	(void)bytes;
	q->is_others = sc_loaded_object_read(info, &o) && !is_here(&o) &&
		       sc_loaded_object_find(&o, q->name);
	return q->is_others;
}

bool sc_absent_is(const char *name)
{
	struct question q = {.name = sc_loaded_name(name)};

	if (!sc_absent_may_be(name))
		return false;
	dl_iterate_phdr(ask, &q);
	return !q.is_others;
}
