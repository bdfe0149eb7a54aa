/* Declared: a statement taken apart at its first bracket or sign. */
#include "reports/sources/declared.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_spaces(const char *text)
{
	return text + strspn(text, " \t");
}

static const char *trim_end(const char *from, const char *to)
{
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return to;
}

static bool is_word(const char *from, const char *to, const char *word)
{
	return (size_t)(to - from) == strlen(word) && !strncmp(from, word, (size_t)(to - from));
}

/* From after a bracket to after the one that closes it, or NULL. */
static const char *skip_brackets(const char *text)
{
	int depth = 1;

	for (; *text && depth; text++) {
		if (*text == '"' || *text == '\'')
			return NULL; /* brackets in texts are not counted */
		depth += (strchr("([{", *text) != NULL) - (strchr(")]}", *text) != NULL);
	}
	return depth ? NULL : text;
}

/* ---- functions ---- */

/* Where the identifier before `end` begins, arguments of a template left out. */
static const char *find_identifier(const char *text, const char **end)
{
	const char *at = *end;
	int depth = 0;

	while (at > text && (at[-1] == '>' || depth)) {
		depth += (at[-1] == '>') - (at[-1] == '<');
		at--;
	}
	*end = at;
	while (at > text && is_of_name(at[-1]))
		at--;
	return at;
}

/* Where the arguments begin. */
static const char *find_arguments(const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";
	int depth = 0;

	for (; *name; name++) {
		if (!strncmp(name, anonymous, strlen(anonymous)))
			name += strlen(anonymous) - 1;
		else if (*name == '(' && !depth)
			break;
		else
			depth += (*name == '<') - (*name == '>');
	}
	return name;
}

static void copy(char out[128], const char *from, const char *to)
{
	size_t bytes = (size_t)(to - from);

	if (bytes >= 128 || isdigit((unsigned char)*from))
		bytes = 0;
	memcpy(out, from, bytes);
	out[bytes] = '\0';
}

void sc_declared_function(struct sc_declared_function *out, const char *name)
{
	const char *end = find_arguments(name), *begin = find_identifier(name, &end);

	copy(out->name, begin, end);
	out->class[0] = '\0';
	if (begin - name < 3 || begin[-1] != ':')
		return;
	end = begin - 2;
	begin = find_identifier(name, &end);
	copy(out->class, begin, end);
}

bool sc_declared_constructs(const struct sc_declared_function *f)
{
	return *f->name && !strcmp(f->name, f->class);
}

/* ---- statements ---- */

struct parts {
	const char *type, *type_end; /* the same: no type */
	const char *name, *name_end;
	char sign;	   /* after the name: ; = ( { */
	const char *value; /* after the sign */
};

/* The end of what is before the first bracket or sign. */
static const char *find_sign(const char *text)
{
	int depth = 0;
	char last = 0;

	for (; *text; last = *text++) {
		depth += (*text == '<') - (*text == '>' && last != '-');
		if (!depth && strchr("=({;,", *text))
			return text;
	}
	return NULL;
}

static const char *skip_qualifiers(const char *text)
{
	static const char *const words[] = {"static",	    "const",  "constexpr",
					    "thread_local", "inline", NULL};

	for (size_t i = 0; words[i]; i++) {
		size_t bytes = strlen(words[i]);

		if (!strncmp(text, words[i], bytes) && isspace((unsigned char)text[bytes]))
			return skip_qualifiers(skip_spaces(text + bytes));
	}
	return text;
}

static bool is_keyword(const char *from, const char *to)
{
	static const char *const words[] = {"return", "delete", "throw", "goto",     "using",
					    "new",    "else",	"case",	 "typedef",  "extern",
					    "friend", "struct", "class", "co_return"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_word(from, to, words[i]))
			return 1;
	return 0;
}

/* `s`, and `job.in`, `this->in` where nothing is declared */
static const char *find_name(const char *from, const char *end)
{
	const char *at = end;

	while (at > from && (is_of_name(at[-1]) || strchr(".>-", at[-1])))
		at--;
	return at;
}

static bool take_apart(struct parts *p, const char *statement)
{
	const char *text = skip_qualifiers(skip_spaces(statement)), *sign = find_sign(text);
	const char *first = text;

	if (!sign || *sign == ',' || (*sign == '=' && sign[1] == '='))
		return 0;
	p->name_end = trim_end(text, sign);
	p->name = find_name(text, p->name_end);
	p->type = text;
	p->type_end = trim_end(text, p->name);
	p->sign = *sign;
	p->value = sign + 1;
	while (is_of_name(*first))
		first++;
	if (p->name == p->name_end || isdigit((unsigned char)*p->name) || is_keyword(text, first))
		return 0;
	return p->type == p->type_end || !memchr(p->name, '.', (size_t)(p->name_end - p->name));
}

/* True if the statement's end comes, and no other statement. */
static bool ends(const char *text)
{
	if (!text)
		return false;
	text = skip_spaces(text);
	return *text == ';' && !*skip_spaces(text + 1);
}

