/* The PTX reader: declarations of a module, and the bodies of its functions on demand. */
#include "ptx/ptx.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "ptx/constant.h"
#include "ptx/initial.h"
#include "ptx/instruction.h"
#include "ptx/scope.h"

/* What a declaration says before its names. */
struct attributes {
	uint8_t space;
	uint8_t type;
	bool is_register;
	bool is_pointer;
	bool is_extern;
	uint32_t align;
	uint32_t vector;
};

static void skip_balanced(struct sc_lexer *l)
{
	unsigned depth = 0;

	do {
		if (sc_lexer_is_mark(l, '{') || sc_lexer_is_mark(l, '('))
			depth++;
		if ((sc_lexer_is_mark(l, '}') || sc_lexer_is_mark(l, ')')) && depth)
			depth--;
		sc_lexer_next(l);
	} while (depth && l->kind != SC_TOKEN_END);
}

static bool read_space(struct sc_lexer *l, struct attributes *a)
{
	static const char *const names[] = {"", ".global", ".shared", ".local", ".const", ".param"};

	for (uint8_t i = 1; i < 6; i++)
		if (sc_lexer_is_text(l, names[i])) {
			if (!a->space)
				a->space = i;
			return 1;
		}
	return 0;
}

static int64_t read_integer(struct sc_lexer *l)
{
	int64_t value = l->kind == SC_TOKEN_INTEGER ? l->value : 0;

	if (l->kind == SC_TOKEN_INTEGER)
		sc_lexer_next(l);
	return value;
}

/* Directives up to the first name: .param .u64 .ptr .global .align 16, of which the alignment is
 * that of what the pointer points to. */
static void read_attributes(struct sc_lexer *l, struct attributes *a)
{
	uint32_t value;

	while (l->kind == SC_TOKEN_DIRECTIVE) {
		enum sc_ptx_type type = sc_instruction_type(l->text + 1, l->bytes - 1);
		bool align = sc_lexer_is_text(l, ".align");

		if (type)
			a->type = (uint8_t)type;
		else if (sc_lexer_is_text(l, ".reg"))
			a->is_register = 1;
		else if (sc_lexer_is_text(l, ".ptr"))
			a->is_pointer = 1;
		else if (sc_lexer_is_text(l, ".extern"))
			a->is_extern = 1;
		else if (l->bytes == 3 && l->text[1] == 'v')
			a->vector = (uint32_t)(l->text[2] - '0') & 15;
		else
			read_space(l, a);
		sc_lexer_next(l);
		value = align ? (uint32_t)read_integer(l) : 0;
		if (align && !a->is_pointer)
			a->align = value;
		else if (sc_lexer_is_mark(l, '('))
			skip_balanced(l);
	}
}

static uint64_t element_bytes(const struct attributes *a)
{
	uint64_t bytes = (sc_type_bits(a->type) + 7) / 8;

	return a->vector ? bytes * a->vector : bytes;
}

/* The "[10][20]" after a name; SIZE_MAX-like for what overflows, 0 for "[]". */
static uint64_t read_extent(struct sc_lexer *l, uint64_t bytes)
{
	while (sc_lexer_take(l, '[')) {
		uint64_t count = (uint64_t)read_integer(l);

		if (__builtin_mul_overflow(bytes, count, &bytes))
			bytes = INT64_MAX;
		while (l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, ']') &&
		       !sc_lexer_is_mark(l, ';'))
			sc_lexer_next(l);
		sc_lexer_take(l, ']');
	}
	return bytes;
}

/* One name with its extent; declares it in the current scope. */
static void read_declarator(struct sc_ptx_reader *r, const struct attributes *a)
{
	struct sc_lexer *l = &r->lexer;
	uint32_t name = sc_ptx_name(r->module, l->text, l->bytes);
	struct sc_ptx_declaration d = {.is_register = a->is_register, .type = a->type};
	struct sc_ptx_symbol symbol = {.name = name,
				       .space = a->space,
				       .is_pointer = a->is_pointer,
				       .is_extern = a->is_extern,
				       .align = a->align};

	sc_lexer_next(l);
	if (sc_lexer_take(l, '<')) {
		int64_t count = read_integer(l);

		d.count = count > 0 && count <= UINT32_MAX ? (uint32_t)count : 0;
		sc_lexer_take(l, '>');
	}
	symbol.bytes = read_extent(l, element_bytes(a));
	if (!symbol.align)
		symbol.align = (uint32_t)element_bytes(a);
	if (!a->is_register || a->space == SC_SPACE_PARAM) {
		d.is_register = 0;
		d.symbol = (uint32_t)r->module->symbols.count;
		sc_vector_push(&r->module->symbols, symbol);
	}
	sc_scope_declare(&r->scope, name, d);
	if (sc_lexer_take(l, '='))
		sc_initial_read(r, d.symbol, d.is_register ? SC_TYPE_NONE : a->type);
}

