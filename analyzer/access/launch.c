/* Launches: footprints become uses of allocations. */
#include "analyzer/access/launch.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

#define LOWEST_POINTER 4096
#define LOWEST_MAPPED  UINT64_C(0x550000000000) /* x86-64: programs, heap, libraries, stacks */
#define HIGHEST_MAPPED UINT64_C(0x7FFFFFFFFFFF)
#define NEAR	       64 /* uses that a new one is compared with */
#define SEEN	       32 /* words that were met last */
#define FEW	       8  /* words that are not looked for among these */
#define FLAG_MOST      8  /* bytes of a word that is read and written in one piece */
#define NOT_PLAIN      (SC_FOOTPRINT_STRONG | SC_FOOTPRINT_IN_ONE_PIECE | SC_FOOTPRINT_ATOMIC)

struct launch {
	struct sc_memory_map *memory;
	struct sc_kernels *kernels;
	const struct sc_code_kernel *kernel; /* NULL: never defined */
	struct sc_launch head;
	const uint8_t *params; /* borrowed from the record */
	uint32_t param_bytes;
	uint32_t context;
	uint8_t how; /* enum sc_how: of the uses that are added */
	bool is_sure;
};

static bool read_launch(const struct sc_record *record, struct launch *l)
{
	uint32_t bytes = 0;
	const uint8_t *data = sc_record_attachment(record, SC_ATTACH_LAUNCH, &bytes);

	if (!data || bytes < sizeof(l->head))
		return 0;
	memcpy(&l->head, data, sizeof(l->head));
	l->params = data + sizeof(l->head);
	l->param_bytes = bytes - (uint32_t)sizeof(l->head);
	if (l->param_bytes > l->head.param_bytes)
		l->param_bytes = l->head.param_bytes;
	l->context = record->op.context;
	return 1;
}

static bool is_same_place(const struct sc_use *a, const struct sc_use *b)
{
	const struct sc_access *s = &a->shape, *t = &b->shape;

	return a->allocation == b->allocation && s->base == t->base && s->width == t->width &&
	       s->pitch == t->pitch && s->rows == t->rows && s->slice_pitch == t->slice_pitch &&
	       s->slices == t->slices && s->known == t->known && a->early == b->early;
}

/* A plain read of a word that the same launch swaps by comparison is a guess: the loop that
 * adds to it reads, computes, and swaps if nobody was faster. Only plain writes collide with it, as
 * with the swap. */
static bool is_guess(const struct sc_use *read, const struct sc_use *swap)
{
	return swap->is_swap && read->shape.mode == SC_READ && is_same_place(read, swap);
}

/* Of two uses of the same bytes as one, which collides with what either collides with; 0: an atomic
 * and a plain one are no such use. */
static uint8_t mode_of_both(uint8_t a, uint8_t b)
{
	if (a == SC_ATOMIC_READ)
		return b & SC_WRITE ? SC_READ_WRITE : b;
	if (b == SC_ATOMIC_READ)
		return mode_of_both(b, a);
	return (a == SC_ATOMIC) == (b == SC_ATOMIC) ? a | b : 0;
}

/* Makes one use of the last one and an earlier one of the same bytes: reading and writing them is
 * one. Atomics stay apart, and so does what a recording replaces from what it does not see. */
static void merge_last(sc_uses *out)
{
	const struct sc_use *use = sc_vector_last(out);

	for (size_t i = out->count - 1; i-- > 0 && out->count - 1 - i <= NEAR;) {
		struct sc_use *old = &out->items[i];
		uint8_t mode;

		if (old->shape.pitch != use->shape.pitch || old->allocation != use->allocation ||
		    old->shape.base != use->shape.base)
			continue; /* most of them, before what costs more is looked at */
		mode = mode_of_both(old->shape.mode, use->shape.mode);
		if (is_guess(use, old)) {
			out->count--;
			return;
		}
		if (is_guess(old, use)) {
			*old = *use;
			out->count--;
			return;
		}
		if (!mode || !is_same_place(old, use) || old->is_unpatched != use->is_unpatched)
			continue;
		old->shape.mode = mode;
		old->is_strong &= use->is_strong;
		old->is_quiet &= use->is_quiet;
		if (use->shape.how == SC_HOW_PARAMETER)
			old->shape.how = use->shape.how;
		out->count--;
		return;
	}
}

