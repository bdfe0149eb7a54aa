/* Diff: changes in the order of their lines, with three lines around them. */
#include "extensions/repair/patcher/diff.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

#define AROUND 3

struct sc_diff_file *sc_diff_open(struct sc_diff *d, const char *path)
{
	struct sc_diff_file file = {0};

	for (size_t i = 0; i < d->files.count; i++)
		if (!strcmp(d->files.items[i].path, path))
			return &d->files.items[i];
	if (!sc_source_lines_read(&file.source, d->sources, path))
		return NULL;
	file.path = sc_heap_xcalloc(1, strlen(path) + 1);
	memcpy(file.path, path, strlen(path));
	sc_vector_push(&d->files, file);
	return sc_vector_last(&d->files);
}

/* Changes at one line stay in the order in which they were made. */
static struct sc_diff_change *change_at(struct sc_diff_file *f, unsigned before)
{
	size_t i = f->changes.count;

	sc_vector_push(&f->changes, (struct sc_diff_change){0});
	for (; i && f->changes.items[i - 1].before > before; i--)
		f->changes.items[i] = f->changes.items[i - 1];
	f->changes.items[i] = (struct sc_diff_change){.before = before};
	return &f->changes.items[i];
}

void sc_diff_insert(struct sc_diff_file *f, unsigned before, unsigned like, const char *code)
{
	const char *line = like <= f->source.lines.count ? f->source.lines.items[like - 1] : "";
	struct sc_diff_change *change = change_at(f, before);

	sc_buf_add_bytes(&change->text, line, strspn(line, " \t"));
	sc_buf_printf(&change->text, "%s\n", code);
}

void sc_diff_remove(struct sc_diff_file *f, unsigned first, unsigned last)
{
	change_at(f, first)->removed = last - first + 1;
}

static void add_lines(struct sc_buf *out, const char *mark, const char *text)
{
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		sc_buf_add(out, mark);
		sc_buf_add_bytes(out, text, bytes + 1);
		text += bytes + 1;
	}
}

static void add_source(struct sc_buf *out, const struct sc_diff_file *f, char mark, unsigned line)
{
	sc_buf_add_char(out, mark);
	sc_buf_printf(out, "%s\n", f->source.lines.items[line - 1]);
}

struct hunk {
	unsigned old_begin, old_count, new_count;
	struct sc_buf text;
};

/* Takes the changes from `i` on that are near each other; returns the first that is not. */
static size_t make_hunk(struct hunk *h, const struct sc_diff_file *f, size_t i)
{
	unsigned total = (unsigned)f->source.lines.count;
	unsigned line =
		f->changes.items[i].before > AROUND ? f->changes.items[i].before - AROUND : 1;
	unsigned end = line;

	h->old_begin = line;
	for (; i < f->changes.count; i++) {
		const struct sc_diff_change *c = &f->changes.items[i];

		if (c->before > end + 2 * AROUND && end != h->old_begin)
			break;
		for (; line < c->before && line <= total; line++, h->old_count++, h->new_count++)
			add_source(&h->text, f, ' ', line);
		for (unsigned k = 0; k < c->removed; k++, line++, h->old_count++)
			add_source(&h->text, f, '-', line);
		add_lines(&h->text, "+", sc_buf_text(&c->text));
		for (const char *t = sc_buf_text(&c->text); *t; t++)
			h->new_count += *t == '\n';
		end = line > h->old_begin ? line : h->old_begin + 1;
	}
	for (unsigned k = 0; k < AROUND && line <= total;
	     k++, line++, h->old_count++, h->new_count++)
		add_source(&h->text, f, ' ', line);
	return i;
}

static void write_file(struct sc_buf *out, const struct sc_diff_file *f, const char *directory)
{
	size_t bytes = directory ? strlen(directory) : 0;
	const char *path = f->path;
	int shift = 0;

	if (bytes && !strncmp(path, directory, bytes) && path[bytes] == '/')
		path += bytes + 1;
	sc_buf_printf(out, "--- a/%s\n+++ b/%s\n", path, path);
	for (size_t i = 0; i < f->changes.count;) {
		struct hunk h = {0};

		i = make_hunk(&h, f, i);
		sc_buf_printf(out, "@@ -%u,%u +%u,%u @@\n%s", h.old_begin, h.old_count,
			      (unsigned)((int)h.old_begin + shift), h.new_count,
			      sc_buf_text(&h.text));
		shift += (int)h.new_count - (int)h.old_count;
		sc_buf_fini(&h.text);
	}
}

void sc_diff_write(struct sc_buf *out, struct sc_diff *d, const char *directory)
{
	for (size_t i = 0; i < d->files.count; i++)
		if (d->files.items[i].changes.count)
			write_file(out, &d->files.items[i], directory);
}

void sc_diff_fini(struct sc_diff *d)
{
	for (size_t i = 0; i < d->files.count; i++) {
		struct sc_diff_file *f = &d->files.items[i];

		for (size_t k = 0; k < f->changes.count; k++)
			sc_buf_fini(&f->changes.items[k].text);
		sc_vector_fini(&f->changes);
		sc_source_lines_fini(&f->source);
		free(f->path);
	}
	sc_vector_fini(&d->files);
}
