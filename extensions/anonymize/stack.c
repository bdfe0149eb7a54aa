/* Stacks: frames to lines, each with what reports ask of it: whose it is, and which call it makes.
 */
#include "extensions/anonymize/stack.h"

#include <inttypes.h>
#include <string.h>
#include "reports/sources/site.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What tells one place from another: a line, or the address where there is none. */
static void add_place(struct sc_buf *out, const struct sc_frame *f)
{
	if (f->line && *f->file)
		sc_buf_printf(out, "%s:%u", f->file, f->line);
	else
		sc_buf_printf(out, "%s+%" PRIx64, base_name(f->module), f->offset);
}

/* The name of a function of CUDA's interface; it is public, and reports say which call a line
 * makes. */
static bool is_interface(const struct sc_report_site *site, size_t i)
{
	return site->frames[i].is_named && site->frames[i].is_internal &&
	       sc_site_is_interface(site->frames[i].function);
}

/* Python's lines are whose their file says: "<" is the system's, /site-packages/ a package's, and
 * /crt/ what only enters CUDA (reports/sources/site.c). Before the user's line nothing is the
 * user's: the host functions of kernels are passed over. */
static void add_line(struct sc_private_names *n, const struct sc_report_site *site, size_t i,
		     struct sc_buf *key, struct sc_buf *out)
{
	const struct sc_frame *f = &site->frames[i];
	bool is_system = f->is_internal || i < site->user;
	bool is_entry = is_system && sc_site_is_entry(f);
	char name[SC_PRIVATE_NAME];

	sc_buf_clear(key);
	add_place(key, f);
	sc_private_name(
		n, is_system || f->owner == SC_OWNER_PACKAGE ? SC_PRIVATE_LIBRARY : SC_PRIVATE_SITE,
		sc_buf_text(key), key->bytes, name);
	sc_buf_printf(out, "%s\t", is_interface(site, i) ? f->function : name);
	if (is_system)
		sc_buf_printf(out, "<%s%s>", is_entry ? "/crt/" : "", name);
	else
		sc_buf_printf(out, "%s%s", f->owner == SC_OWNER_PACKAGE ? "/site-packages/" : "",
			      name);
	sc_buf_add(out, "\t1\n");
}

void sc_private_stack(struct sc_private_names *n, struct sc_callsites *sites,
		      const struct sc_report *r, uint32_t stack, const struct sc_op *launch,
		      struct sc_buf *out)
{
	uint64_t path = sc_callsite_of(sites, r->reader, stack, 0);
	char name[SC_PRIVATE_NAME];
	struct sc_report_site site;
	struct sc_buf key = {0};

	if (launch)
		sc_site_of(&site, r, launch);
	else
		sc_site_of_stack(&site, r, stack);
	if (!site.count)
		return;
	for (size_t i = 0; i < site.count; i++)
		add_line(n, &site, i, &key, out);
	sc_private_name(n, SC_PRIVATE_STACK, (const char *)&path, sizeof(path), name);
	sc_buf_printf(out, "%s\t<%s>\t0\n", name, name);
	sc_buf_fini(&key);
}
