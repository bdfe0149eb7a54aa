/* Links that are made a second time: the functions of the library, and what comes of it. */
#include "interposer/library/relink.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/real.h"
#include "interposer/core/session.h"
#include "interposer/object/image.h"
#include "interposer/object/machine_code.h"
#include "interposer/object/origin.h"

struct sc_relinks sc_relinks;

#define LTO_INPUT 3 /* of nvJitLink: what it compiles itself */

/* The functions of the library that made the link. */
struct linker {
	int (*create)(void **link, uint32_t count, const char **options);
	int (*add_data)(void *link, int type, const void *data, size_t bytes, const char *name);
	int (*add_file)(void *link, int type, const char *path);
	int (*complete)(void *link);
	int (*code_size)(void *link, size_t *bytes);
	int (*code)(void *link, void *code);
	int (*destroy)(void **link);
};

struct sc_relink {
	void *link; /* the second one; NULL: there is none, or it is over */
	bool is_on;
	bool has_lines;	 /* the program asked for line information */
	bool has_others; /* inputs that are not LTO-IR */
	bool is_known;	 /* the texts were noted */
	struct linker by;
};

/* ---- the library ---- */

static const char create_name[] = "nvJitLinkCreate";

/* A function beside one that is called __nvJitLinkCreate_12_0: by its plain name, which the first
 * releases did not have, or by that of the same version. */
static void *find_one(void *library, const char *name, const char *version)
{
	void *found = sc_real_dlsym()(library, name);
	char versioned[64];

	if (found || snprintf(versioned, sizeof(versioned), "__%s%s", name, version) >=
			     (int)sizeof(versioned))
		return found;
	return sc_real_dlsym()(library, versioned);
}

