/* Ranges: a treap by address. */
#include "analyzer/range.h"

struct sc_range *sc_ranges_from(const struct sc_ranges *set, uint64_t address)
{
	struct sc_range *best = NULL, *r = set->root;

	while (r) {
		if (r->end > address) {
			best = r;
			r = r->left;
		} else {
			r = r->right;
		}
	}
	return best;
}

struct sc_range *sc_ranges_at(const struct sc_ranges *set, uint64_t address)
{
	struct sc_range *r = sc_ranges_from(set, address);

	return r && r->start <= address ? r : NULL;
}

/* xorshift: the same priorities in every run, so that reports are the same too. */
static uint32_t next_priority(struct sc_ranges *set)
{
	uint32_t x = set->random ? set->random : UINT32_C(2463534242);

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	set->random = x;
	return x;
}

/* Cuts a tree into what starts below the address and the rest. */
static void split(struct sc_range *tree, uint64_t start, struct sc_range **below,
		  struct sc_range **rest)
{
	while (tree) {
		if (tree->start < start) {
			*below = tree;
			below = &tree->right;
			tree = tree->right;
		} else {
			*rest = tree;
			rest = &tree->left;
			tree = tree->left;
		}
	}
	*below = NULL;
	*rest = NULL;
}

/* The tree of two trees, everything in `a` below everything in `b`. */
static struct sc_range *merge(struct sc_range *a, struct sc_range *b)
{
	struct sc_range *root, **place = &root;

	while (a && b) {
		if (a->priority > b->priority) {
			*place = a;
			place = &a->right;
			a = a->right;
		} else {
			*place = b;
			place = &b->left;
			b = b->left;
		}
	}
	*place = a ? a : b;
	return root;
}

void sc_ranges_insert(struct sc_ranges *set, struct sc_range *r)
{
	struct sc_range **place = &set->root;

	r->priority = next_priority(set);
	while (*place && (*place)->priority >= r->priority)
		place = r->start < (*place)->start ? &(*place)->left : &(*place)->right;
	split(*place, r->start, &r->left, &r->right);
	*place = r;
	set->count++;
}

void sc_ranges_remove(struct sc_ranges *set, struct sc_range *r)
{
	struct sc_range **place = &set->root;

	while (*place != r)
		place = r->start < (*place)->start ? &(*place)->left : &(*place)->right;
	*place = merge(r->left, r->right);
	set->count--;
}