static void push(const struct sc_use *use, sc_uses *out)
{
	sc_vector_push(out, *use);
	merge_last(out);
}

/* ---- pointers of which nothing more is known ---- */

/* The part of a piece that lies in the allocation; of a piece of memory that is mapped in several
 * parts, each of these is an allocation of its own. */
static struct sc_range part_of(const struct sc_piece *p, const struct sc_allocation *a)
{
	const struct sc_range *home = &a->home.range;

	return (struct sc_range){p->range.start > home->start ? p->range.start : home->start,
				 p->range.end < home->end ? p->range.end : home->end};
}

static void push_all(struct sc_allocation *a, const struct sc_range *bytes, bool is_piece,
		     const struct sc_use *like, sc_uses *out)
{
	struct sc_use *use = sc_vector_add(out);

	use->allocation = a;
	use->span = NULL;
	sc_shape_set_linear(&use->shape, bytes->start, bytes->end - bytes->start, like->shape.mode,
			    SC_KNOWN_PARAMETER);
	use->shape.how = like->shape.how;
	use->shape.pitch = like->shape.pitch;
	use->shape.slice_pitch = is_piece;
	use->is_host = use->is_strong = use->is_quiet = use->is_swap = 0;
	use->reason = like->reason;
	use->early = like->early;
	use->is_unpatched = like->is_unpatched;
	merge_last(out);
}

static void push_piece(struct sc_memory_map *m, const struct sc_piece *p, const struct sc_use *like,
		       sc_uses *out)
{
	struct sc_range part;
	uint64_t unused;

	for (uint64_t at = sc_memory_from(m, p->range.start); at < p->range.end;
	     at = sc_memory_from(m, part.end)) {
		struct sc_allocation *a = sc_memory_find(m, at, &unused);

		part = part_of(p, a);
		if (part.start >= part.end)
			return; /* an address of host memory that lies elsewhere */
		push_all(a, &part, 1, like, out);
	}
}

/* All that the pointer may lead to: its piece, where a pool handed out such, or its allocation. */
static void push_whole(struct sc_memory_map *m, struct sc_allocation *a, const struct sc_use *like,
		       sc_uses *out)
{
	const struct sc_piece *p = sc_pieces_at(&m->pieces, like->shape.pitch);

	if (p)
		push_piece(m, p, like, out);
	else
		push_all(a, &a->home.range, 0, like, out);
}

static void add_whole(struct sc_memory_map *m, uint64_t pointer, struct sc_use *like, sc_uses *out)
{
	struct sc_allocation *a = sc_memory_find(m, pointer, &like->shape.pitch);

	if (a)
		push_whole(m, a, like, out);
}

void sc_launch_add_whole(struct sc_memory_map *m, uint64_t pointer, uint8_t mode, sc_uses *out)
{
	struct sc_use like = {.shape = {.mode = mode, .how = SC_HOW_PARAMETER}};

	sc_assert(mode >= SC_READ && mode < SC_MODES);
	add_whole(m, pointer, &like, out);
}

static uint64_t word_at(const struct launch *l, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, l->params + offset, sizeof(value));
	return value;
}

