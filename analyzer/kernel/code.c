/* Code: modules and their kernels, and what the texts of their images say of these. */
#include "analyzer/kernel/code.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "image/image.h"
#include "image/names.h"

#define PARTS_MOST 4096 /* of one module */

/* An image that a module consists of, or may consist of. */
struct sc_code_part {
	struct sc_code_part *next;
	uint32_t image;
	uint32_t number; /* of parts: this one and those after it */
	bool is_choice;	 /* a module has such parts only, or none: they were not linked */
};

struct sc_code_module {
	uint32_t id;
	struct sc_code_part *parts;	     /* owned */
	struct sc_code_kernel *kernels;	     /* owned */
	struct sc_code_module *next, **link; /* in the list of all */
};

static void *value_of(const struct sc_u64_map *m, uint64_t key)
{
	const uint64_t *place = sc_u64_map_find(m, key);

	return place ? (void *)(uintptr_t)*place : NULL;
}

static struct sc_code_module *module_of(struct sc_code *c, uint32_t id)
{
	uint64_t *place = sc_u64_map_get(&c->modules, id);
	struct sc_code_module *m = (struct sc_code_module *)(uintptr_t)*place;

	if (m)
		return m;
	m = sc_heap_xcalloc(1, sizeof(*m));
	m->id = id;
	m->next = c->all;
	m->link = &c->all;
	if (m->next)
		m->next->link = &m->next;
	c->all = m;
	*place = (uintptr_t)m;
	return m;
}

static void free_kernel(struct sc_code_kernel *k)
{
	free(k->name);
	free(k->params);
	free(k);
}

/* What was defined anew since then stays. */
static void forget_kernel(struct sc_code *c, struct sc_code_kernel *k)
{
	if (c->found == k)
		c->found = NULL;
	if (value_of(&c->kernels, k->id) == k) {
		sc_u64_map_remove(&c->kernels, k->id);
		if (c->forgets)
			c->forgets(c->data, k->module, k);
	}
	free_kernel(k);
}

static void forget_module(struct sc_code *c, struct sc_code_module *m)
{
	while (m->kernels) {
		struct sc_code_kernel *k = m->kernels;

		m->kernels = k->next;
		forget_kernel(c, k);
	}
	while (m->parts) {
		struct sc_code_part *p = m->parts;

		m->parts = p->next;
		free(p);
	}
	if (c->forgets)
		c->forgets(c->data, m->id, NULL);
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
	sc_u64_map_remove(&c->modules, m->id);
	free(m);
}

/* Its kernels may still be launched, by mistake or by graphs. */
static void unload(struct sc_code *c, uint32_t id)
{
	struct sc_map_entry gone;
	struct sc_code_module *m;

	if (!c->unloaded.most || !value_of(&c->modules, id) ||
	    !sc_recall_note(&c->unloaded, id, 0, &gone))
		return;
	m = value_of(&c->modules, gone.key_plus - 1);
	if (m)
		forget_module(c, m);
}

void sc_code_fini(struct sc_code *c)
{
	c->forgets = NULL;
	while (c->all)
		forget_module(c, c->all);
	sc_recall_fini(&c->unloaded);
	if (!c->is_shared)
		sc_code_images_free(c->images);
	sc_u64_map_fini(&c->noted);
	sc_u64_map_fini(&c->modules);
	sc_u64_map_fini(&c->kernels);
}

void sc_code_share(struct sc_code *c, struct sc_code_images *images)
{
	c->images = images;
	c->is_shared = images != NULL;
}

struct sc_code_images *sc_code_take_images(struct sc_code *c)
{
	if (c->is_shared)
		return NULL;
	c->is_shared = 1;
	return c->images;
}

/* An earlier analysis has taken all images of the trace; here it only counts which came so far. */
static void note_piece(struct sc_code *c, const struct sc_record *r)
{
	if (c->is_shared) {
		*sc_u64_map_get(&c->noted, r->op.object) = 1;
		return;
	}
	if (!c->images) {
		c->images = sc_heap_xcalloc(1, sizeof(*c->images));
		c->images->most = c->most;
	}
	sc_code_images_note(c->images, r);
}

static struct sc_code_image *find_image(const struct sc_code *c, uint32_t id)
{
	if (!c->images || (c->is_shared && !sc_u64_map_find(&c->noted, id)))
		return NULL;
	return sc_code_images_find(c->images, id);
}

