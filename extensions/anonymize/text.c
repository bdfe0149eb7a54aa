/* Texts: what becomes of them, by the kind of record. */
#include "extensions/anonymize/text.h"

#include <stdlib.h>
#include <string.h>
#include "analyzer/declare/declaration_lexer.h"
#include "analyzer/symbol/demangle.h"
#include "base/glob.h"
#include "base/heap.h"
#include "base/sim_device.h"

#define LEFT_OUT "left out"

struct text {
	const char *at;
	uint32_t bytes;
};

static bool is(struct text t, const char *other)
{
	return t.bytes == strlen(other) && !memcmp(t.at, other, t.bytes);
}

static bool has(struct text t, const char *part)
{
	return memmem(t.at, t.bytes, part, strlen(part)) != NULL;
}

static void add_name(struct sc_private_names *n, enum sc_private_kind kind, struct text t,
		     struct sc_buf *out)
{
	char name[SC_PRIVATE_NAME];

	sc_buf_add(out, sc_private_name(n, kind, t.at, t.bytes, name));
}

static void add_kernel(struct sc_private_names *n, struct text t, struct sc_buf *out)
{
	char name[SC_PRIVATE_NAME];

	sc_buf_add(out, sc_private_kernel(n, t.at, t.bytes, name));
}

/* ---- declarations: the kernels that a pattern means, each with what is said of them ---- */

static bool is_meant(const char *pattern, const char *kernel)
{
	char readable[SC_DEMANGLE_MAX];

	if (sc_glob_matches(pattern, kernel))
		return 1;
	sc_demangle(kernel, readable, sizeof(readable));
	return sc_glob_matches(pattern, readable);
}

/* Ends the declaration that was read so far. */
static void add_declared(struct sc_private_names *n, const sc_private_kernels *kernels,
			 const char *pattern, struct sc_buf *body, struct sc_buf *out)
{
	for (size_t i = 0; pattern && i < kernels->count; i++) {
		const char *kernel = kernels->items[i];

		if (!is_meant(pattern, kernel))
			continue;
		sc_buf_add(out, "kernel ");
		add_kernel(n, (struct text){kernel, (uint32_t)strlen(kernel)}, out);
		sc_buf_printf(out, "\n%s", sc_buf_text(body));
	}
	sc_buf_clear(body);
}

static void add_declarations(struct sc_private_names *n, const sc_private_kernels *kernels,
			     struct text t, struct sc_buf *out)
{
	struct sc_declaration_lexer l;
	struct sc_buf body = {0};
	char *pattern = NULL;
	size_t bytes;

	sc_declaration_lexer_init(&l, "", t.at, t.bytes, NULL, 0);
	while (sc_declaration_next_line(&l)) {
		bool is_kernel = sc_declaration_take(&l, "kernel");
		const char *rest = sc_declaration_rest(&l, &bytes);

		if (is_kernel) {
			add_declared(n, kernels, pattern, &body, out);
			free(pattern);
			pattern = sc_heap_xcopy(rest, bytes);
			continue;
		}
		sc_buf_add_bytes(&body, rest, bytes);
		sc_buf_add_char(&body, '\n');
	}
	add_declared(n, kernels, pattern, &body, out);
	free(pattern);
	sc_buf_fini(&body);
}

/* ---- the rest ---- */

/* "RULES: why". */
static void add_rules(struct text t, struct sc_buf *out)
{
	const char *colon = memchr(t.at, ':', t.bytes);

	if (colon)
		sc_buf_add_bytes(out, t.at, (size_t)(colon + 1 - t.at));
	sc_buf_add(out, " " LEFT_OUT);
}

/* "KERNEL: why". */
static void add_launches(struct sc_private_names *n, struct text t, struct sc_buf *out)
{
	const char *colon = memchr(t.at, ':', t.bytes);

	if (!t.bytes)
		return;
	t.bytes = colon ? (uint32_t)(colon - t.at) : t.bytes;
	add_kernel(n, t, out);
	sc_buf_add(out, ": " LEFT_OUT);
}

/* The analysis asks whether these two work, and only counts the others. */
static void add_source(struct text t, struct sc_buf *out)
{
	static const char *const known[] = {"host synchronization", "questions for errors"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (is(t, known[i])) {
			sc_buf_add(out, known[i]);
			return;
		}
	sc_buf_add(out, LEFT_OUT);
}

static bool add_text(struct sc_private_names *n, const sc_private_kernels *kernels, unsigned kind,
		     struct text t, struct sc_buf *out)
{
	switch (kind) {
	case SC_OP_STRING:
		sc_buf_add_bytes(out, t.at, t.bytes); /* a function of an interface */
		return 1;
	case SC_OP_FUNCTION: add_kernel(n, t, out); return 1;
	case SC_OP_SYMBOL: add_name(n, SC_PRIVATE_VARIABLE, t, out); return 1;
	case SC_OP_NAME: add_name(n, SC_PRIVATE_OBJECT, t, out); return 1;
	case SC_OP_LABEL: add_name(n, SC_PRIVATE_MEMORY, t, out); return 1;
	case SC_OP_RANGE_PUSH:
	case SC_OP_RANGE_START:
	case SC_OP_MARK: add_name(n, SC_PRIVATE_RANGE, t, out); return 1;
	case SC_OP_DECLARE: add_declarations(n, kernels, t, out); return 1;
	case SC_OP_LAUNCHES: add_launches(n, t, out); return 1;
	case SC_OP_QUIET_BEGIN: add_rules(t, out); return 1;
	case SC_OP_SOURCE: add_source(t, out); return 1;
	case SC_OP_OPTIONS:
		sc_buf_add(out, has(t, "allocators=visible") ? "allocators=visible" : "");
		return 1;
	case SC_OP_DEVICE:
		sc_buf_add(out, is(t, SC_SIM_DEVICE_NAME) ? SC_SIM_DEVICE_NAME : "device");
		return 1;
	case SC_OP_PROCESS:
	case SC_OP_SETTING:
	case SC_OP_LOST:
	case SC_OP_DEVICE_LOST:
	case SC_OP_BENIGN: sc_buf_add(out, LEFT_OUT); return 1;
	default: return 0;
	}
}

bool sc_private_text(struct sc_private_names *n, const sc_private_kernels *kernels,
		     const struct sc_record *r, struct sc_buf *out)
{
	struct text t = {.at = NULL};

	sc_buf_clear(out);
	t.at = sc_record_attachment(r, SC_ATTACH_TEXT, &t.bytes);
	return t.at && add_text(n, kernels, r->op.kind, t, out);
}