/* After "space::job.NAME<int>" if it begins with that and a bracket: after the bracket. */
static const char *skip_call(const char *text, const char *name)
{
	size_t bytes = strlen(name);
	const char *at = text;
	int depth = 0;

	while (*at && (is_of_name(*at) || strchr(":.->", *at)) && *at != '<')
		at++;
	if ((size_t)(at - text) < bytes || strncmp(at - bytes, name, bytes) != 0 ||
	    (at - bytes > text && is_of_name(at[-(ptrdiff_t)bytes - 1])))
		return NULL;
	for (; *at && (*at == '<' || depth); at++)
		depth += (*at == '<') - (*at == '>');
	return *at == '(' || *at == '{' ? at + 1 : NULL;
}

static const char *skip_prefix(const char *text, const char *prefix)
{
	size_t bytes = strlen(prefix);

	return strncmp(text, prefix, bytes) ? NULL : text + bytes;
}

/* `std::make_unique<space::Class>(…)`; NULL: it is none. Else after its last bracket. */
static const char *skip_maker(const char *value, const char *class)
{
	static const char *const makers[] = {"std::make_unique<", "std::make_shared<",
					     "make_unique<", "make_shared<"};

	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		const char *type = skip_prefix(value, makers[i]);
		const char *bracket = type ? strchr(type, '(') : NULL, *begin, *end;

		if (!bracket || bracket[-1] != '>')
			continue;
		end = bracket - 1;
		begin = find_identifier(type, &end);
		return is_word(begin, end, class) ? skip_brackets(bracket + 1) : NULL;
	}
	return NULL;
}

/* `Class(…)`, `new Class(…)`, `new Class`, `std::make_unique<Class>(…)`: nothing else. */
static bool is_new_object(const char *value, const char *class)
{
	const char *rest = skip_prefix(value, "new ");
	const char *type = skip_spaces(rest ? rest : value), *call = skip_call(type, class);
	const char *end = type + strcspn(type, "([{;");

	if (call)
		return ends(skip_brackets(call));
	if (rest && *end == ';') {
		type = find_identifier(type, &end);
		return is_word(type, end, class);
	}
	return ends(skip_maker(value, class));
}

static enum sc_declared take(struct sc_buf *out, const struct parts *p)
{
	sc_buf_add_bytes(out, p->name, (size_t)(p->name_end - p->name));
	return p->type == p->type_end ? SC_DECLARED_KNOWN : SC_DECLARED_NEW;
}

enum sc_declared sc_declared_object(struct sc_buf *out, const char *statement, const char *class)
{
	const char *begin, *end;
	struct parts p;
	bool is_declared;

	if (!take_apart(&p, statement))
		return SC_DECLARED_NOTHING;
	is_declared = p.type != p.type_end;
	if (p.sign == '=')
		return is_new_object(skip_spaces(p.value), class) ? take(out, &p)
								  : SC_DECLARED_NOTHING;
	if (!is_declared)
		return SC_DECLARED_NOTHING;
	if (p.sign == ';') /* nothing else is made there, whatever the type is called */
		return ends(p.value - 1) ? take(out, &p) : SC_DECLARED_NOTHING;
	end = p.type_end;
	begin = find_identifier(p.type, &end);
	return is_word(begin, end, class) && ends(skip_brackets(p.value)) ? take(out, &p)
									  : SC_DECLARED_NOTHING;
}

enum sc_declared sc_declared_result(struct sc_buf *out, const char *statement, const char *function)
{
	const char *call;
	struct parts p;

	if (!take_apart(&p, statement) || p.sign != '=')
		return SC_DECLARED_NOTHING;
	call = skip_call(skip_spaces(p.value), function);
	return call && ends(skip_brackets(call)) ? take(out, &p) : SC_DECLARED_NOTHING;
}

bool sc_declared_passes_on(const char *statement, const char *function)
{
	const char *value = skip_prefix(skip_spaces(statement), "return ");
	const char *call = value ? skip_call(skip_spaces(value), function) : NULL;

	return call && ends(skip_brackets(call));
}

bool sc_declared_returns(const char *statement, const char *variable)
{
	const char *value = skip_prefix(skip_spaces(statement), "return ");
	const char *rest = value ? skip_prefix(skip_spaces(value), variable) : NULL;

	return ends(rest);
}

bool sc_declared_argument(struct sc_buf *out, const char *argument, bool is_value)
{
	const char *text = skip_spaces(argument), *end;

	if (strstr(text, "_cast<") && strchr(text, '('))
		text = strchr(text, '(') + 1;
	else if (*text == '(' && (end = skip_brackets(text + 1)))
		text = skip_spaces(end);
	if ((*text == '&') == is_value)
		return 0;
	text += *text == '&';
	for (end = text; is_of_name(*end) || *end == '.' || !strncmp(end, "->", 2);)
		end += *end == '-' ? 2 : 1;
	if (*end == '[' && isdigit((unsigned char)end[1])) {
		end += 1 + strspn(end + 1, "0123456789");
		if (*end++ != ']')
			return 0;
	}
	if (end == text || isdigit((unsigned char)*text) || *(end + strspn(end, " \t)")))
		return 0;
	sc_buf_add_bytes(out, text, (size_t)(end - text));
	return 1;
}
