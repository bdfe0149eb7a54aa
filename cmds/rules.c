/* streamcheck rules: the table of rules, or one of them explained with a wrong and a right program.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/finding/rule.h"
#include "cmds/command.h"
#include "cmds/standard_output.h"
#include "base/option.h"
#include "cmds/process/terminal.h"
#include "reports/rule_text.h"
#include "reports/text/text_layout.h"

#define TEXT_WIDTH 80

static int print_table(void)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);
	struct sc_buf out = {0};

	for (unsigned i = 0; i < count; i++)
		sc_buf_printf(&out, "SC-%d  %-8s %-30s %s\n", rows[i].rule,
			      sc_severity_text(rows[i].severity), rows[i].slug, rows[i].summary);
	sc_buf_add(&out, "\nstreamcheck rules SC-101 explains a rule.\n");
	return sc_print_and_free(&out);
}

/* Takes 101, SC-101, sc-101, SC101 and the slug. */
static const struct sc_rule_row *find_rule(const char *name)
{
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);
	const char *digits = strncasecmp(name, "SC", 2) ? name : name + 2 + (name[2] == '-');
	char *end;
	unsigned long number = strtoul(digits, &end, 10);

	for (unsigned i = 0; i < count; i++)
		if (!strcmp(rows[i].slug, name) ||
		    (end != digits && !*end && number == (unsigned long)rows[i].rule))
			return &rows[i];
	return NULL;
}

/* A file of docs/rules on its way to the terminal. */
struct page {
	struct sc_buf *out;
	const struct sc_report_style *style;
	struct sc_buf paragraph; /* its lines so far, joined */
	bool is_code;
};

static void end_paragraph(struct page *p)
{
	if (p->paragraph.bytes) {
		sc_layout_wrap(p->out, p->style, 0, 0, p->paragraph.text);
		sc_buf_add_char(p->out, '\n');
	}
	sc_buf_clear(&p->paragraph);
}

/* Adds a line to the paragraph, without the quotes around code. */
static void add_to_paragraph(struct page *p, const char *line)
{
	if (p->paragraph.bytes)
		sc_buf_add_char(&p->paragraph, ' ');
	for (; *line; line++)
		if (*line != '`')
			sc_buf_add_char(&p->paragraph, *line);
}

/* Headings stand out, code is indented, fences and the title vanish, the rest is set anew. */
static void add_line(struct page *p, const char *line)
{
	if (!strncmp(line, "```", 3)) {
		p->is_code = !p->is_code;
	} else if (p->is_code) {
		sc_buf_printf(p->out, "%s%s\n", *line ? "    " : "", line);
	} else if (!*line) {
		end_paragraph(p);
		sc_buf_add_char(p->out, '\n');
	} else if (!strncmp(line, "## ", 3)) {
		sc_layout_paint(p->out, p->style, SC_PAINT_STRONG, line + 3);
		sc_buf_add_char(p->out, '\n');
	} else if (strncmp(line, "# ", 2) != 0) {
		add_to_paragraph(p, line);
	}
}

static void add_text(struct sc_buf *out, const struct sc_report_style *style, const char *text)
{
	struct page page = {.out = out, .style = style};
	struct sc_buf line = {0};

	while (*text) {
		size_t bytes = strcspn(text, "\n");

		sc_buf_clear(&line);
		sc_buf_add_bytes(&line, text, bytes);
		add_line(&page, line.text);
		text += bytes;
		text += *text == '\n';
	}
	end_paragraph(&page);
	sc_buf_fini(&page.paragraph);
	sc_buf_fini(&line);
}

static int print_rule(const struct sc_rule_row *row)
{
	struct sc_report_style style;
	struct sc_buf out = {0}, line = {0};
	char directory[PATH_MAX];

	sc_terminal_style(&style, STDOUT_FILENO, SC_COLOR_AUTO, directory);
	if (!style.width || style.width > TEXT_WIDTH)
		style.width = TEXT_WIDTH;
	sc_buf_printf(&line, "SC-%d %s (%s)", row->rule, row->slug,
		      sc_severity_text(row->severity));
	sc_layout_paint(&out, &style, SC_PAINT_STRONG, line.text);
	sc_buf_printf(&out, "\n%s\n\n", row->summary);
	sc_layout_fact(&out, &style, "why", row->why);
	sc_layout_fact(&out, &style, "fix", row->fix);
	add_text(&out, &style, sc_rule_page((uint64_t)row->rule));
	sc_buf_fini(&line);
	return sc_print_and_free(&out);
}

int sc_cmd_rules(int argc, char **argv)
{
	const struct sc_rule_row *row;

	if (argc < 2)
		return print_table();
	if (!strcmp(argv[1], "--help"))
		return sc_command_print_help(sc_command_find("rules"));
	row = find_rule(argv[1]);
	if (row && argc == 2)
		return print_rule(row);
	sc_die("rules: no rule \"%s\"; streamcheck rules lists them", argv[argc - 1]);
}