/* A handle is a small number, as others are: what it stands for is perhaps not used. */
static bool add_object(const struct launch *l, uint64_t handle, bool is_surface, uint8_t mode,
		       const struct sc_use *like, sc_uses *out)
{
	struct sc_use use = *like;
	struct sc_allocation *a;
	struct sc_texture t;
	struct sc_range part;

	if (!sc_textures_find(&l->kernels->textures, is_surface, l->context, handle, &t))
		return 0;
	a = sc_memory_find(l->memory, t.start, &use.shape.pitch);
	if (!a)
		return 0;
	use.is_unpatched = 1;
	use.shape.mode = mode;
	if (use.shape.how == SC_HOW_PARAMETER)
		use.shape.how = SC_HOW_WORD;
	part = a->home.range;
	if (t.bytes && t.bytes < part.end - use.shape.pitch)
		part.end = use.shape.pitch + t.bytes;
	part.start = use.shape.pitch;
	push_all(a, &part, 0, &use, out);
	return 1;
}

static bool may_use_objects(const struct launch *l, const struct sc_use *like)
{
	return l->kernels->textures.count &&
	       (!l->kernels->has_footprint || like->reason == SC_REASON_TEXTURE);
}

/* The objects whose handle the parameter is. */
static void add_objects(const struct launch *l, uint64_t handle, const struct sc_use *like,
			sc_uses *out)
{
	if (!handle)
		return;
	add_object(l, handle, 0, SC_READ, like, out);
	add_object(l, handle, 1, SC_READ_WRITE, like, out);
}

/* True if the word was met before; structs have some pointers again and again. */
static bool is_again(uint64_t seen[SEEN], uint64_t value)
{
	uint64_t *place = &seen[(value >> 8 ^ value >> 16) % SEEN];

	if (*place == value)
		return 1;
	*place = value;
	return 0;
}

/* What is looked for in the words of parameters. */
struct search {
	struct sc_range all; /* where memory is, or everything */
	bool has_objects;    /* a number may be a handle */
};

static struct search search_of(const struct launch *l, const struct sc_use *like)
{
	struct search s = {.has_objects = may_use_objects(l, like)};

	s.all = s.has_objects ? (struct sc_range){0, UINT64_MAX} : sc_memory_bounds(l->memory);
	return s;
}

static void add_word(const struct launch *l, const struct search *s, uint64_t value,
		     uint64_t seen[SEEN], struct sc_use *like, sc_uses *out)
{
	if (s->has_objects)
		add_objects(l, value, like, out);
	if (value >= LOWEST_POINTER && !(seen && is_again(seen, value)))
		add_whole(l->memory, value, like, out);
}

/* The first word from `at` on that may lead somewhere; `end` if there is none. Most words are
 * numbers that lead nowhere. */
static inline uint32_t next_word(const struct launch *l, const struct search *s, uint32_t at,
				 uint32_t end)
{
	const uint8_t *params = l->params;
	uint64_t start = s->all.start, bytes = s->all.end - start, value;

	for (; at < end; at += sizeof(value)) {
		memcpy(&value, params + at, sizeof(value));
		if (value - start < bytes)
			break;
	}
	return at;
}

/* Structs have some pointers again and again. */
static void add_many_pointers(const struct launch *l, const struct search *s, uint32_t from,
			      uint32_t end, struct sc_use *like, sc_uses *out)
{
	uint64_t seen[SEEN] = {0};

	for (uint32_t at = from; (at = next_word(l, s, at, end)) < end; at += sizeof(uint64_t))
		add_word(l, s, word_at(l, at), seen, like, out);
}

/* Pointers are 8 bytes and lie at multiples of 8, in structs passed by value too. */
static void add_pointers(const struct launch *l, const struct search *s, uint32_t from,
			 uint32_t end, struct sc_use *like, sc_uses *out)
{
	uint32_t first = (from + 7) & ~UINT32_C(7);
	uint32_t bytes = first < end ? (end - first) & ~UINT32_C(7) : 0;

	if (bytes > FEW * sizeof(uint64_t)) {
		add_many_pointers(l, s, first, first + bytes, like, out);
		return;
	}
	end = first + bytes;
	for (uint32_t at = first; (at = next_word(l, s, at, end)) < end; at += sizeof(uint64_t))
		add_word(l, s, word_at(l, at), NULL, like, out);
}

