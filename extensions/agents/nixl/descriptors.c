/* Lists of descriptors, by the library's own functions. */
#include "extensions/agents/nixl/descriptors.h"

#include "interposer/core/safe_read.h"
#include "interposer/core/thread.h"
#include "extensions/agents/nixl/constants.h"

/* The functions that are asked, in the order of their names. */
enum question { TYPE, COUNT, ELEMENT, MAKE };

static const char *const of_blocks[SC_BESIDE] = {
	[TYPE] = "_ZNK12nixlDescListI13nixlBasicDescE7getTypeEv",
	[COUNT] = "_ZNK12nixlDescListI13nixlBasicDescE9descCountEv",
	[ELEMENT] = "_ZNK12nixlDescListI13nixlBasicDescEixEm",
	[MAKE] = "_ZN13nixlBasicDescC1ERKmS1_S1_",
};

static const char *const of_strides[SC_BESIDE] = {
	[TYPE] = "_ZNK12nixlDescListI14nixlStrideDescE7getTypeEv",
	[COUNT] = "_ZNK12nixlDescListI14nixlStrideDescE9descCountEv",
	[ELEMENT] = "_ZNK12nixlDescListI14nixlStrideDescEixEm",
	[MAKE] = "_ZN13nixlBasicDescC1ERKmS1_S1_",
};

/* The words of a descriptor; a single block has three of them. */
enum word { ADDRESS, LENGTH, DEVICE, STRIDE, BLOCKS, WORDS };

#define WORDS_OF_BLOCK STRIDE
#define AT_ONCE	       64 /* descriptors */

bool sc_nixl_read(void *to, uint64_t from, size_t bytes)
{
	struct sc_safe_read reading;
	bool is_read;

	sc_self.busy++;
	sc_safe_read_begin(&reading);
	is_read = sc_safe_read_bytes(&reading, to, from, bytes);
	sc_safe_read_end(&reading);
	sc_self.busy--;
	return is_read;
}

/* A constructor of three numbers, all given by reference. A larger element has room, too. */
static bool is_known_block(const struct sc_beside *library)
{
	const uint64_t given[WORDS_OF_BLOCK] = {0x1234560, 0x789, 5};
	uint64_t made[16] = {0};

	((void (*)(void *, const uint64_t *, const uint64_t *,
		   const uint64_t *))library->function[MAKE])(made, &given[ADDRESS], &given[LENGTH],
							      &given[DEVICE]);
	for (unsigned i = 0; i < WORDS_OF_BLOCK; i++)
		if (made[i] != given[i])
			return false;
	return true;
}

static uint64_t element_of(const struct sc_beside *library, uint64_t list, uint64_t i)
{
	return ((uint64_t(*)(uint64_t, uint64_t))library->function[ELEMENT])(list, i);
}

static void hand_on(const uint64_t *word, bool is_stride, sc_nixl_taker take, void *to)
{
	struct sc_nixl_run run = {.base = word[ADDRESS], .width = word[LENGTH], .count = 1};

	if (is_stride) {
		run.pitch = word[STRIDE];
		run.count = word[BLOCKS];
	}
	take(to, &run);
}

/* The elements are neighbours, `words` long each. */
static bool read_elements(uint64_t first, uint64_t count, unsigned words, sc_nixl_taker take,
			  void *to)
{
	uint64_t room[AT_ONCE * WORDS];

	for (uint64_t i = 0; i < count; i += AT_ONCE) {
		uint64_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
		size_t bytes = words * sizeof(room[0]);

		if (!sc_nixl_read(room, first + i * bytes, some * bytes))
			return false;
		for (uint64_t k = 0; k < some; k++)
			hand_on(&room[k * words], words == WORDS, take, to);
	}
	return true;
}

/* `words` is the length of an element, if the last one is as far from the first as that says. */
static bool fits(const struct sc_beside *library, uint64_t list, uint64_t first, uint64_t count,
		 unsigned words)
{
	uint64_t last = element_of(library, list, count - 1);

	return last - first == (count - 1) * words * sizeof(uint64_t);
}

enum sc_nixl_kind sc_nixl_read_list(struct sc_library_function *function, void *real, uint64_t list,
				    bool is_stride, sc_nixl_taker take, void *to)
{
	const struct sc_beside *library =
		sc_function_beside(function, real, is_stride ? of_strides : of_blocks);
	unsigned words = is_stride ? WORDS : WORDS_OF_BLOCK;
	int type, count;
	uint64_t first;

	if (!library || !is_known_block(library))
		return SC_NIXL_NOT_UNDERSTOOD;
	type = ((int (*)(uint64_t))library->function[TYPE])(list);
	count = ((int (*)(uint64_t))library->function[COUNT])(list);
	if (type != SC_NIXL_DRAM_SEG && type != SC_NIXL_VRAM_SEG)
		return SC_NIXL_NOT_MEMORY;
	if (count <= 0)
		return count ? SC_NIXL_NOT_UNDERSTOOD : SC_NIXL_MEMORY;
	first = element_of(library, list, 0);
	return fits(library, list, first, (uint64_t)count, words) &&
			       read_elements(first, (uint64_t)count, words, take, to)
		       ? SC_NIXL_MEMORY
		       : SC_NIXL_NOT_UNDERSTOOD;
}