static void read_variables(struct sc_ptx_reader *r)
{
	struct attributes a = {0};

	read_attributes(&r->lexer, &a);
	while (r->lexer.kind == SC_TOKEN_WORD) {
		read_declarator(r, &a);
		if (!sc_lexer_take(&r->lexer, ','))
			break;
	}
	while (r->lexer.kind != SC_TOKEN_END && !sc_lexer_is_mark(&r->lexer, ';') &&
	       !sc_lexer_is_mark(&r->lexer, '}'))
		sc_lexer_next(&r->lexer);
	sc_lexer_take(&r->lexer, ';');
}

/* A parameter list in parentheses, its symbols laid out in order; returns their number. */
static uint32_t read_params(struct sc_ptx_reader *r, uint32_t *first)
{
	uint64_t offset = 0;

	*first = (uint32_t)r->module->symbols.count;
	if (!sc_lexer_take(&r->lexer, '('))
		return 0;
	while (r->lexer.kind == SC_TOKEN_DIRECTIVE) {
		struct attributes a = {0};
		size_t index = r->module->symbols.count;

		read_attributes(&r->lexer, &a);
		if (r->lexer.kind != SC_TOKEN_WORD)
			break;
		r->function.odd_params |= a.is_register;
		a.is_register = 0;
		a.space = SC_SPACE_PARAM;
		read_declarator(r, &a);
		if (r->module->symbols.items[index].align > 1)
			offset = (offset + r->module->symbols.items[index].align - 1) /
				 r->module->symbols.items[index].align *
				 r->module->symbols.items[index].align;
		r->module->symbols.items[index].offset = offset;
		if (__builtin_add_overflow(offset, r->module->symbols.items[index].bytes, &offset))
			offset = 0;
		if (!sc_lexer_take(&r->lexer, ','))
			break;
	}
	while (r->lexer.kind != SC_TOKEN_END && !sc_lexer_is_mark(&r->lexer, ')') &&
	       !sc_lexer_is_mark(&r->lexer, '{') && !sc_lexer_is_mark(&r->lexer, ';'))
		sc_lexer_next(&r->lexer);
	sc_lexer_take(&r->lexer, ')');
	return (uint32_t)r->module->symbols.count - *first;
}

static void read_targets(struct sc_ptx_reader *r, uint32_t label)
{
	size_t head = r->function.targets.count;
	struct sc_ptx_operand list;

	sc_vector_push(&r->function.targets, 0);
	sc_lexer_next(&r->lexer);
	while (r->lexer.kind == SC_TOKEN_WORD) {
		list = sc_scope_resolve(r, r->lexer.text, r->lexer.bytes);
		sc_vector_push(&r->function.targets,
			       list.kind == SC_OPERAND_NAME ? sc_scope_label(r, list.id) : 0);
		sc_lexer_next(&r->lexer);
		if (!sc_lexer_take(&r->lexer, ','))
			break;
	}
	r->function.targets.items[head] = (uint32_t)(r->function.targets.count - head - 1);
	r->function.labels.items[label] = SC_LABEL_TARGETS | (uint32_t)head;
}

static void skip_statement(struct sc_lexer *l)
{
	while (l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, ';') && !sc_lexer_is_mark(l, '}'))
		sc_lexer_next(l);
	sc_lexer_take(l, ';');
}

/* .loc FILE LINE COLUMN …, up to the end of the line. */
static void read_loc(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer, ahead = *l;
	uint32_t line = l->line, file;

	sc_lexer_next(&ahead);
	file = (uint32_t)ahead.value;
	sc_lexer_next(&ahead);
	if (ahead.kind == SC_TOKEN_INTEGER && ahead.line == line) {
		r->source_file = file;
		r->source_line = (uint32_t)ahead.value;
	}
	sc_lexer_skip_line(l);
}