/* Of a choice it counts, too, that there is one that was not kept: image 0. */
static void add_part(struct sc_code *c, uint32_t module, uint32_t image, bool is_choice)
{
	struct sc_code_module *m = module_of(c, module);
	struct sc_code_part *first = m->parts, *part;

	for (part = first; part; part = part->next)
		if (part->image == image)
			return;
	if ((!image && !is_choice) || (first && first->number >= PARTS_MOST))
		return;
	part = sc_heap_xcalloc(1, sizeof(*part));
	*part = (struct sc_code_part){first, image, first ? first->number + 1 : 1, is_choice};
	if (is_choice && part->number == PARTS_MOST)
		part->image = 0; /* there may be more */
	m->parts = part;
}

static void add_kernel(struct sc_code *c, const struct sc_record *r)
{
	struct sc_code_module *m = module_of(c, r->op.peer);
	struct sc_code_kernel *k = sc_heap_xcalloc(1, sizeof(*k));
	uint32_t bytes = 0;
	const char *name = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);
	const struct sc_param *params;

	k->id = r->op.object;
	k->module = r->op.peer;
	k->next = m->kernels;
	m->kernels = k;
	k->name = sc_heap_xcopy(name, bytes);
	bytes = 0;
	params = sc_record_attachment(r, SC_ATTACH_LAYOUT, &bytes);
	k->param_count = bytes / sizeof(*params);
	k->params = params ? (void *)sc_heap_xcopy(params, bytes) : NULL;
	k->grid = (uint16_t)r->op.value;
	*sc_u64_map_get(&c->kernels, r->op.object) = (uintptr_t)k;
	c->found = NULL;
}

static void add_device(struct sc_code *c, uint32_t arch)
{
	if (c->has_device && c->arch != arch)
		arch = 0;
	c->arch = arch;
	c->has_device = 1;
}

void sc_code_note(struct sc_code *c, const struct sc_record *r)
{
	switch (r->op.kind) {
	case SC_OP_IMAGE: note_piece(c, r); break;
	case SC_OP_FUNCTION: add_kernel(c, r); break;
	case SC_OP_MODULE_LOAD:
	case SC_OP_MODULE_PART: add_part(c, r->op.object, r->op.peer, 0); break;
	case SC_OP_MODULE_CHOICE: add_part(c, r->op.object, r->op.peer, 1); break;
	case SC_OP_MODULE_UNLOAD:
		if (!r->op.result)
			unload(c, r->op.object);
		break;
	case SC_OP_DEVICE: add_device(c, (uint32_t)(r->op.value >> SC_DEVICE_ARCH_SHIFT)); break;
	}
}

/* The parameter layout from the machine code, for kernels of which the driver gave none. */
static void take_layout(struct sc_code_kernel *k, const struct sc_code_image *i)
{
	const struct sim_image_kernel *declared =
		i->declared ? sim_image_find_kernel(i->declared, k->name) : NULL;
	struct sc_param *params;

	if (!declared || k->params)
		return;
	params = sc_heap_xcalloc((size_t)declared->param_count + 1, sizeof(*params));
	for (uint32_t n = 0; n < declared->param_count; n++)
		params[n] = (struct sc_param){declared->params[n].offset_bytes,
					      declared->params[n].size_bytes};
	k->params = params;
	k->param_count = declared->param_count;
}

/* A kernel that two texts define may be either, so it is none. */
static void take_code(struct sc_code_kernel *k, struct sc_code_image *i, unsigned *found)
{
	for (size_t n = 0; n < i->texts.count; n++) {
		struct sc_footprint_kernel *code = sc_code_text_find(&i->texts.items[n], k->name);

		if (!code)
			continue;
		k->code = (*found)++ ? NULL : code;
		k->text = i->texts.items[n].module;
		k->is_sure = i->is_sure;
	}
}

_Static_assert((int)SC_GRID_KNOWN == SC_FOOTPRINT_KNOWS_GRID &&
		       (int)SC_GRID_WAIT == SC_FOOTPRINT_WAITS &&
		       (int)SC_GRID_TRIGGER == SC_FOOTPRINT_TRIGGERS &&
		       (int)SC_GRID_FENCE == SC_FOOTPRINT_FENCES &&
		       (int)SC_GRID_ALIAS_FENCE == SC_FOOTPRINT_FENCES_ALIASES &&
		       (int)SC_GRID_PUBLISHES_HOST == SC_FOOTPRINT_PUBLISHES_HOST &&
		       (int)SC_GRID_OBSERVES_HOST == SC_FOOTPRINT_OBSERVES_HOST &&
		       (int)SC_GRID_PUBLISHES == SC_FOOTPRINT_PUBLISHES &&
		       (int)SC_GRID_OBSERVES == SC_FOOTPRINT_OBSERVES &&
		       (int)SC_GRID_EARLY == SC_FOOTPRINT_EARLY &&
		       (int)SC_GRID_LATE_TRIGGER == SC_FOOTPRINT_TRIGGERS_LATE,
	       "one set of bits");

