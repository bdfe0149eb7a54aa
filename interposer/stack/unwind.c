/* Unwinding by cached frame rules. */
#include "interposer/stack/unwind.h"

#include <errno.h>
#include <string.h>
#include "interposer/arch/cfi.h"
#include "interposer/core/code_range.h"
#include "interposer/core/safe_read.h"
#include "interposer/core/session.h"
#include "interposer/core/module.h"

static struct sc_frame_rule rules[SC_RULES];
static atomic_uint forgotten; /* times that the rules were */

#define PAGE	   UINT64_C(4096)
#define MOST_FRAME (UINT64_C(64) << 20) /* bytes; a larger step is a wrong one */
#define MOST_GAP   (16 * PAGE)		/* of a frame without return addresses: an array */

/* ---- reading a stack that may not be one ---- */

/* True if what lies between two parts of a stack can be read, so that they are one. */
static bool are_one(uint64_t end, uint64_t start)
{
	if (start < end || start - end > MOST_GAP)
		return false;
	while (end < start && sc_safe_read_is_possible(end))
		end += PAGE;
	return end == start;
}

/* Extends the part of the stack that is known to be readable by the page of `address`. */
bool sc_unwind_learn(uint64_t address)
{
	uint64_t page = address & ~(PAGE - 1);

	if (!sc_safe_read_is_possible(page) || !sc_safe_read_is_possible(page + PAGE - 8))
		return false;
	if (are_one(sc_self.stack_end, page)) {
		sc_self.stack_end = page + PAGE;
	} else if (are_one(page + PAGE, sc_self.stack_start)) {
		sc_self.stack_start = page;
	} else {
		sc_self.stack_start = page;
		sc_self.stack_end = page + PAGE;
	}
	return true;
}

/* ---- rules ---- */

static uint64_t encode(struct sc_cfi cfi)
{
	uint64_t packed;

	_Static_assert(sizeof(cfi) == sizeof(packed), "one word a rule");
	memcpy(&packed, &cfi, sizeof(packed));
	return packed;
}

static struct sc_cfi decode(uint64_t packed)
{
	struct sc_cfi cfi;

	memcpy(&cfi, &packed, sizeof(cfi));
	return cfi;
}

static struct sc_cfi look_up(uint64_t pc)
{
	const struct sc_code_range *range = sc_code_range_find(pc);

	return sc_cfi_find(range ? range->eh_frame_hdr : NULL, pc);
}

/* An entry is its rule and pc ^ rule, so that a torn read is seen for what it is. */
static __attribute__((noinline)) struct sc_cfi find_rule(struct sc_frame_rule *slot, uint64_t pc)
{
	struct sc_cfi cfi = look_up(pc);
	uint64_t rule = encode(cfi);

	if (cfi.cfa == SC_CFA_CHAIN)
		return cfi; /* the file may be found by the next scan */
	atomic_store_explicit(&slot->rule, rule, memory_order_relaxed);
	atomic_store_explicit(&slot->check, pc ^ rule, memory_order_relaxed);
	return cfi;
}

static inline struct sc_cfi rule_at(uint64_t pc)
{
	struct sc_frame_rule *slot = &rules[(pc ^ pc >> 14) & (SC_RULES - 1)];
	uint64_t rule = atomic_load_explicit(&slot->rule, memory_order_relaxed);

	if (rule && (atomic_load_explicit(&slot->check, memory_order_relaxed) ^ rule) == pc)
		return decode(rule);
	return find_rule(slot, pc);
}

void sc_unwind_forget(void)
{
	for (unsigned i = 0; i < SC_RULES; i++)
		atomic_store_explicit(&rules[i].rule, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&forgotten, 1, memory_order_relaxed);
	sc_session_changed();
}

uint32_t sc_unwind_version(void)
{
	return 1 + atomic_load_explicit(&forgotten, memory_order_relaxed);
}

/* ---- steps ---- */

static bool step_signal(struct sc_registers *r)
{
	struct sc_registers place = sc_registers_places(r->sp);
	struct sc_registers next = {.base_place = place.base};

	if (!sc_unwind_load(place.pc, &next.pc) || !sc_unwind_load(place.sp, &next.sp) ||
	    !sc_unwind_load(place.base, &next.base))
		return false;
	next.pc++; /* like a return address: the instruction is the one before */
	*r = next;
	return true;
}

/* The canonical frame address by anything but sp. *deref: see struct sc_rest. */
static __attribute__((noinline)) bool cfa_of(const struct sc_registers *r, struct sc_cfi cfi,
					     uint64_t *cfa, uint64_t *deref)
{
	uint64_t place = r->base + (uint64_t)(int64_t)cfi.offset;

	switch ((enum sc_cfa)cfi.cfa) {
	case SC_CFA_BASE: *cfa = place; return true;
	case SC_CFA_CHAIN: *cfa = sc_frame_address(r->base); return true;
	case SC_CFA_BASE_DEREF:
		if (!sc_unwind_load(place, cfa))
			return false;
		*deref = *cfa - place;
		return true;
	case SC_CFA_SP:
	case SC_CFA_END:
	case SC_CFA_SIGNAL: break;
	}
	return false;
}

/* Where the caller's base is; 0: it is the same. */
static inline uint64_t place_of_base(const struct sc_registers *r, struct sc_cfi cfi, uint64_t cfa)
{
	if (cfi.cfa == SC_CFA_CHAIN || cfi.cfa == SC_CFA_BASE_DEREF)
		return r->base;
	return cfi.is_base_saved ? cfa + (uint64_t)(int64_t)cfi.base_offset : 0;
}

bool sc_unwind_step(struct sc_registers *r, struct sc_rest *rest)
{
	struct sc_cfi cfi = rule_at(r->pc - 1);
	uint64_t cfa = r->sp + (uint64_t)(int64_t)cfi.offset, place, deref = 0;
	bool is_by_sp = cfi.cfa == SC_CFA_SP;

	*rest = (struct sc_rest){.needs_base = !is_by_sp, .is_unknown = cfi.cfa != SC_CFA_END};
	if (cfi.cfa == SC_CFA_SIGNAL)
		return step_signal(r);
	if ((!is_by_sp && !cfa_of(r, cfi, &cfa, &deref)) || cfa <= r->sp ||
	    cfa - r->sp > MOST_FRAME)
		return false;
	place = place_of_base(r, cfi, cfa);
	if (!sc_unwind_load(sc_frame_return_place(cfa), &r->pc) ||
	    (place && !sc_unwind_load(place, &r->base)))
		return false;
	rest->deref = (uint32_t)deref;
	rest->is_unknown = !r->pc || deref > UINT32_MAX;
	r->base_place = place ? place : r->base_place;
	r->sp = cfa;
	return r->pc;
}

unsigned sc_unwind(struct sc_registers r, uint64_t *frames, uint64_t *places, unsigned most)
{
	unsigned count = 0;
	struct sc_rest rest;

	while (count < most) {
		uint64_t place = sc_frame_return_place(r.sp), pc = 0;

		if (places) /* an ordinary frame has the return address there */
			places[count] =
				count && sc_unwind_load(place, &pc) && pc == r.pc ? place : 0;
		frames[count++] = r.pc;
		if (count == most || !sc_unwind_step(&r, &rest))
			break;
	}
	return count;
}

/* ---- the module ---- */

static void loaded(const struct dl_phdr_info *info, const char *name)
{
	(void)info;
	(void)name;
	sc_unwind_forget();
}

static void forget(void)
{
	atomic_store(&forgotten, 0);
}

const struct sc_module sc_module_unwind = {
	.loaded = loaded, .forget = forget, SC_MODULE_STATE(rules)};