/* .file NUMBER "NAME", up to the end of the line. */
static void read_file(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer, ahead = *l;
	struct sc_ptx_file file;

	sc_lexer_next(&ahead);
	file.number = (uint32_t)ahead.value;
	sc_lexer_next(&ahead);
	if (ahead.kind == SC_TOKEN_STRING && ahead.line == l->line && ahead.bytes >= 2) {
		file.name = sc_ptx_name(r->module, ahead.text + 1, ahead.bytes - 2);
		sc_vector_push(&r->module->files, file);
	}
	sc_lexer_skip_line(l);
}

/* Positions in the source; true if the directive is one. */
static bool read_position(struct sc_ptx_reader *r)
{
	bool is_loc = sc_lexer_is_text(&r->lexer, ".loc");

	if (is_loc)
		read_loc(r);
	else if (sc_lexer_is_text(&r->lexer, ".file"))
		read_file(r);
	else
		return 0;
	return 1;
}

/* Pragmas, by the first word of their text. */
static const struct {
	const char *word;
	bool is_of_bytes; /* which bytes the next load uses; others concern speed only */
} pragmas[] = {
#define PRAGMA(word, is_of_bytes) {word, is_of_bytes},
#include "ptx/pragma.def"
#undef PRAGMA
};

/* One text of a .pragma; false: not known. */
static bool read_pragma(struct sc_ptx_reader *r, const char *text, size_t bytes)
{
	char copy[64];
	size_t word = 0;

	while (word < bytes && text[word] != ' ' && text[word] != '\t')
		word++;
	for (size_t i = 0; i < sizeof(pragmas) / sizeof(*pragmas); i++) {
		if (strlen(pragmas[i].word) != word || strncmp(pragmas[i].word, text, word))
			continue;
		if (!pragmas[i].is_of_bytes)
			return 1;
		if (bytes - word >= sizeof(copy))
			return 0;
		memcpy(copy, text + word, bytes - word);
		copy[bytes - word] = 0;
		r->used = (uint32_t)strtoul(copy, NULL, 0);
		return r->used != 0;
	}
	return 0;
}

/* .pragma "TEXT", "TEXT"; what is not known may change what the code does. */
static void read_pragmas(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer;

	sc_lexer_next(l);
	do {
		if (l->kind != SC_TOKEN_STRING || l->bytes < 2 ||
		    !read_pragma(r, l->text + 1, l->bytes - 2))
			r->function.is_odd = 1;
		sc_lexer_next(l);
	} while (sc_lexer_take(l, ','));
	skip_statement(l);
}

/* Directives that say nothing of what the code does: lists and prototypes of calls by pointers,
 * which the analysis takes for calls of anything. */
static bool is_of_calls(const struct sc_lexer *l)
{
	return sc_lexer_is_text(l, ".callprototype") || sc_lexer_is_text(l, ".calltargets") ||
	       sc_lexer_is_text(l, ".branchtargets");
}

static void read_body_directive(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer;
	struct attributes a = {0};

	if (read_position(r))
		return;
	if (sc_lexer_is_text(l, ".reg") || read_space(l, &a)) {
		read_variables(r);
	} else if (sc_lexer_is_text(l, ".pragma")) {
		read_pragmas(r);
	} else {
		r->function.is_odd |= !is_of_calls(l);
		skip_statement(l);
	}
}

static bool at_label(const struct sc_lexer *l)
{
	struct sc_lexer ahead = *l;

	if (l->kind != SC_TOKEN_WORD)
		return 0;
	sc_lexer_next(&ahead);
	return sc_lexer_is_mark(&ahead, ':');
}

static void read_label(struct sc_ptx_reader *r)
{
	uint32_t name = sc_ptx_name(r->module, r->lexer.text, r->lexer.bytes);
	uint32_t label = sc_scope_label(r, name);

	sc_lexer_next(&r->lexer);
	sc_lexer_next(&r->lexer);
	if (sc_lexer_is_text(&r->lexer, ".branchtargets"))
		read_targets(r, label);
	else
		r->function.labels.items[label] = (uint32_t)r->function.code.count;
}

static void read_body(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer;

	while (l->kind != SC_TOKEN_END) {
		if (sc_lexer_take(l, '{')) {
			sc_scope_push(&r->scope);
		} else if (sc_lexer_is_mark(l, '}')) {
			sc_scope_pop(&r->scope);
			sc_lexer_next(l);
			if (r->scope.depth <= 1)
				return;
		} else if (l->kind == SC_TOKEN_DIRECTIVE) {
			read_body_directive(r);
		} else if (at_label(l)) {
			read_label(r);
		} else if (!sc_lexer_take(l, ';')) {
			sc_instruction_read(r);
		}
	}
}

