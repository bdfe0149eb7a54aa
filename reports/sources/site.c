/* Site: which frame of a stack the user wrote, and which CUDA function was called there. */
#include "reports/sources/site.h"

#include <stdbool.h>
#include <string.h>
#include "analyzer/symbol/demangle.h"
#include "analyzer/symbol/stub.h"
#include "reports/words/short_name.h"
#include "reports/utf8.h"

bool sc_site_is_interface(const char *name)
{
	size_t skip = !strncmp(name, "cuda", 4) ? 4 : 2;

	return !strncmp(name, "cu", 2) && name[skip] >= 'A' && name[skip] <= 'Z' &&
	       !strchr(name, '<') && !strchr(name, '(');
}

static size_t skip_internal(const struct sc_report_site *site, size_t from)
{
	while (from < site->count && site->frames[from].is_internal)
		from++;
	return from;
}

/* Only stubs call this function of the runtime; in a stripped program they have no name. */
static bool is_called_by_stub(const struct sc_frame *frame)
{
	return !strncmp(frame->function, "__cudaLaunchKernel", strlen("__cudaLaunchKernel"));
}

/* True for the kernel's host function, if that did not jump to the stub, and for a stub without a
 * name. */
static bool is_of_launch(const struct sc_frame *inner, const struct sc_frame *frame)
{
	return sc_stub_is_called_by(inner->function, frame->function) ||
	       (!frame->is_named && is_called_by_stub(inner));
}

void sc_site_of_stack(struct sc_report_site *out, const struct sc_report *r, uint32_t stack)
{
	*out = (struct sc_report_site){0};
	out->count = sc_symbols_stack(r->symbols, stack, &out->frames);
	out->user = skip_internal(out, 0);
	for (size_t i = 0; i < out->user; i++)
		if (out->frames[i].is_named && sc_site_is_interface(out->frames[i].function))
			out->api = out->frames[i].function;
	if (out->user && out->user < out->count &&
	    is_of_launch(&out->frames[out->user - 1], &out->frames[out->user]))
		out->user = skip_internal(out, out->user + 1);
}

/* Without debug information the stub has no name, but that host function has. */
static void skip_wrapper(struct sc_report_site *site, const struct sc_report *r, uint32_t kernel)
{
	char name[SC_DEMANGLE_MAX];

	sc_demangle(sc_reader_function(r->reader, kernel), name, sizeof(name));
	while (site->user < site->count && !strcmp(site->frames[site->user].function, name))
		site->user = skip_internal(site, site->user + 1);
}

void sc_site_of(struct sc_report_site *out, const struct sc_report *r, const struct sc_op *op)
{
	sc_site_of_stack(out, r, op->stack);
	if (op->kind == SC_OP_KERNEL)
		skip_wrapper(out, r, op->object);
}

const struct sc_frame *sc_site_frame(const struct sc_report_site *site)
{
	if (site->user < site->count)
		return &site->frames[site->user];
	for (size_t i = 0; i < site->count; i++)
		if (site->frames[i].line && !sc_frame_is_ours(&site->frames[i]))
			return &site->frames[i];
	for (size_t i = 0; i < site->count; i++)
		if (!sc_frame_is_ours(&site->frames[i]))
			return &site->frames[i];
	return NULL;
}

bool sc_site_is_entry(const struct sc_frame *frame)
{
	static const char *const files[] = {"/cuda_runtime.h", "/crt/", ".stub.c",
					    "/streamcheck/simulator/runtime/"};
	static const char *const names[] = {"__cuda", "libcudart_static_"};
	const char *slash = strrchr(frame->module, '/'),
		   *module = slash ? slash + 1 : frame->module;

	if (!frame->is_internal || !frame->is_named || sc_site_is_interface(frame->function) ||
	    sc_stub_is(frame->function) || sc_frame_is_ours(frame))
		return 1;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (strstr(frame->file, files[i]))
			return 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(frame->function, names[i], strlen(names[i])))
			return 1;
	return !strncmp(module, "libcuda", strlen("libcuda"));
}

bool sc_site_is_direct(const struct sc_report_site *site)
{
	for (size_t i = 0; i < site->user; i++)
		if (!sc_site_is_entry(&site->frames[i]))
			return 0;
	return site->user < site->count;
}

/* The user's frame that is `depth` below the outermost, or NULL. */
static const struct sc_frame *frame_at(const struct sc_report_site *site, size_t depth)
{
	for (size_t i = site->count; i-- > site->user;)
		if (!site->frames[i].is_internal && !depth--)
			return &site->frames[i];
	return NULL;
}

static bool is_same_function(const struct sc_frame *a, const struct sc_frame *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

bool sc_site_part(const struct sc_report_site *a, const struct sc_report_site *b,
		  const struct sc_frame *out[2])
{
	for (size_t depth = 0;; depth++) {
		out[0] = frame_at(a, depth);
		out[1] = frame_at(b, depth);
		if (!out[0] || !out[1] || !out[0]->line || !is_same_function(out[0], out[1]))
			return 0;
		if (out[0]->line != out[1]->line)
			return 1;
	}
}

const char *sc_site_path(const struct sc_frame *frame, const char *directory)
{
	const char *path = frame->file;
	size_t bytes = directory ? strlen(directory) : 0;

	if (!bytes || strncmp(path, directory, bytes) != 0 || path[bytes] != '/' ||
	    !path[bytes + 1])
		return path;
	return path + bytes + 1;
}

void sc_site_add_function(struct sc_buf *out, const struct sc_frame *frame)
{
	struct sc_buf clean = {0};

	sc_utf8_add_clean(&clean, frame->function);
	sc_short_name_add(out, sc_buf_text(&clean));
	sc_buf_fini(&clean);
}

void sc_site_add_place(struct sc_buf *out, const struct sc_frame *frame, const char *directory)
{
	if (!frame->line || !*frame->file) {
		sc_site_add_function(out, frame);
		return;
	}
	sc_utf8_add_clean(out, sc_site_path(frame, directory));
	sc_buf_printf(out, ":%u", frame->line);
}
