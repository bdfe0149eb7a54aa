/* Fingerprint: a canonical text of each finding, hashed with its ordinal among equals. */
#include "reports/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/symbol/demangle.h"
#include "base/heap.h"
#include "base/map.h"
#include "reports/site.h"
#include "reports/words.h"

#define HASH_START UINT64_C(0xCBF29CE484222325)
#define HASH_PRIME UINT64_C(0x100000001B3)

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)text[i]) * HASH_PRIME;
	return hash;
}

uint64_t sc_fingerprint_hash(const char *text, size_t bytes)
{
	return hash_bytes(HASH_START, text, bytes);
}

/* Appends a function's name without the marks of clones: which ones there are changes from build
 * to build. */
static void add_function(struct sc_buf *out, const char *name)
{
	static const char *const marks[] = {" [clone ", ".constprop.", ".isra.",     ".part.",
					    ".cold",	".llvm.",      ".lto_priv.", "@"};
	size_t bytes = strlen(name);

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *mark = strstr(name, marks[i]);

		if (mark && (size_t)(mark - name) < bytes)
			bytes = (size_t)(mark - name);
	}
	sc_buf_add_bytes(out, name, bytes);
}

/* A frame without a name is a place in a module, of which the text keeps only the module's name. */
static void add_frame(struct sc_buf *out, const struct sc_frame *frame)
{
	const char *slash = strrchr(frame->module, '/');

	sc_buf_add(out, "  in ");
	if (frame->is_named)
		add_function(out, frame->function);
	else
		sc_buf_add(out, slash ? slash + 1 : frame->module);
	sc_buf_add_char(out, '\n');
}

static void add_frames(struct sc_buf *out, const struct sc_report *r, const struct sc_op *op)
{
	struct sc_report_site site;
	unsigned depth = 0;

	sc_site_of(&site, r, op);
	if (site.api)
		sc_buf_printf(out, "  by %s\n", site.api);
	for (size_t i = site.user; i < site.count && depth < SC_FINGERPRINT_DEPTH; i++)
		if (!site.frames[i].is_internal) {
			add_frame(out, &site.frames[i]);
			depth++;
		}
}

static void add_side(struct sc_buf *out, const struct sc_report *r, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(r->analysis, side->op);
	const char *kind = record ? sc_op_kind_text(record->op.kind) : NULL;
	char kernel[SC_DEMANGLE_MAX];

	sc_buf_printf(out, "%s %s\n", sc_words_mode(side->mode), kind ? kind : "unknown");
	if (!record)
		return;
	if (record->op.kind == SC_OP_KERNEL) {
		sc_demangle(sc_reader_function(r->reader, record->op.object), kernel,
			    sizeof(kernel));
		sc_buf_printf(out, "  kernel %s\n", kernel);
	}
	add_frames(out, r, &record->op);
}

/* Which of two calls came first may change from run to run, so the call whose text
 * compares less leads. */
static void add_sides(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f)
{
	struct sc_buf side[2] = {{0}, {0}};
	unsigned less;

	for (unsigned i = 0; i < f->sides && i < 2; i++)
		add_side(&side[i], r, &f->side[i]);
	less = strcmp(sc_buf_text(&side[0]), sc_buf_text(&side[1])) > 0 && f->sides > 1;
	sc_buf_add(out, sc_buf_text(&side[less]));
	sc_buf_add(out, sc_buf_text(&side[!less]));
	sc_buf_fini(&side[0]);
	sc_buf_fini(&side[1]);
}

void sc_fingerprint_describe(struct sc_buf *out, const struct sc_report *r,
			     const struct sc_finding *f)
{
	sc_buf_printf(out, "SC-%u\n", f->rule);
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			sc_buf_printf(out, "cause SC-%u\n", f->causes[i]);
	add_sides(out, r, f);
}

/* Ordinals are counted over hidden findings too, so that hiding one does not rename its equals:
 * the others take, in order, the ordinals that no hidden one has. */
struct ordinals {
	struct sc_u64_map next;	  /* by hash of the text */
	struct sc_u64_map hidden; /* fingerprints of hidden findings */
	struct sc_buf text;
};

static uint64_t fingerprint_of(struct ordinals *o, const struct sc_report *r,
			       const struct sc_finding *f)
{
	uint64_t *ordinal, hash, fingerprint;
	char line[32];

	sc_buf_clear(&o->text);
	sc_fingerprint_describe(&o->text, r, f);
	hash = sc_fingerprint_hash(o->text.text, o->text.bytes);
	ordinal = sc_u64_map_get(&o->next, hash);
	do {
		int bytes = snprintf(line, sizeof(line), "ordinal %" PRIu64 "\n", (*ordinal)++);

		fingerprint = hash_bytes(hash, line, (size_t)bytes);
	} while (sc_u64_map_find(&o->hidden, fingerprint));
	return fingerprint;
}

void sc_fingerprints_init(struct sc_fingerprints *all, const struct sc_report *r)
{
	const struct sc_finding *f = sc_analysis_findings(r->analysis, &all->count);
	struct ordinals ordinals = {0};

	all->items = sc_heap_xcalloc(all->count + 1, sizeof(*all->items));
	for (size_t i = 0; i < r->hidden_count; i++)
		*sc_u64_map_get(&ordinals.hidden, r->hidden[i].fingerprint) = 1;
	for (size_t i = 0; i < all->count; i++)
		all->items[i] = fingerprint_of(&ordinals, r, &f[i]);
	sc_u64_map_fini(&ordinals.next);
	sc_u64_map_fini(&ordinals.hidden);
	sc_buf_fini(&ordinals.text);
}

uint64_t sc_fingerprint_next(struct sc_u64_map *ordinals, const struct sc_report *r,
			     const struct sc_finding *f)
{
	struct ordinals all = {.next = *ordinals};
	uint64_t fingerprint = fingerprint_of(&all, r, f);

	*ordinals = all.next;
	sc_buf_fini(&all.text);
	return fingerprint;
}

void sc_fingerprints_fini(struct sc_fingerprints *all)
{
	free(all->items);
	*all = (struct sc_fingerprints){0};
}

void sc_fingerprint_text(char out[SC_FINGERPRINT_SIZE], uint64_t fingerprint)
{
	snprintf(out, SC_FINGERPRINT_SIZE, "%016" PRIx64, fingerprint);
}
