/* Links of the HTML report from source lines to an editor or a site: the values of option
 *html-links.
 *
 * A value is the name of a row of html_links.def, or a template of a URL:
 *	{path}		the absolute path of the file
 *	{relative}	the path below the current folder
 *	{line}		the number of the line
 * Paths come from the program that was checked, so a template decides alone where a link leads: its
 * scheme is one of the table, and no path can become part of the host.
 */
#pragma once

/* What is wrong with a value, as the end of a sentence; NULL if nothing is. */
const char *sc_html_links_fault(const char *value);
/* The template that a value without fault stands for; "": no links. NULL is none. */
const char *sc_html_links_template(const char *value);