/* Whether a struct holds addresses that no device can follow: no program passes these, they are
 * what the struct's bytes held before, on the stack of the caller. */
static bool has_leftovers(const struct launch *l, const struct sc_param *p)
{
	uint32_t at = (p->offset + 7) & ~UINT32_C(7), end = p->offset + p->bytes;
	uint64_t canonical;

	for (; at < end && end - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
		uint64_t value = word_at(l, at);

		if (value >= LOWEST_MAPPED && value <= HIGHEST_MAPPED &&
		    !sc_memory_find(l->memory, value, &canonical))
			return 1;
	}
	return 0;
}

static bool is_of_host(const struct sc_use *use)
{
	return use->allocation->kind == SC_MEM_PINNED || use->allocation->kind == SC_MEM_REGISTERED;
}

static bool has_use_of_host(const sc_uses *uses, size_t from)
{
	for (size_t i = from; i < uses->count; i++)
		if (is_of_host(&uses->items[i]))
			return 1;
	return 0;
}

/* A caller's stack holds pointers to the host's buffers, too. The kernel has no use for them; for
 * pointers to the device's memory that cannot be said. */
static void add_pointers_of(const struct launch *l, const struct search *s,
			    const struct sc_param *p, struct sc_use *like, sc_uses *out)
{
	size_t kept = out->count, before = kept;
	uint8_t how = like->shape.how;

	if (how == SC_HOW_PARAMETER && p->bytes > SC_LARGEST_STRUCT)
		like->shape.how = SC_HOW_WORD;
	add_pointers(l, s, p->offset, p->offset + p->bytes, like, out);
	like->shape.how = how;
	if (p->bytes <= sizeof(uint64_t) || !has_use_of_host(out, before) || !has_leftovers(l, p))
		return;
	for (size_t i = before; i < out->count; i++)
		if (!is_of_host(&out->items[i]))
			out->items[kept++] = out->items[i];
	l->kernels->leftovers += kept < out->count;
	out->count = kept;
}

/* All pointers of the parameters; two small numbers side by side are none. */
static void add_parameters(const struct launch *l, struct sc_use *like, sc_uses *out)
{
	const struct sc_code_kernel *k = l->kernel;
	const struct search s = search_of(l, like);

	if (!k || !k->params) {
		if (like->shape.how == SC_HOW_PARAMETER)
			like->shape.how = SC_HOW_WORD;
		add_pointers(l, &s, 0, l->param_bytes, like, out);
		return;
	}
	for (uint32_t i = 0; i < k->param_count; i++) {
		const struct sc_param *p = &k->params[i];

		if (p->offset < l->param_bytes && p->bytes <= l->param_bytes - p->offset)
			add_pointers_of(l, &s, p, like, out);
	}
}

/* ---- footprints ---- */

/* A range of a footprint with the allocation that it is in. */
struct place {
	struct sc_allocation *allocation;
	uint64_t pointer; /* as the allocation's history knows addresses */
	uint8_t doubt;	  /* enum sc_footprint_reason: of the place itself */
};

/* The pointer may lead to its memory by its own value, or only with the offset. */
static bool find_memory(const struct launch *l, const struct sc_footprint_range *r,
			uint64_t pointer, struct place *p)
{
	uint64_t canonical;

	if (pointer < LOWEST_POINTER)
		return 0;
	p->allocation = sc_memory_find(l->memory, pointer, &p->pointer);
	if (p->allocation || r->is_unbounded)
		return p->allocation != NULL;
	p->allocation = sc_memory_find(l->memory, pointer + (uint64_t)r->offset, &canonical);
	p->pointer = canonical - (uint64_t)r->offset;
	return p->allocation != NULL;
}

static bool find_parameter(const struct launch *l, const struct sc_footprint_range *r,
			   struct place *p)
{
	uint64_t pointer;