/* NCCL's kernels come without a text. They wait for those of other devices, and tell them, by words
 * in memory: what one has received another kernel, of whatever stream and process, has read. */
static bool is_collective(const char *name)
{
	const char *library = strstr(name, "nccl");

	return library && strstr(library, "Kernel");
}

static void seek_in_parts(struct sc_code *c, struct sc_code_kernel *k,
			  const struct sc_code_part *part)
{
	unsigned found = 0;
	size_t texts = 0;

	for (; part; part = part->next) {
		struct sc_code_image *i = find_image(c, part->image);

		if (!i)
			continue;
		sc_code_image_open(c->images, i,
				   &(struct sc_code_wish){c->arch, .layout = !k->params});
		take_layout(k, i);
		take_code(k, i, &found);
		texts += i->texts.count;
	}
	k->has_one_text = texts == 1;
}

/* What is sought among the device code of a file. */
struct choice {
	unsigned found; /* texts that define the kernel */
	bool is_other;	/* one of them is not the same as another, or there is one without a text */
	bool is_unknown; /* code was not kept or not understood, which may define it */
	bool is_unsure;	 /* the device may run other code than one of the texts says */
	size_t texts;
};

static void choose_in(struct sc_code_kernel *k, struct sc_code_image *i, struct choice *ch)
{
	bool has_any = 0;

	for (size_t n = 0; n < i->texts.count; n++) {
		struct sc_footprint_kernel *code = sc_code_text_find(&i->texts.items[n], k->name);

		if (!code)
			continue;
		has_any = 1;
		if (ch->found++) {
			ch->is_other |= !sc_footprint_is_same(k->code, code);
			continue;
		}
		k->code = code;
		k->text = i->texts.items[n].module;
	}
	ch->is_unsure |= has_any && !i->is_sure;
	ch->is_unknown |= !i->names;
	ch->is_other |= i->names && sim_image_find_kernel(i->names, k->name);
	ch->texts += i->texts.count;
}

/* Which part of a file's device code was loaded is not known: the one that has the kernel. Where
 * two have one of this name, it is either; where one is not known, it may be that one. */
static void seek_in_choice(struct sc_code *c, struct sc_code_kernel *k,
			   const struct sc_code_part *part)
{
	struct choice ch = {0};

	for (; part; part = part->next) {
		struct sc_code_image *i = find_image(c, part->image);

		if (!i) {
			ch.is_unknown = 1;
			continue;
		}
		sc_code_image_open(c->images, i, &(struct sc_code_wish){c->arch, .names = 1});
		choose_in(k, i, &ch);
	}
	if (ch.is_other)
		k->code = NULL;
	k->is_sure = !ch.is_unknown && !ch.is_unsure;
	if (ch.is_other && ch.found)
		k->reason = SC_REASON_SAME_NAME;
	else if (ch.is_unknown && ch.found)
		k->reason = SC_REASON_NOT_KEPT;
	k->has_one_text = ch.texts == 1;
}

static void seek(struct sc_code *c, struct sc_code_kernel *k)
{
	const struct sc_code_module *m = value_of(&c->modules, k->module);
	const struct sc_code_part *part = m ? m->parts : NULL;

	k->is_sought = 1;
	if (part && part->is_choice)
		seek_in_choice(c, k, part);
	else
		seek_in_parts(c, k, part);
	if (k->code)
		k->grid = (uint16_t)(sc_footprint_grid(k->code) &
				     (k->is_sure ? ~0u : ~(unsigned)SC_GRID_KNOWN));
	else if (is_collective(k->name))
		k->grid |= SC_GRID_PUBLISHES | SC_GRID_OBSERVES;
}

const struct sc_code_kernel *sc_code_find(const struct sc_code *c, uint32_t id)
{
	return c->found && c->found->id == id ? c->found : value_of(&c->kernels, id);
}

const struct sc_code_kernel *sc_code_kernel(struct sc_code *c, uint32_t id)
{
	struct sc_code_kernel *k = c->found;

	if (k && k->id == id)
		return k;
	k = value_of(&c->kernels, id);
	if (k && !k->is_sought)
		seek(c, k);
	c->found = k;
	return k;
}

bool sc_code_footprint(const struct sc_code_kernel *k, const struct sc_footprint_launch *launch,
		       struct sc_footprint *out)
{
	if (!k->code || launch->param_bytes < sc_footprint_param_bytes(k->code))
		return 0;
	*out = sc_footprint_of(k->code, launch);
	return 1;
}

unsigned sc_code_grid(struct sc_code *c, uint32_t kernel)
{
	const struct sc_code_kernel *k = sc_code_kernel(c, kernel);

	return k ? k->grid : 0;
}
