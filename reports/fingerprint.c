/* Fingerprint: a canonical text of each finding, hashed with its ordinal among equals. */
#include "reports/fingerprint.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/symbol/demangle.h"
#include "base/heap.h"
#include "base/map.h"
#include "reports/sources/site.h"
#include "reports/words/words.h"

#define NO_NAMESPACE "(anonymous namespace)"
#define HASH_START   UINT64_C(0xCBF29CE484222325)
#define HASH_PRIME   UINT64_C(0x100000001B3)

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

/* True for the function of a lambda, "f()::{lambda(int)#1}::operator()(int) const", of clang
 * "f()::$_0::operator()(int) const": of one that was inlined, debug information has the last part
 * of the name only. */
static bool is_lambda(const char *name)
{
	static const char call[] = "::operator()(";
	const char *at = name, *found = NULL;
	size_t depth = 1;

	while ((at = strstr(at, call)))
		found = at += strlen(call);
	if (!found || (!strstr(name, "::{lambda(") && !strstr(name, "::$_")) ||
	    !strchr("}0123456789", found[-1 - (int)strlen(call)]))
		return 0;
	for (at = found; *at && depth; at++)
		depth += (*at == '(') - (*at == ')');
	return !*at || !strcmp(at, " const") || !strncmp(at, " [clone", strlen(" [clone"));
}

/* Where a bracket at `at` ends that says nothing of a name: arguments, of templates too. */
static const char *after_arguments(const char *at)
{
	const char *c = at;
	int depth = 0;

	if (!strchr("(<", *at) || !strncmp(at, NO_NAMESPACE, strlen(NO_NAMESPACE)))
		return at;
	for (; *c; c++) {
		depth += strchr("(<", *c) ? 1 : 0;
		depth -= strchr(")>", *c) && (c == at || c[-1] != '-') ? 1 : 0;
		if (!depth)
			return c + 1;
	}
	return c;
}

/* Appends a function's name without arguments, result and what a compiler adds to clones: one line
 * is of several instances of a template, and which clones there are changes from build to build. */
static void add_function(struct sc_buf *out, const char *name)
{
	static const char *const marks[] = {" [clone ",	  ".constprop.", ".isra.",
					    ".part.",	  ".cold",	 ".llvm.",
					    ".lto_priv.", "._omp_fn.",	 "@"};
	size_t start = out->bytes, bytes;

	name = is_lambda(name) ? "operator()" : name;
	bytes = strlen(name);
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *mark = strstr(name, marks[i]);

		if (mark && (size_t)(mark - name) < bytes)
			bytes = (size_t)(mark - name);
	}
	for (const char *c = name, *next; c < name + bytes; c = next) {
		next = after_arguments(c);
		if (next > c)
			continue;
		next = c +
		       (strncmp(c, NO_NAMESPACE, strlen(NO_NAMESPACE)) ? 1 : strlen(NO_NAMESPACE));
		if (!strncmp(c, " const", strlen(" const")))
			break;
		if (*c == ' ') {
			out->bytes = start; /* it was the result */
			continue;
		}
		sc_buf_add_bytes(out, c, (size_t)(next - c));
	}
	if (out->bytes == start) /* <module> of Python */
		sc_buf_add_bytes(out, name, bytes);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A frame without a name is a place in a module, of which the text keeps only the module's name;
 * with lines, one without a line is the place itself. */
static void add_frame(struct sc_buf *out, const struct sc_frame *frame, bool has_lines)
{
	sc_buf_add(out, "  in ");
	if (has_lines && frame->line && *frame->file)
		sc_buf_printf(out, "%s:%u", frame->file, frame->line);
	else if (has_lines)
		sc_buf_printf(out, "%s+%" PRIx64, base_name(frame->module), frame->offset);
	else if (frame->is_named)
		add_function(out, frame->function);
	else
		sc_buf_add(out, base_name(frame->module));
	sc_buf_add_char(out, '\n');
}

/* What the line itself does. What a library does that it calls are many things. */
static void add_call(struct sc_buf *out, const struct sc_report *r,
		     const struct sc_report_site *site, const struct sc_op *op, bool is_race)
{
	bool is_host = op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE;
	char kernel[SC_DEMANGLE_MAX];

	sc_buf_printf(out, "%s\n", is_host && is_race ? "host" : sc_op_kind_text(op->kind));
	if (site->api)
		sc_buf_printf(out, "  by %s\n", site->api);
	if (op->kind != SC_OP_KERNEL)
		return;
	sc_demangle(sc_reader_function(r->reader, op->object), kernel, sizeof(kernel));
	sc_buf_add(out, "  kernel ");
	add_function(out, kernel);
	sc_buf_add_char(out, '\n');
}

/* Without a frame of the user all of them say where it is. */
static void add_side(struct sc_buf *out, const struct sc_report *r, const struct sc_side *side,
		     bool is_race, bool has_lines)
{
	const struct sc_record *record = sc_analysis_record(r->analysis, side->op);
	struct sc_report_site site;

	if (!is_race)
		sc_buf_printf(out, "%s\n", sc_words_mode(side->mode));
	if (!record) {
		sc_buf_add(out, "unknown\n");
		return;
	}
	sc_site_of(&site, r, &record->op);
	if (sc_site_is_direct(&site) || site.user == site.count)
		add_call(out, r, &site, &record->op, is_race);
	if (site.user < site.count)
		add_frame(out, &site.frames[site.user], has_lines);
	for (size_t i = 0; has_lines && site.user == site.count && i < site.count; i++)
		add_frame(out, &site.frames[i], has_lines);
	if (has_lines && !site.count)
		sc_buf_printf(out, "  at %" PRIu64 "\n", side->op);
}

/* Which of two calls came first may change from run to run, so the call whose text compares less
 * leads. Returns the hash of the first side's. */
static uint64_t add_finding(struct sc_buf *out, const struct sc_report *r,
			    const struct sc_finding *f, bool has_lines)
{
	bool is_race = sc_finding_lacks_order(f);
	struct sc_buf side[2] = {{0}, {0}};
	unsigned less;
	uint64_t begins;

	if (is_race)
		sc_buf_add(out, "race\n");
	else
		sc_buf_printf(out, "SC-%u\n", f->rule);
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		add_side(&side[i], r, &f->side[i], is_race, has_lines);
	less = strcmp(sc_buf_text(&side[0]), sc_buf_text(&side[1])) > 0 && f->sides > 1;
	sc_buf_add(out, sc_buf_text(&side[less]));
	sc_buf_add(out, sc_buf_text(&side[!less]));
	begins = sc_fingerprint_hash(sc_buf_text(&side[0]), side[0].bytes);
	sc_buf_fini(&side[0]);
	sc_buf_fini(&side[1]);
	return begins;
}

void sc_fingerprint_describe(struct sc_buf *out, const struct sc_report *r,
			     const struct sc_finding *f)
{
	add_finding(out, r, f, 0);
}

struct sc_finding_key sc_fingerprint_lines(const struct sc_report *r, const struct sc_finding *f)
{
	struct sc_buf text = {0};
	struct sc_finding_key key = {0};

	if (f->suppression || f->severity == SC_ADVICE)
		return key;
	key.begins = add_finding(&text, r, f, 1);
	key.key = sc_fingerprint_hash(sc_buf_text(&text), text.bytes);
	sc_buf_fini(&text);
	return key;
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