	if (r->base > l->param_bytes || l->param_bytes - r->base < sizeof(pointer))
		return 0;
	pointer = word_at(l, r->base);
	return find_memory(l, r, pointer, p);
}

/* Where several texts make up a module, a name may mean a variable of another one. */
static bool find_variable(const struct launch *l, const struct sc_footprint_range *r,
			  struct place *p)
{
	const struct sc_code_kernel *k = l->kernel;
	struct sc_variable variable = {.module = k->module,
				       .context = l->context,
				       .name = sc_footprint_symbol(k->text, r->base),
				       .bytes = sc_footprint_symbol_bytes(k->text, r->base)};

	if (!k->has_one_text)
		p->doubt = SC_REASON_OTHER_CODE;
	return find_memory(l, r, sc_variable_address(&l->kernels->variables, l->memory, &variable),
			   p);
}

static bool find_place(const struct launch *l, const struct sc_footprint_range *r, struct place *p)
{
	if (!l->is_sure)
		p->doubt = l->kernel->reason ? l->kernel->reason : SC_REASON_OTHER_CODE;
	if (r->base_kind == SC_BASE_SYMBOL)
		return find_variable(l, r, p);
	return find_parameter(l, r, p);
}

/* Cuts the shape to a range; false if nothing is left. */
static bool clip(const struct sc_range *whole, struct sc_use *use)
{
	uint64_t first = use->shape.base, end = sc_shape_end(&use->shape);
	uint8_t how = use->shape.how;

	if (first >= whole->start && end <= whole->end)
		return 1;
	first = first > whole->start ? first : whole->start;
	end = end < whole->end ? end : whole->end;
	if (first >= end)
		return 0;
	use->shape = sc_shape_linear(first, end - first, use->shape.mode, SC_KNOWN_OVER);
	use->shape.how = how;
	use->reason = use->reason ? use->reason : SC_REASON_OUTSIDE;
	return 1;
}

/* An upper bound ends where the piece does that the pointer leads to. */
static bool clip_to_piece(const struct launch *l, const struct place *p, struct sc_use *use)
{
	const struct sc_piece *piece = use->shape.known == SC_KNOWN_OVER
					       ? sc_pieces_at(&l->memory->pieces, p->pointer)
					       : NULL;
	struct sc_range part;

	if (!piece)
		return 0;
	part = part_of(piece, p->allocation);
	return clip(&part, use);
}

static bool is_constant(const struct launch *l, const struct sc_footprint_range *r)
{
	return r->base_kind == SC_BASE_SYMBOL &&
	       sc_footprint_symbol_is_constant(l->kernel->text, r->base);
}

static void push_range(const struct launch *l, const struct place *p,
		       const struct sc_footprint_range *r, uint8_t mode, sc_uses *out)
{
	uint8_t reason = r->reason ? r->reason : p->doubt;
	struct sc_use use = {.allocation = p->allocation,
			     .reason = reason,
			     .early = r->early,
			     .is_unpatched = is_constant(l, r),
			     .is_strong = (r->mode & SC_FOOTPRINT_STRONG) != 0,
			     .is_quiet = !(r->mode & NOT_PLAIN),
			     .is_swap = mode == SC_ATOMIC && r->mode & SC_FOOTPRINT_SWAP,
			     .shape = {.width = r->width,
				       .pitch = r->pitch,
				       .rows = r->rows,
				       .slice_pitch = r->slice_pitch,
				       .slices = r->slices,
				       .mode = mode,
				       .how = l->how,
				       .known = reason ? SC_KNOWN_OVER : SC_KNOWN_EXACT}};

	if (r->is_unbounded || __builtin_add_overflow(p->pointer, r->offset, &use.shape.base) ||
	    !sc_shape_simplify(&use.shape)) {
		use.shape.pitch = p->pointer;
		use.is_strong = 0;
		push_whole(l->memory, p->allocation, &use, out);
		return;
	}
	if (clip_to_piece(l, p, &use) || clip(&p->allocation->home.range, &use))
		push(&use, out);
}