/* Of two bodies of one name the first counts. */
static void add_function(struct sc_ptx *m, const struct sc_function *f)
{
	uint64_t *body;

	sc_vector_push(&m->functions, *f);
	if (!f->has_body)
		return;
	body = sc_u64_map_get(&m->bodies, f->name);
	if (!*body)
		*body = m->functions.count;
}

/* Up to three numbers with commas between, before the next token; those that are left out are 1. */
static void read_shape(struct sc_lexer *l, uint32_t shape[3])
{
	struct sc_lexer ahead = *l;

	for (unsigned d = 0; d < 3; d++)
		shape[d] = 1;
	for (unsigned d = 0; d < 3; d++) {
		sc_lexer_next(&ahead);
		if (!sc_constant_begins(&ahead))
			return;
		shape[d] = (uint32_t)ahead.value;
		*l = ahead;
		sc_lexer_next(&ahead);
		if (!sc_lexer_is_mark(&ahead, ','))
			return;
	}
}

/* A directive between a function's parameters and its body; most say only how much it may use. */
static void read_property(struct sc_lexer *l, struct sc_function *f)
{
	if (sc_lexer_is_text(l, ".reqntid"))
		read_shape(l, f->threads);
	f->no_return |= sc_lexer_is_text(l, ".noreturn");
	if (sc_lexer_is_text(l, ".blocksareclusters"))
		f->clusters = SC_CLUSTERS_COUNTED;
	else if (!f->clusters && (sc_lexer_is_text(l, ".reqnctapercluster") ||
				  sc_lexer_is_text(l, ".explicitcluster")))
		f->clusters = SC_CLUSTERS_NAMED;
}

/* All of a function but its body, which is left where it is. */
static void read_function(struct sc_ptx_reader *r, bool is_kernel)
{
	struct sc_lexer *l = &r->lexer;
	struct sc_function *f = &r->function;
	const struct sc_ptx_operand nothing = {.kind = SC_OPERAND_SINK};

	memset(f, 0, sizeof(*f));
	sc_vector_push(&f->operands, nothing);
	f->is_kernel = is_kernel;
	sc_lexer_next(l);
	sc_scope_push(&r->scope);
	if (sc_lexer_is_mark(l, '('))
		f->return_count = read_params(r, &f->return_first);
	f->name = sc_ptx_name(r->module, l->text, l->bytes);
	if (l->kind == SC_TOKEN_WORD)
		sc_lexer_next(l);
	f->param_count = read_params(r, &f->param_first);
	for (; l->kind != SC_TOKEN_END && !sc_lexer_is_mark(l, '{') && !sc_lexer_is_mark(l, ';');
	     sc_lexer_next(l))
		read_property(l, f);
	f->has_body = sc_lexer_is_mark(l, '{');
	if (f->has_body) {
		f->body = l->at;
		f->body_line = l->line;
		f->body_bytes = (size_t)(sc_lexer_skip_block(l) - f->body);
	} else {
		sc_lexer_take(l, ';');
	}
	sc_scope_end_function(&r->scope);
	add_function(r->module, f);
}

static void read_version(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer;

	sc_lexer_next(l);
	for (size_t i = 0; i < l->bytes; i++)
		if (l->text[i] >= '0' && l->text[i] <= '9' && r->module->version < 1000)
			r->module->version = r->module->version * 10 + (uint32_t)(l->text[i] - '0');
	sc_lexer_next(l);
}

/* ".extern .shared"; functions are declared that way, too. */
static bool is_extern_variable(const struct sc_lexer *l)
{
	struct sc_lexer ahead = *l;
	struct attributes a = {0};

	if (!sc_lexer_is_text(l, ".extern"))
		return 0;
	sc_lexer_next(&ahead);
	return read_space(&ahead, &a);
}

static void read_module_item(struct sc_ptx_reader *r)
{
	struct sc_lexer *l = &r->lexer;
	struct attributes a = {0};

	if (sc_lexer_is_text(l, ".entry") || sc_lexer_is_text(l, ".func"))
		read_function(r, sc_lexer_is_text(l, ".entry"));
	else if (sc_lexer_is_text(l, ".version"))
		read_version(r);
	else if (read_position(r))
		return;
	else if (read_space(l, &a) || is_extern_variable(l))
		read_variables(r);
	else if (sc_lexer_is_mark(l, '{'))
		sc_lexer_skip_block(l);
	else
		sc_lexer_next(l);
}

