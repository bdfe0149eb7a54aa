/* Code that is linked at run time: parts are collected by link, results known by their content. */
#include "interposer/call/link.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "interposer/core/put.h"
#include "interposer/object/image.h"
#include "interposer/core/thread.h"
#include "interposer/core/table.h"
#include "interposer/core/module.h"
#include "interposer/core/lock.h"
#include "interposer/core/arena.h"
#include "interposer/core/scratch.h"

struct sc_links sc_links;

#define MOST_PARTS   256 /* of one link; later ones count as not kept */
#define HEAD_BYTES   64	 /* enough to distinguish most results */
#define MOST_RESULTS 4096

struct sc_parts {
	uint32_t count;
	uint32_t images[MOST_PARTS]; /* 0: not kept */
};

struct sc_linked {
	struct sc_linked *next;
	uint64_t bytes, hash;
	uint8_t head[HEAD_BYTES];
	uint32_t number;	/* of results so far */
	struct sc_parts *parts; /* as the link was; never changed */
};

static bool read_memory(uint64_t address, void *to, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)address, bytes};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* Of the bytes at `data`; false if they cannot be read. */
static bool hash_memory(const void *data, uint64_t bytes, uint64_t *hash)
{
	uint8_t *scratch = sc_thread_scratch();
	uint64_t done, part;

	*hash = UINT64_C(0xcbf29ce484222325);
	for (done = 0; done < bytes; done += part) {
		part = bytes - done < SC_SCRATCH_BYTES ? bytes - done : SC_SCRATCH_BYTES;
		if (!scratch || !read_memory((uint64_t)data + done, scratch, part))
			return false;
		for (uint64_t i = 0; i < part; i++)
			*hash = (*hash ^ scratch[i]) * UINT64_C(0x100000001b3);
	}
	return true;
}

/* ---- parts ---- */

static void add_part(const void *state, uint32_t image)
{
	struct sc_links *all = &sc_links;
	struct sc_parts *parts;

	sc_lock_get(&all->lock);
	parts = sc_table_get(&all->by_state, (uint64_t)state);
	if (parts && parts->count < MOST_PARTS)
		parts->images[parts->count++] = image;
	else if (parts)
		parts->images[MOST_PARTS - 1] = 0;
	sc_lock_put(&all->lock);
}

static void created(const void *state)
{
	struct sc_parts *parts = sc_arena_get(sizeof(*parts));

	if (state && parts)
		sc_table_put(&sc_links.by_state, (uint64_t)state, parts);
}

/* Host objects and libraries hide their device code in sections that are not looked into. */
static uint32_t keep_data(CUjitInputType type, const void *data, size_t bytes)
{
	if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY &&
	    type != CU_JIT_INPUT_CUBIN)
		return 0;
	return bytes ? sc_image_keep(data, bytes) : 0;
}

static uint32_t keep_file(CUjitInputType type, const char *path)
{
	if (!path || (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY &&
		      type != CU_JIT_INPUT_CUBIN))
		return 0;
	return sc_image_keep_file(path);
}

void sc_link_created(struct sc_call *call)
{
	const cuLinkCreate_v2_params *p = call->params;

	created(*p->stateOut);
}

void sc_link_data_added(struct sc_call *call)
{
	const cuLinkAddData_v2_params *p = call->params;

	add_part(p->state, keep_data(p->type, p->data, p->size));
}

void sc_link_data_added_v1(struct sc_call *call)
{
	const cuLinkAddData_params *p = call->params;

	add_part(p->state, keep_data(p->type, p->data, p->size));
}

void sc_link_file_added(struct sc_call *call)
{
	const cuLinkAddFile_v2_params *p = call->params;

	add_part(p->state, keep_file(p->type, p->path));
}

void sc_link_file_added_v1(struct sc_call *call)
{
	const cuLinkAddFile_params *p = call->params;

	add_part(p->state, keep_file(p->type, p->path));
}

/* ---- results ---- */

static void add_result(struct sc_linked *r)
{
	struct sc_links *all = &sc_links;

	sc_lock_get(&all->lock);
	r->number = all->results ? all->results->number + 1 : 1;
	r->next = all->results;
	if (r->number <= MOST_RESULTS)
		all->results = r;
	sc_lock_put(&all->lock);
}

void sc_link_completed(struct sc_call *call)
{
	const cuLinkComplete_params *p = call->params;
	struct sc_parts *parts = sc_table_get(&sc_links.by_state, (uint64_t)p->state);
	struct sc_linked *r = sc_arena_get(sizeof(*r));

	if (!r || !parts || !p->cubinOut || !p->sizeOut || *p->sizeOut < HEAD_BYTES)
		return;
	r->bytes = *p->sizeOut;
	r->parts = parts;
	if (read_memory((uint64_t)*p->cubinOut, r->head, HEAD_BYTES) &&
	    hash_memory(*p->cubinOut, r->bytes, &r->hash))
		add_result(r);
}

static const struct sc_linked *find_result(const void *image)
{
	const struct sc_linked *r;
	uint8_t head[HEAD_BYTES];
	uint64_t hash;

	sc_lock_get(&sc_links.lock);
	r = sc_links.results;
	sc_lock_put(&sc_links.lock);
	if (!r || !read_memory((uint64_t)image, head, sizeof(head)))
		return NULL;
	for (; r; r = r->next) {
		if (!memcmp(r->head, head, sizeof(head)) && hash_memory(image, r->bytes, &hash) &&
		    hash == r->hash)
			return r;
	}
	return NULL;
}

bool sc_link_loaded(uint32_t module, const void *image)
{
	const struct sc_linked *r = find_result(image);

	for (uint32_t i = 0; r && i < r->parts->count; i++) {
		struct sc_op op = {
			.kind = SC_OP_MODULE_PART, .object = module, .peer = r->parts->images[i]};

		sc_put_op(&op, NULL, 0);
	}
	return r != NULL;
}

/* ---- the module ---- */

const struct sc_module sc_module_link = {SC_MODULE_STATE(sc_links)};
