/* Excerpts of source files for the HTML report. */
#include "reports/html/html_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "reports/sources/source.h"

#define FILE_MAX   (4 << 20) /* bytes of the largest file looked into */
#define FILES_MAX  1024	     /* files looked into */
#define LINE_BYTES 240	     /* bytes shown of one line */

void sc_html_source_fini(struct sc_html_source *s)
{
	for (size_t i = 0; i < s->files.count; i++) {
		free(s->files.items[i].text);
		sc_vector_fini(&s->files.items[i].lines);
	}
	sc_vector_fini(&s->files);
	sc_json_pool_fini(&s->paths);
}

static void read_text(struct sc_html_file *file, struct sc_sources *sources,
		      const struct sc_frame *frame)
{
	FILE *source = sc_source_open(sources, frame->file);
	struct stat status;

	if (!source)
		return;
	if (!fstat(fileno(source), &status) && status.st_size <= FILE_MAX)
		file->text = malloc((size_t)status.st_size + 1);
	if (file->text)
		file->bytes = fread(file->text, 1, (size_t)status.st_size, source);
	sc_source_close(sources, source);
	file->is_newer = sc_source_is_newer(frame->file, frame->module);
}

static void find_lines(struct sc_html_file *file)
{
	for (size_t start = 0; start < file->bytes;) {
		const char *end = memchr(file->text + start, '\n', file->bytes - start);
		size_t bytes = end ? (size_t)(end - file->text) - start : file->bytes - start;

		sc_vector_push(&file->lines, ((struct sc_html_line){start, bytes, 0}));
		start += bytes + 1;
	}
}

static struct sc_html_file *file_of(struct sc_html_source *s, const struct sc_frame *frame)
{
	uint32_t index = sc_json_pool_text(&s->paths, frame->file);

	if (index >= FILES_MAX)
		return NULL;
	if (index == s->files.count) {
		struct sc_html_file file = {.path = frame->file};

		read_text(&file, s->sources, frame);
		find_lines(&file);
		sc_vector_push(&s->files, file);
	}
	return &s->files.items[index];
}

static size_t shown_bytes(const struct sc_html_line *line)
{
	return line->bytes < LINE_BYTES ? line->bytes : LINE_BYTES;
}

void sc_html_source_want(struct sc_html_source *s, const struct sc_frame *frame, unsigned around)
{
	unsigned number = frame->line;
	struct sc_html_file *file = number ? file_of(s, frame) : NULL;
	size_t first = number > around ? number - around : 1;

	for (size_t i = first; file && i <= (size_t)number + around; i++) {
		struct sc_html_line *line;

		if (i > file->lines.count)
			return;
		line = &file->lines.items[i - 1];
		if (line->is_wanted)
			continue;
		if (s->used + shown_bytes(line) > s->most) {
			s->is_cut = 1;
			return;
		}
		line->is_wanted = 1;
		s->used += shown_bytes(line);
	}
}

static void put_line(struct sc_json *j, struct sc_buf *line, const char *text, size_t bytes)
{
	size_t end = bytes;

	while (end && (text[end - 1] == '\r' || text[end - 1] == ' '))
		end--;
	sc_buf_clear(line);
	for (size_t i = 0; i < end; i++)
		sc_buf_add_char(line, text[i] ? text[i] : ' ');
	sc_json_text(j, NULL, sc_buf_text(line));
}

static void put_file(struct sc_json *j, const struct sc_html_file *file)
{
	struct sc_buf line = {0};

	sc_json_open(j, NULL, '[');
	sc_json_text(j, NULL, file->path);
	sc_json_open(j, NULL, '[');
	for (size_t i = 0; i < file->lines.count; i++) {
		const struct sc_html_line *l = &file->lines.items[i];

		if (!l->is_wanted)
			continue;
		sc_json_number(j, NULL, i + 1);
		put_line(j, &line, file->text + l->start, shown_bytes(l));
	}
	sc_json_close(j, ']');
	sc_json_bool(j, NULL, file->is_newer);
	sc_json_close(j, ']');
	sc_buf_fini(&line);
}

void sc_html_source_put(struct sc_json *w, const char *key, const struct sc_html_source *s)
{
	sc_json_open(w, key, '[');
	for (size_t i = 0; i < s->files.count; i++)
		put_file(w, &s->files.items[i]);
	sc_json_close(w, ']');
}
