/* Footprints files: read whole, tried out once so that mistakes are reported with their line. */
#include "cmds/files/footprints.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/declare/declaration.h"
#include "base/message.h"
#include "cmds/files/install.h"
#include "cmds/files/text_file.h"

static void check(const struct sc_footprints_text *t)
{
	struct sc_declaration_source source = {t->name, SC_HOW_FILE, t->is_fallback};
	struct sc_declarations all = {0};
	char message[512] = "";

	if (sc_declarations_parse(&all, &source, t->text, t->bytes, message, sizeof(message)))
		sc_die("footprints: %s", message);
	sc_declarations_fini(&all);
}

static int add(struct sc_footprints_files *f, const char *path, bool is_fallback)
{
	struct sc_footprints_text *t = &f->texts[f->count];
	char *text;
	int err = sc_text_file_read(path, &text, &t->bytes);

	if (err)
		return err;
	t->name = path;
	t->text = text;
	t->is_fallback = is_fallback;
	f->count++;
	check(t);
	return 0;
}

void sc_footprints_files_read(struct sc_footprints_files *f, const struct sc_options *o)
{
	char installed[PATH_MAX];

	*f = (struct sc_footprints_files){0};
	sc_install_footprints(installed);
	add(f, installed, 1); /* an installation may be without it */
	for (unsigned i = 0; i < o->footprints_file.count; i++) {
		int err = add(f, o->footprints_file.text[i], 0);

		if (err)
			sc_die("footprints: cannot read %s: %s", o->footprints_file.text[i],
			       strerror(-err));
	}
}

void sc_footprints_files_check(const struct sc_options *o)
{
	struct sc_footprints_files files;

	sc_footprints_files_read(&files, o);
	sc_footprints_files_fini(&files);
}

void sc_footprints_files_fini(struct sc_footprints_files *f)
{
	for (unsigned i = 0; i < f->count; i++)
		free((void *)f->texts[i].text);
}