static bool find_linker(void *create, struct linker *out)
{
	Dl_info info;
	void *library = dladdr(create, &info) && info.dli_fname
				? SC_REAL(dlopen)(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
				: NULL;
	const char *version = library && info.dli_sname ? strstr(info.dli_sname, create_name) : "";
	struct {
		const char *name;
		void *function;
	} f[] = {{"nvJitLinkAddData", NULL},	    {"nvJitLinkAddFile", NULL},
		 {"nvJitLinkComplete", NULL},	    {"nvJitLinkGetLinkedCubinSize", NULL},
		 {"nvJitLinkGetLinkedCubin", NULL}, {"nvJitLinkDestroy", NULL}};
	bool is_whole = library != NULL;

	version = version && *version ? version + strlen(create_name) : "";
	for (size_t i = 0; i < sizeof(f) / sizeof(*f) && is_whole; i++) {
		f[i].function = find_one(library, f[i].name, version);
		is_whole = f[i].function != NULL;
	}
	if (library)
		dlclose(library); /* it was loaded before, and stays so */
	*out = (struct linker){
		.create = (typeof(out->create))create,
		.add_data = (typeof(out->add_data))f[0].function,
		.add_file = (typeof(out->add_file))f[1].function,
		.complete = (typeof(out->complete))f[2].function,
		.code_size = (typeof(out->code_size))f[3].function,
		.code = (typeof(out->code))f[4].function,
		.destroy = (typeof(out->destroy))f[5].function,
	};
	return is_whole;
}

/* ---- the second link ---- */

static bool has_option(uint32_t count, const char *const *options, const char *option)
{
	for (uint32_t i = 0; i < count; i++)
		if (options[i] && !strcmp(options[i], option))
			return true;
	return false;
}

/* The same options, and one more. */
static void create(struct sc_relink *r, uint32_t count, const char *const *options)
{
	size_t bytes = ((size_t)count + 1) * sizeof(*options);
	const char **more = sc_arena_map(bytes, MAP_PRIVATE);

	if (!more)
		return;
	memcpy(more, options, bytes - sizeof(*options));
	more[count] = "-lineinfo";
	if (r->by.create(&r->link, count + 1, more))
		r->link = NULL;
	sc_raw_unmap(more, bytes);
}

/* A link that prints would do so twice. */
static bool has_output(uint32_t count, const char *const *options)
{
	for (uint32_t i = 0; i < count; i++) {
		size_t bytes = options[i] ? strlen(options[i]) : 0;

		if (bytes && (strstr(options[i], "verbose") || !strncmp(options[i], "-time", 5) ||
			      (bytes > 1 && !strcmp(options[i] + bytes - 2, "-v"))))
			return true;
	}
	return false;
}

static bool is_wanted(uint32_t count, const char *const *options)
{
	return sc_session.options.footprints != SC_FOOTPRINTS_NO &&
	       has_option(count, options, "-lto") && !has_option(count, options, "-ptx");
}

static struct sc_relink *relink_of(const void *link)
{
	return sc_table_get(&sc_relinks.by_link, (uint64_t)link);
}

static void give_up(struct sc_relink *r)
{
	if (r->link)
		r->by.destroy(&r->link);
	r->link = NULL;
}

void sc_relink_begin(void *create_function, const void *link, uint32_t count,
		     const char *const *options)
{
	struct sc_relink *r = relink_of(link);
	bool is_on = is_wanted(count, options);

	if (r)
		give_up(r); /* its end was not seen */
	else if (is_on)
		r = sc_arena_get(sizeof(*r));
	if (!r)
		return;
	*r = (struct sc_relink){0};
	r->is_on = is_on && find_linker(create_function, &r->by);
	r->has_lines = has_option(count, options, "-lineinfo") || has_option(count, options, "-g");
	if (r->is_on && !r->has_lines && !has_output(count, options))
		create(r, count, options);
	sc_table_put(&sc_relinks.by_link, (uint64_t)link, r);
}

void sc_relink_add(const void *link, int type, const void *data, size_t bytes, const char *name)
{
	struct sc_relink *r = relink_of(link);

	if (r)
		r->has_others |= type != LTO_INPUT;
	if (r && r->link &&
	    (data ? r->by.add_data(r->link, type, data, bytes, name)
		  : r->by.add_file(r->link, type, name)))
		give_up(r);
}

void sc_relink_forget(const void *link)
{
	struct sc_relink *r = relink_of(link);

	if (r)
		give_up(r);
}

/* ---- the texts ---- */

static bool is_too_much(size_t bytes)
{
	return !bytes || bytes > SC_IMAGES_MOST;
}

static void say_unlike(void)
{
	if (!sc_relinks.is_unlike)
		sc_put_source("PTX of link-time optimized code (a second link made other code)",
			      false);
	sc_relinks.is_unlike = true;
}

/* Makes the second link, and takes its texts if its code is the program's. */
static bool take_second(struct sc_relink *r, const struct sc_machine_code *linked)
{
	struct sc_machine_code code = {0};
	bool is_known = false;
	void *room = NULL;

	if (!r->by.complete(r->link) && !r->by.code_size(r->link, &code.bytes) &&
	    !is_too_much(code.bytes))
		room = sc_arena_map(code.bytes, MAP_PRIVATE);
	code.start = room;
	if (room && !r->by.code(r->link, room) && sc_machine_code_is_same(&code, linked))
		is_known = sc_origin_of_texts(sc_image_identify(linked->start), &code, true);
	if (room)
		sc_raw_unmap(room, code.bytes);
	if (!is_known)
		say_unlike();
	return is_known;
}

/* Line information that the program did not ask for may be that of some inputs only. */
static bool has_whole_text(const struct sc_relink *r)
{
	return r->has_lines || !r->has_others;
}

bool sc_relink_end(void *link, const void *code)
{
	struct sc_relink *r = relink_of(link);
	struct sc_machine_code linked = {.start = code};

	if (!r || !r->is_on || r->is_known)
		return r && r->is_known;
	if (r->by.code_size(link, &linked.bytes) || is_too_much(linked.bytes))
		return false;
	r->is_known = (has_whole_text(r) &&
		       sc_origin_of_texts(sc_image_identify(code), &linked, false)) ||
		      (r->link && take_second(r, &linked));
	give_up(r);
	return r->is_known;
}

/* ---- the module ---- */

const struct sc_module sc_module_relink = {SC_MODULE_STATE(sc_relinks)};
