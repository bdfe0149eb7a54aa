/* streamcheck reproduce: a finding as a program of its own, for a bug report. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "cmds/arguments.h"
#include "cmds/check/chosen_finding.h"
#include "cmds/command.h"
#include "cmds/files/kept_trace.h"
#include "cmds/standard_output.h"
#include "extensions/repair/patcher/plan_texts.h"
#include "extensions/repair/reproducer/reproduction.h"
#include "reports/words/words.h"

#define REFUSED 1 /* exit code: the finding cannot be reproduced */

/* The planned edit that ends a finding; NULL: none does, or it takes several. */
static const struct sc_edit *edit_of(const struct sc_repair *r, uint32_t finding)
{
	const struct sc_edit *found = NULL;

	for (size_t i = 0; i < r->edits.count; i++)
		for (size_t k = 0; k < r->edits.items[i].ends.count; k++)
			if (r->edits.items[i].ends.items[k] == finding)
				found = found ? found : &r->edits.items[i];
	return found;
}

static int print_program(const struct sc_loaded *l, const struct sc_options *options,
			 const struct sc_finding *f)
{
	const struct sc_edit *edit;
	struct sc_plan_texts plan;
	struct sc_slice slice;
	struct sc_words words;
	struct sc_buf out = {0}, why = {0};
	int code = REFUSED;

	sc_plan_texts_make(&plan, &l->report, options, SC_PLAN_RECORDS);
	sc_words_init(&words, &l->report, plan.own.directory);
	sc_slice_make(&slice, l->reader, f);
	edit = edit_of(&plan.repair, f->number - 1);
	if (sc_reproduction_print(&out, &why, &slice, &words, f, edit))
		code = sc_print_and_free(&out);
	else
		sc_warn("reproduce: finding %u cannot be reproduced: %s", f->number,
			sc_buf_text(&why));
	sc_buf_fini(&why);
	sc_slice_fini(&slice);
	sc_plan_texts_fini(&plan);
	return code;
}

int sc_cmd_reproduce(int argc, char **argv)
{
	struct sc_options options;
	struct sc_chosen chosen;
	struct sc_loaded l;
	char path[PATH_MAX];
	int first = sc_arguments_read(&options, sc_command_find("reproduce"), argc, argv);
	int code;

	sc_chosen_read(&chosen, "reproduce", argc - first, argv + first);
	sc_kept_choose(path, "reproduce", chosen.trace);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	sc_loaded_warn(&l, "reproduce", path);
	code = print_program(&l, &options, sc_chosen_find(&l, &chosen, "reproduce", path));
	sc_loaded_close(&l);
	return code;
}