static void add_mode(const struct launch *l, const struct sc_footprint_range *r,
		     const struct place *p, uint8_t mode, sc_uses *out)
{
	struct sc_use like = {
		.reason = r->reason, .early = r->early, .shape = {.mode = mode, .how = l->how}};

	if (r->base_kind == SC_BASE_UNKNOWN)
		add_parameters(l, &like, out);
	else
		push_range(l, p, r, mode, out);
}

/* What the kernel does to some of the bytes of an object whose handle is a parameter; false: which
 * memory that is is not known. */
static bool add_handle(const struct launch *l, const struct sc_footprint_range *r, sc_uses *out)
{
	const struct sc_use like = {
		.reason = SC_REASON_TEXTURE, .early = r->early, .shape = {.how = l->how}};
	uint8_t mode = r->mode & SC_FOOTPRINT_ATOMIC ? SC_ATOMIC : r->mode & SC_READ_WRITE;

	return sc_footprint_is_handle(r) && r->base <= l->param_bytes &&
	       l->param_bytes - r->base >= sizeof(uint64_t) &&
	       add_object(l, word_at(l, r->base), r->mode & SC_FOOTPRINT_SURFACE, mode, &like, out);
}

/* Skips a range whose base lies in no known allocation. Exception: the base may be an offset added
 * to a loaded pointer, and the range is unbounded; then the kernel may touch anything. */
static void add_range(const struct launch *l, const struct sc_footprint_range *r, sc_uses *out)
{
	uint8_t plain =
		r->mode & SC_FOOTPRINT_IN_ONE_PIECE ? SC_ATOMIC_READ : r->mode & SC_READ_WRITE;
	struct sc_footprint_range what = *r;
	struct place p = {0};
	bool is_lost, is_object = r->mode & SC_FOOTPRINT_OBJECT;

	l->kernels->has_handles |= is_object;
	if (is_object && add_handle(l, r, out))
		return;
	is_lost = is_object || (r->base_kind != SC_BASE_UNKNOWN && !find_place(l, r, &p));
	if (is_lost && !is_object && !(r->may_be_offset && r->is_unbounded))
		return;
	if (is_lost)
		what.base_kind = SC_BASE_UNKNOWN;
	if (is_object)
		what.reason = SC_REASON_TEXTURE;
	l->kernels->hides |= sc_launch_hides(r);
	if (what.base_kind == SC_BASE_UNKNOWN && l->how == SC_HOW_PTX && !l->kernels->open)
		l->kernels->open = what.reason ? what.reason : SC_REASON_POINTER;
	if (plain)
		add_mode(l, &what, &p, plain, out);
	if (r->mode & SC_FOOTPRINT_ATOMIC)
		add_mode(l, &what, &p, SC_ATOMIC, out);
}

static bool find_footprint(const struct launch *l, struct sc_footprint *out)
{
	struct sc_footprint_launch launch = {.shared_bytes = l->head.shared_bytes,
					     .param_bytes = l->param_bytes,
					     .params = l->params,
					     .walked = &l->kernels->walked};

	memcpy(launch.grid, l->head.grid, sizeof(launch.grid));
	memcpy(launch.block, l->head.block, sizeof(launch.block));
	return l->kernel && !l->kernels->ignores_code && sc_code_footprint(l->kernel, &launch, out);
}

/* A declaration of the kernel takes precedence over every other source. */
static void add_declared(struct launch *l, const struct sc_declaration *d, sc_uses *out)
{
	sc_declared_ranges *ranges = &l->kernels->ranges;
	struct sc_declared_launch launch = {.grid = l->head.grid,
					    .block = l->head.block,
					    .image = l->params,
					    .image_bytes = l->param_bytes,
					    .params = l->kernel->params,
					    .param_count = l->kernel->param_count};

	l->how = d->how;
	l->is_sure = 1;
	sc_vector_clear(ranges);
	sc_declared_add(d, &launch, ranges);
	for (size_t i = 0; i < ranges->count; i++)
		add_range(l, &ranges->items[i], out);
}

