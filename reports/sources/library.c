/* Library: by the frames between the user's line and CUDA. */
#include "reports/sources/library.h"

#include <string.h>
#include "reports/sources/site.h"
#include "reports/utf8.h"

/* The folder below the last one that holds headers, or the module. */
static void add_name(struct sc_buf *out, const struct sc_frame *frame)
{
	static const char *const folders[] = {"/cccl/", "/include/"};
	const char *module = strrchr(frame->module, '/');
	struct sc_buf name = {0};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !name.bytes; i++) {
		const char *at = strstr(frame->file, folders[i]);

		for (const char *next = at; next; next = strstr(next + 1, folders[i]))
			at = next;
		at = at ? at + strlen(folders[i]) : NULL;
		if (at && strchr(at, '/'))
			sc_buf_add_bytes(&name, at, strcspn(at, "/"));
	}
	if (!name.bytes)
		sc_buf_add(&name, module ? module + 1 : frame->module);
	sc_utf8_add_clean(out, sc_buf_text(&name));
	sc_buf_fini(&name);
}

/* True if a line of the user leads there. */
static bool is_own(const struct sc_report_site *site)
{
	return site->user < site->count && site->frames[site->user].owner <= SC_OWNER_NAMED;
}

/* The outermost frame of a library that the user's line calls; NULL if the line itself calls CUDA,
 * or nothing is known. */
static const struct sc_frame *library_of(const struct sc_report_site *site)
{
	size_t from = site->user;

	if (site->user < site->count && !is_own(site))
		return &site->frames[site->user];
	if (!site->count || sc_site_is_direct(site))
		return NULL;
	while (from-- > 0)
		if (!sc_site_is_entry(&site->frames[from]))
			return &site->frames[from];
	return NULL;
}

/* One call of the user's, which leads to all that the finding is about. */
struct call {
	const char *file;
	unsigned line;
};

/* True if the site's own line is the call, or the first one that is seen. */
static bool is_of_call(struct call *call, const struct sc_report_site *site)
{
	const struct sc_frame *own = &site->frames[site->user];

	if (!call->file)
		*call = (struct call){own->file, own->line};
	return own->line && call->line == own->line && !strcmp(call->file, own->file);
}

/* The library whose own thread looks at memory that the library made, or NULL. */
static const struct sc_frame *looks_at_its_own(const struct sc_report *r,
					       const struct sc_finding *f)
{
	const struct sc_record *made =
		f->allocation ? sc_analysis_record(r->analysis, f->allocation - 1) : NULL;
	const struct sc_frame *maker, *looker;
	struct sc_report_site site;

	if (!made)
		return NULL;
	sc_site_of(&site, r, &made->op);
	maker = library_of(&site);
	for (size_t i = 0; i < f->sides && maker && *maker->module; i++) {
		const struct sc_record *record = sc_analysis_record(r->analysis, f->side[i].op);

		if (!record ||
		    (record->op.kind != SC_OP_HOST_READ && record->op.kind != SC_OP_HOST_WRITE))
			continue;
		sc_site_of(&site, r, &record->op);
		looker = is_own(&site) ? NULL : library_of(&site);
		if (looker && !strcmp(looker->module, maker->module))
			return looker;
	}
	return NULL;
}

bool sc_library_owns(struct sc_buf *name, const struct sc_report *r, const struct sc_finding *f)
{
	const uint64_t ops[] = {f->side[0].op + 1, f->side[1].op + 1, f->allocation};
	const struct sc_frame *library = NULL;
	struct call call = {0};
	size_t before = name->bytes;
	bool is_called = 0;

	if (f->sides < 2 || f->confidence == SC_PROVEN)
		return 0;
	library = looks_at_its_own(r, f);
	if (library) {
		add_name(name, library);
		return name->bytes > before;
	}
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		const struct sc_record *record =
			ops[i] ? sc_analysis_record(r->analysis, ops[i] - 1) : NULL;
		struct sc_report_site site;

		if (i == 2 && !is_called)
			break;
		if (!record)
			return 0;
		sc_site_of(&site, r, &record->op);
		library = library_of(&site);
		if (!library || (i && is_called != is_own(&site)) ||
		    (is_own(&site) && !is_of_call(&call, &site)))
			return 0;
		is_called |= is_own(&site);
	}
	add_name(name, library);
	return name->bytes > before;
}

/* True if the same instruction of the user's calls the same function of CUDA. */
static bool is_same_call(const struct sc_report_site *a, const struct sc_report_site *b)
{
	return sc_site_is_direct(a) && sc_site_is_direct(b) && a->frames[a->user].pc &&
	       a->frames[a->user].pc == b->frames[b->user].pc && a->api && b->api &&
	       !strcmp(a->api, b->api);
}

bool sc_library_is_inside(const struct sc_report *r, const struct sc_finding *f)
{
	const uint64_t ops[] = {f->allocation, f->side[0].op + 1, f->side[1].op + 1};
	struct sc_report_site sites[3];

	if (f->sides < 2 || !f->allocation)
		return 0;
	for (size_t i = 0; i < 3; i++) {
		const struct sc_record *record = sc_analysis_record(r->analysis, ops[i] - 1);

		if (!record)
			return 0;
		sc_site_of(&sites[i], r, &record->op);
		if (!is_same_call(&sites[i], &sites[0]))
			return 0;
	}
	return 1;
}