void sc_ptx_index(struct sc_ptx *m, const char *text, size_t bytes)
{
	struct sc_ptx_reader *r = sc_heap_xcalloc(1, sizeof(*r));

	memset(m, 0, sizeof(*m));
	m->reader = r;
	r->module = m;
	sc_scope_init(&r->scope);
	sc_lexer_init(&r->lexer, text, bytes);
	while (r->lexer.kind != SC_TOKEN_END)
		read_module_item(r);
	m->symbol_count = (uint32_t)m->symbols.count;
}

/* As the declaration of the function did. */
static void declare_params(struct sc_ptx_reader *r, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		sc_scope_declare(&r->scope, r->module->symbols.items[i].name,
				 (struct sc_ptx_declaration){.symbol = i});
}

const struct sc_function *sc_ptx_body(struct sc_ptx *m, const struct sc_function *f)
{
	struct sc_ptx_reader *r = m->reader;

	if (!f || !f->body)
		return f;
	r->module = m;
	r->function = *f;
	r->function.body = NULL;
	r->source_file = 0;
	r->used = 0;
	sc_lexer_init(&r->lexer, f->body, f->body_bytes);
	r->lexer.line += f->body_line - 1;
	sc_scope_push(&r->scope);
	declare_params(r, f->return_first, f->return_count);
	declare_params(r, f->param_first, f->param_count);
	sc_scope_push(&r->scope);
	r->function.local_first = (uint32_t)m->symbols.count;
	read_body(r);
	r->function.local_count = (uint32_t)m->symbols.count - r->function.local_first;
	sc_instruction_resolve_labels(r);
	sc_scope_end_function(&r->scope);
	m->functions.items[f - m->functions.items] = r->function;
	return f;
}

static void free_reader(struct sc_ptx *m)
{
	if (!m->reader)
		return;
	sc_scope_fini(&m->reader->scope);
	sc_vector_fini(&m->reader->pending);
	sc_vector_fini(&m->reader->forms);
	sc_u64_map_fini(&m->reader->form_of);
	free(m->reader);
	m->reader = NULL;
}

void sc_ptx_read(struct sc_ptx *m, const char *text, size_t bytes)
{
	sc_ptx_index(m, text, bytes);
	for (size_t i = 0; i < m->functions.count; i++)
		sc_ptx_body(m, &m->functions.items[i]);
	free_reader(m);
}

void sc_ptx_fini(struct sc_ptx *m)
{
	for (size_t i = 0; i < m->functions.count; i++) {
		struct sc_function *f = &m->functions.items[i];

		sc_vector_fini(&f->code);
		sc_vector_fini(&f->operands);
		sc_vector_fini(&f->labels);
		sc_vector_fini(&f->registers);
		sc_vector_fini(&f->targets);
	}
	free_reader(m);
	sc_vector_fini(&m->functions);
	sc_vector_fini(&m->symbols);
	sc_vector_fini(&m->initials);
	sc_vector_fini(&m->files);
	sc_vector_fini(&m->names);
	sc_u64_map_fini(&m->name_ids);
	sc_u64_map_fini(&m->bodies);
	sc_arena_fini(&m->arena);
}

bool sc_ptx_is_atomic_load(const struct sc_ptx *m, const struct sc_instruction *in)
{
	static const char *const strong[] = {".volatile", ".relaxed", ".acquire", ".mmio"};
	const char *name = m->names.items[in->name];
	bool is_strong = 0;

	if (in->opcode != SC_PTX_LD || strstr(name, ".cta") || strstr(name, ".cluster"))
		return 0;
	for (size_t i = 0; i < sizeof(strong) / sizeof(*strong); i++)
		is_strong |= strstr(name, strong[i]) != NULL;
	return is_strong;
}

bool sc_ptx_is_tiled(const struct sc_ptx *m)
{
	uint32_t name;

	return sc_ptx_find_name(m, "___NV_TILE_LAUNCH_META_DATA___", &name);
}

void sc_ptx_block(const struct sc_ptx *m, const struct sc_function *kernel, uint32_t block[3])
{
	if (kernel->threads[0] && block[0] == 1 && block[1] == 1 && block[2] == 1 &&
	    sc_ptx_is_tiled(m))
		memcpy(block, kernel->threads, sizeof(kernel->threads));
}
