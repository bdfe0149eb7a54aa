/* Remarks: kept, sorted, their places put into words. */
#include "extensions/ranks/across/remark.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT " at "

void sc_across_remarks_add(struct sc_across_remarks *all, uint32_t process, struct sc_remark remark,
			   struct sc_buf *text)
{
	if (all->list.count >= SC_ACROSS_REMARKS_MOST) {
		all->left_out++;
		sc_buf_fini(text);
		return;
	}
	remark.text = text->text;
	*text = (struct sc_buf){0};
	sc_vector_push(&all->list, ((struct sc_across_remark){process, remark}));
}

static int compare(const void *left, const void *right)
{
	const struct sc_across_remark *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->remark.sequence != b->remark.sequence)
		return a->remark.sequence < b->remark.sequence ? -1 : 1;
	if (a->remark.rule != b->remark.rule)
		return a->remark.rule < b->remark.rule ? -1 : 1;
	return strcmp(a->remark.text, b->remark.text);
}

void sc_across_remarks_sort(struct sc_across_remarks *all)
{
	if (all->list.count)
		qsort(all->list.items, all->list.count, sizeof(*all->list.items), compare);
}

void sc_across_remark_place(struct sc_buf *out, uint32_t process, uint64_t sequence)
{
	sc_buf_printf(out, "%c%" PRIu32 ":%" PRIu64 "%c", SC_ACROSS_PLACE_BEGIN, process, sequence,
		      SC_ACROSS_PLACE_END);
}

/* What the mark says; returns what comes after it. All marks are sc_across_remark_place's. */
static const char *read_mark(const char *mark, uint32_t *process, uint64_t *sequence)
{
	char *rest;

	*process = (uint32_t)strtoul(mark + 1, &rest, 10);
	*sequence = strtoull(rest + 1, &rest, 10);
	return rest + 1;
}

void sc_across_remarks_places(const struct sc_across_remarks *all,
			      void (*see)(void *data, uint32_t process, uint64_t sequence),
			      void *data)
{
	for (size_t i = 0; i < all->list.count; i++) {
		const char *text = all->list.items[i].remark.text;

		while ((text = strchr(text, SC_ACROSS_PLACE_BEGIN))) {
			uint64_t sequence;
			uint32_t process;

			text = read_mark(text, &process, &sequence);
			see(data, process, sequence);
		}
	}
}

/* The text without its marks. */
static char *put_into_words(const char *text, sc_across_place name, void *data)
{
	struct sc_buf out = {0}, place = {0};
	const char *mark;

	while ((mark = strchr(text, SC_ACROSS_PLACE_BEGIN))) {
		uint64_t sequence;
		uint32_t process;
		const char *rest = read_mark(mark, &process, &sequence);

		sc_buf_add_bytes(&out, text, (size_t)(mark - text));
		sc_buf_clear(&place);
		if (name(data, &place, process, sequence)) {
			sc_buf_add(&out, AT);
			sc_buf_add(&out, sc_buf_text(&place));
		}
		text = rest;
	}
	sc_buf_add(&out, text);
	sc_buf_fini(&place);
	return out.text;
}

void sc_across_remarks_name(struct sc_across_remarks *all, sc_across_place name, void *data)
{
	for (size_t i = 0; i < all->list.count; i++) {
		char *text = all->list.items[i].remark.text;

		all->list.items[i].remark.text = put_into_words(text, name, data);
		free(text);
	}
}

void sc_across_remarks_fini(struct sc_across_remarks *all)
{
	for (size_t i = 0; i < all->list.count; i++)
		free(all->list.items[i].remark.text);
	sc_vector_fini(&all->list);
}