static bool overlaps(const struct sc_use *a, const struct sc_use *b)
{
	return a->allocation == b->allocation && a->shape.base < sc_shape_end(&b->shape) &&
	       b->shape.base < sc_shape_end(&a->shape);
}

/* A flag: one aligned word that the kernel looks at to see what the host writes, and touches in no
 * other way. */
static bool is_flag(const struct sc_use *use, const sc_uses *all)
{
	const struct sc_access *s = &use->shape;

	if (!(s->mode & SC_READ) || !sc_shape_is_linear(s) || s->width > FLAG_MOST ||
	    s->width & (s->width - 1) || s->base & (s->width - 1))
		return 0;
	for (size_t i = 0; i < all->count; i++)
		if (&all->items[i] != use && overlaps(&all->items[i], use))
			return 0;
	return 1;
}

static void keep_flags(const sc_uses *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].is_strong)
			all->items[i].is_strong = is_flag(&all->items[i], all);
}

void sc_launch_add(struct sc_memory_map *m, struct sc_kernels *kernels,
		   const struct sc_record *record, sc_uses *out)
{
	struct launch l = {.memory = m, .kernels = kernels, .how = SC_HOW_PTX};
	struct sc_use like = {.shape = {.mode = SC_READ_WRITE, .how = SC_HOW_PARAMETER}};
	const struct sc_declaration *d;
	struct sc_footprint footprint;

	sc_assert(record->op.kind == SC_OP_KERNEL);
	kernels->open = SC_REASON_NONE;
	kernels->hides = 0;
	if (!read_launch(record, &l))
		return;
	l.kernel = sc_code_kernel(&kernels->code, record->op.object);
	d = sc_kernels_declared(kernels, record->op.object, l.kernel);
	if (d) {
		add_declared(&l, d, out);
		kernels->has_footprint = 1;
		return;
	}
	if (!find_footprint(&l, &footprint)) {
		kernels->has_handles = 1;
		like.reason = l.kernel ? l.kernel->reason : SC_REASON_NONE;
		add_parameters(&l, &like, out);
		return;
	}
	kernels->has_footprint = 1;
	l.is_sure = l.kernel->is_sure;
	for (size_t i = 0; i < footprint.count; i++)
		add_range(&l, &footprint.ranges[i], out);
	keep_flags(out);
}

void sc_launch_add_variables(struct sc_memory_map *m, struct sc_kernels *kernels,
			     const struct sc_record *record, sc_uses *out)
{
	const struct sc_code_kernel *k = sc_code_kernel(&kernels->code, record->op.object);
	const struct sc_variables *v = &kernels->variables;
	struct sc_use like = {.is_unpatched = 1, .shape = {.mode = SC_READ, .how = SC_HOW_WORD}};

	sc_assert(record->op.kind == SC_OP_KERNEL);
	for (size_t i = 0; k && i < v->keys.count; i++)
		if (v->keys.items[i].module == k->module)
			add_whole(m, *sc_u64_map_find(&v->addresses, v->keys.items[i].key), &like,
				  out);
}

bool sc_launch_read_code(struct sc_kernels *kernels, const struct sc_record *record,
			 struct sc_launch_code *out)
{
	struct launch l = {.kernels = kernels};

	sc_assert(record->op.kind == SC_OP_KERNEL);
	l.kernel = sc_code_kernel(&kernels->code, record->op.object);
	*out = (struct sc_launch_code){.kernel = l.kernel};
	if (!read_launch(record, &l))
		return 0;
	out->params = l.params;
	out->param_bytes = l.param_bytes;
	return find_footprint(&l, &out->footprint);
}
