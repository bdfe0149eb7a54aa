/* Declarations: a small language, one kernel and its accesses after the other. */
#include "analyzer/declare/declaration.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "analyzer/declare/declaration_lexer.h"
#include "analyzer/symbol/demangle.h"
#include "base/glob.h"

static const struct {
	const char *word;
	uint8_t mode;
} modes[] = {
	{"reads", SC_FOOTPRINT_READ},
	{"writes", SC_FOOTPRINT_WRITE},
	{"updates", SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE},
	{"atomics", SC_FOOTPRINT_ATOMIC},
};

static const char *const parts[SC_DECLARED_PARTS] = {"from",  "bytes",	"rows",
						     "pitch", "slices", "slice_pitch"};

struct parser {
	struct sc_declaration_lexer lexer;
	struct sc_declarations *all;
	const struct sc_declaration_source *source;
	struct sc_declaration *kernel; /* being read, or NULL */
	struct sc_declared_access **last;
};

static uint8_t take_mode(struct sc_declaration_lexer *l)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (sc_declaration_take(l, modes[i].word))
			return modes[i].mode;
	return 0;
}

/* argN, or @OFFSET. */
static bool read_pointer(struct parser *p, struct sc_declared_access *a)
{
	int64_t value;

	a->is_offset = sc_declaration_take(&p->lexer, "@");
	if (a->is_offset ? !sc_declaration_number(&p->lexer, &value)
			 : !sc_declaration_argument(&p->lexer, &value))
		return sc_declaration_fail(&p->lexer, "expected a pointer: argN or @OFFSET");
	if (value < 0 || value > UINT16_MAX)
		return sc_declaration_fail(&p->lexer,
					   "the number or offset of the parameter is out of range");
	a->pointer = (uint32_t)value;
	return 1;
}

static bool read_part(struct parser *p, struct sc_declared_access *a)
{
	for (unsigned i = 0; i < SC_DECLARED_PARTS; i++) {
		if (!sc_declaration_take(&p->lexer, parts[i]))
			continue;
		if (a->parts[i].count)
			return sc_declaration_fail(&p->lexer, "this part was given before");
		return sc_declaration_formula(&p->lexer, &p->all->arena, &a->parts[i]);
	}
	return sc_declaration_fail(&p->lexer,
				   "expected from, bytes, rows, pitch, slices or slice_pitch");
}

static bool is_given(const struct sc_declared_access *a, enum sc_declared_part part)
{
	return a->parts[part].count != 0;
}

/* Rows and their distance come together, slices too. */
static bool is_whole(const struct sc_declared_access *a)
{
	bool rows = is_given(a, SC_DECLARED_ROWS), slices = is_given(a, SC_DECLARED_SLICES);

	return rows == is_given(a, SC_DECLARED_PITCH) &&
	       slices == is_given(a, SC_DECLARED_SLICE_PITCH) && (!slices || rows) &&
	       (is_given(a, SC_DECLARED_BYTES) || (!rows && !is_given(a, SC_DECLARED_FROM)));
}

static bool read_access(struct parser *p, uint8_t mode, bool is_bound)
{
	struct sc_declared_access *a = SC_ARENA_XNEW(&p->all->arena, struct sc_declared_access);

	a->mode = mode;
	a->is_bound = is_bound;
	if (!read_pointer(p, a))
		return 0;
	while (!sc_declaration_at_end(&p->lexer))
		if (!read_part(p, a))
			return 0;
	if (!is_whole(a))
		return sc_declaration_fail(
			&p->lexer, "rows need bytes and pitch, slices need rows and slice_pitch");
	*p->last = a;
	p->last = &a->next;
	return 1;
}

static bool read_kernel(struct parser *p)
{
	size_t bytes;
	const char *text = sc_declaration_rest(&p->lexer, &bytes);
	struct sc_declaration d = {.how = p->source->how, .is_fallback = p->source->is_fallback};

	if (!bytes)
		return sc_declaration_fail(&p->lexer, "the kernel's name is missing");
	if (p->all->list.count >= SC_DECLARATIONS_MAX)
		return sc_declaration_fail(&p->lexer, "too many declarations");
	d.pattern = sc_arena_xtext(&p->all->arena, text, bytes);
	sc_vector_push(&p->all->list, d);
	p->kernel = sc_vector_last(&p->all->list);
	p->last = &p->kernel->accesses;
	return 1;
}

static bool read_fact(struct parser *p)
{
	bool is_bound, is_others;
	uint8_t mode;

	if (sc_declaration_take(&p->lexer, "nothing"))
		return sc_declaration_at_end(&p->lexer) ||
		       sc_declaration_fail(&p->lexer, "expected the end of the line after nothing");
	is_others = sc_declaration_take(&p->lexer, "others");
	is_bound = sc_declaration_take(&p->lexer, "at") && sc_declaration_take(&p->lexer, "most");
	mode = take_mode(&p->lexer);
	if (!mode)
		return sc_declaration_fail(&p->lexer, "expected reads, writes, updates or atomics");
	if (!is_others)
		return read_access(p, mode, is_bound);
	p->kernel->others |= mode;
	return sc_declaration_at_end(&p->lexer) ||
	       sc_declaration_fail(&p->lexer,
				   "expected the end of the line: others has a mode only");
}

static bool read_line(struct parser *p)
{
	if (sc_declaration_at_end(&p->lexer))
		return 1;
	if (sc_declaration_take(&p->lexer, "kernel"))
		return read_kernel(p);
	if (!p->kernel)
		return sc_declaration_fail(&p->lexer, "expected kernel PATTERN before this line");
	return read_fact(p);
}

int sc_declarations_parse(struct sc_declarations *d, const struct sc_declaration_source *source,
			  const char *text, size_t text_bytes, char *message, size_t bytes)
{
	struct parser p = {.all = d, .source = source};
	size_t before = d->list.count;

	sc_declaration_lexer_init(&p.lexer, source->name, text, text_bytes, message, bytes);
	while (sc_declaration_next_line(&p.lexer))
		if (!read_line(&p)) {
			d->list.count = before;
			return -EINVAL;
		}
	return 0;
}

void sc_declarations_fini(struct sc_declarations *d)
{
	sc_vector_fini(&d->list);
	sc_arena_fini(&d->arena);
}

const struct sc_declaration *sc_declarations_find(const struct sc_declarations *d,
						  const char *kernel)
{
	char readable[SC_DEMANGLE_MAX];

	if (!d->list.count)
		return NULL;
	sc_demangle(kernel, readable, sizeof(readable));
	for (size_t i = d->list.count; i--;)
		if (sc_glob_matches(d->list.items[i].pattern, kernel) ||
		    sc_glob_matches(d->list.items[i].pattern, readable))
			return &d->list.items[i];
	return NULL;
}
