/* The library of MPI: found once, told apart by what it says of itself. */
#include "extensions/agents/mpi/abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/real.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"

#define VERSION_BYTES 8192 /* MPI_MAX_LIBRARY_VERSION_STRING: 256 or 8192 */

/* Numbers of combiners that begin above these are nobody's. */
#define COMBINERS 64

enum state { NOT_ASKED, ASKING, KNOWN, NOT_KNOWN };

/* Of the process: what was found stays in the child of a fork. */
static struct {
	atomic_int state;    /* enum state */
	atomic_bool is_said; /* in the trace: it is not known */
	enum sc_mpi_abi abi;
	struct sc_mpi_library library;
} found;

static const struct sc_mpi_library abis[] = {
#define MPI_ABI(id, its_bytes, its_in_place, its_null, its_root, its_undefined, its_fortran, \
		its_cart, its_graph)                                                         \
	[SC_MPI_##id] = {.handle_bytes = (its_bytes),                                        \
			 .in_place = (uint64_t)(int64_t)(its_in_place),                      \
			 .proc_null = (its_null),                                            \
			 .root = (its_root),                                                 \
			 .undefined = (its_undefined),                                       \
			 .order_fortran = (its_fortran),                                     \
			 .cart = (its_cart),                                                 \
			 .graph = (its_graph)},
#include "extensions/agents/mpi/abi.def"
};

static const struct {
	const char *text;
	enum sc_mpi_abi abi;
} names[] = {
#define MPI_LIBRARY(text, id) {text, SC_MPI_##id},
#include "extensions/agents/mpi/abi.def"
};

static const int constants[SC_MPI_ABIS][SC_MPI_CONSTANTS] = {
#define MPI_CONSTANT(name, open_mpi, mpich) \
	[SC_MPI_OPEN_MPI][SC_MPI_##name] = (open_mpi), [SC_MPI_MPICH][SC_MPI_##name] = (mpich),
#include "extensions/agents/mpi/abi.def"
};

static const uint8_t combiners[SC_MPI_ABIS][COMBINERS] = {
#define MPI_COMBINER(name, open_mpi, mpich) [SC_MPI_OPEN_MPI][open_mpi] = SC_MPI_##name,
#include "extensions/agents/mpi/abi.def"
#define MPI_COMBINER(name, open_mpi, mpich) [SC_MPI_MPICH][mpich] = SC_MPI_##name,
#include "extensions/agents/mpi/abi.def"
};

static const struct {
	const char *name;
	size_t place; /* in struct sc_mpi_library */
} questions[] = {
	{"PMPI_Type_size", offsetof(struct sc_mpi_library, type_size)},
	{"PMPI_Type_get_extent", offsetof(struct sc_mpi_library, type_extent)},
	{"PMPI_Type_get_true_extent", offsetof(struct sc_mpi_library, type_true_extent)},
	{"PMPI_Type_get_envelope", offsetof(struct sc_mpi_library, type_envelope)},
	{"PMPI_Type_get_contents", offsetof(struct sc_mpi_library, type_contents)},
	{"PMPI_Type_free", offsetof(struct sc_mpi_library, type_free)},
	{"PMPI_Comm_rank", offsetof(struct sc_mpi_library, group_rank)},
	{"PMPI_Comm_size", offsetof(struct sc_mpi_library, group_size)},
	{"PMPI_Comm_test_inter", offsetof(struct sc_mpi_library, group_is_inter)},
	{"PMPI_Comm_remote_size", offsetof(struct sc_mpi_library, group_remote_size)},
	{"PMPI_Error_class", offsetof(struct sc_mpi_library, error_class)},
	{"PMPI_Comm_group", offsetof(struct sc_mpi_library, group_of)},
	{"PMPI_Group_translate_ranks", offsetof(struct sc_mpi_library, group_translate)},
	{"PMPI_Group_free", offsetof(struct sc_mpi_library, group_free)},
	{"PMPI_Topo_test", offsetof(struct sc_mpi_library, group_topology)},
	{"PMPI_Cartdim_get", offsetof(struct sc_mpi_library, cart_dimensions)},
	{"PMPI_Graph_neighbors_count", offsetof(struct sc_mpi_library, graph_degree)},
	{"PMPI_Win_get_attr", offsetof(struct sc_mpi_library, window_attribute)},
	{"PMPI_Dist_graph_neighbors_count", offsetof(struct sc_mpi_library, graph_degrees)},
	{"PMPI_Cart_shift", offsetof(struct sc_mpi_library, cart_shift)},
	{"PMPI_Graph_neighbors", offsetof(struct sc_mpi_library, graph_neighbours)},
	{"PMPI_Dist_graph_neighbors", offsetof(struct sc_mpi_library, graph_sources)},
	{"PMPI_Win_get_group", offsetof(struct sc_mpi_library, window_members)},
	{"PMPI_Group_size", offsetof(struct sc_mpi_library, members_count)},
};

static bool find_questions(void *library, struct sc_mpi_library *out)
{
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		void *function = sc_real_dlsym()(library, questions[i].name);

		if (!function)
			return false;
		memcpy((char *)out + questions[i].place, &function, sizeof(function));
	}
	return true;
}

/* What both forms of a library call so: in programs that are linked in the old way, the program has
 * the variable, which the loader finds first. */
static uint64_t variable(void *library, const char *name)
{
	void *there = sc_real_dlsym()(RTLD_DEFAULT, name);

	return (uint64_t)(there ? there : sc_real_dlsym()(library, name));
}

static void fill_messages(void *library, enum sc_mpi_abi abi, struct sc_mpi_library *l)
{
	bool has_variables = abi == SC_MPI_OPEN_MPI;

	switch (abi) {
#define MPI_MESSAGE(id, its_any_source, its_any_tag, its_ignored, its_bytes, its_source, its_tag, \
		    its_truncated, its_world, its_null)                                           \
	case SC_MPI_##id:                                                                         \
		l->any_source = (its_any_source);                                                 \
		l->any_tag = (its_any_tag);                                                       \
		l->status_ignored = (its_ignored);                                                \
		l->status_bytes = (its_bytes);                                                    \
		l->source_at = (its_source);                                                      \
		l->tag_at = (its_tag);                                                            \
		l->truncated = (its_truncated);                                                   \
		l->world = (its_world);                                                           \
		l->no_communicator = (its_null);                                                  \
		break;
#include "extensions/agents/mpi/abi.def"
	case SC_MPI_ABIS: break;
	}
	if (has_variables) {
		l->world = variable(library, "ompi_mpi_comm_world");
		l->no_communicator = variable(library, "ompi_mpi_comm_null");
	}
#define MPI_OPERATION(NAME, name, mpich)        \
	l->operation[SC_MPI_OPERATION_##NAME] = \
		has_variables ? variable(library, "ompi_mpi_op_" #name) : (mpich);
#include "extensions/agents/mpi/abi.def"
}

uint64_t sc_mpi_operation(const struct sc_mpi_library *l, uint64_t handle)
{
	for (uint64_t i = 0; i < SC_MPI_OPERATIONS; i++)
		if (handle && l->operation[i] == handle)
			return i + 1;
	return 0;
}

static bool ask_name(void *library, enum sc_mpi_abi *out)
{
	char *text = sc_arena_map(VERSION_BYTES + 1, MAP_PRIVATE), *end;
	int (*ask)(char *, int *) =
		(int (*)(char *, int *))sc_real_dlsym()(library, "PMPI_Get_library_version");
	bool is_known = false;
	int bytes = 0;

	if (!text)
		return false;
	if (ask && !ask(text, &bytes)) {
		end = strchr(text, '\n');
		if (end)
			*end = 0;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !is_known; i++) {
			is_known = strstr(text, names[i].text);
			*out = names[i].abi;
		}
	}
	sc_raw_unmap(text, VERSION_BYTES + 1);
	return is_known;
}

/* B-12. Open MPI answers for itself; where UCX below it has loaded its module for CUDA, device
 * memory may be sent all the same. */
static bool ask_host_only(void *library)
{
	int (*ask)(void) = (int (*)(void))sc_real_dlsym()(library, "MPIX_Query_cuda_support");

	return ask && !ask() && !SC_REAL(dlopen)("libuct_cuda.so.0", RTLD_NOLOAD | RTLD_LAZY);
}

/* The handle is kept: the library's functions are. */
static bool find(void *function)
{
	Dl_info info;
	void *library = dladdr(function, &info) && info.dli_fname
				? SC_REAL(dlopen)(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
				: NULL;

	if (!library || !ask_name(library, &found.abi))
		return false;
	found.library = abis[found.abi];
	if (!find_questions(library, &found.library))
		return false;
	fill_messages(library, found.abi, &found.library);
	found.library.is_host_only = ask_host_only(library);
	return true;
}

const struct sc_mpi_library *sc_mpi_library(void)
{
	/* acquire: pairs with the release below */
	return atomic_load_explicit(&found.state, memory_order_acquire) == KNOWN ? &found.library
										 : NULL;
}

const struct sc_mpi_library *sc_mpi_library_of(void *function)
{
	const struct sc_mpi_library *known = sc_mpi_library();
	int state = NOT_ASKED, saved = errno;

	if (known)
		return known;
	if (atomic_compare_exchange_strong(&found.state, &state, ASKING)) {
		sc_self.busy++;
		state = find(function) ? KNOWN : NOT_KNOWN;
		sc_self.busy--;
		atomic_store_explicit(&found.state, state, memory_order_release);
	}
	if (state == NOT_KNOWN && sc_session_is_live() && !atomic_exchange(&found.is_said, true)) {
		sc_self.busy++;
		sc_put_source("MPI of this library", false);
		sc_self.busy--;
	}
	errno = saved;
	return sc_mpi_library();
}

int sc_mpi_constant(enum sc_mpi_constant which)
{
	return constants[found.abi][which];
}

bool sc_mpi_envelope(const struct sc_mpi_library *l, uint64_t type, struct sc_mpi_envelope *out)
{
	int number = -1;

	if (l->type_envelope(type, &out->integers, &out->addresses, &out->types, &number))
		return false;
	out->combiner = number >= 0 && number < COMBINERS
				? (enum sc_mpi_combiner)combiners[found.abi][number]
				: SC_MPI_UNKNOWN;
	return true;
}

bool sc_mpi_contents(const struct sc_mpi_library *l, uint64_t type, const struct sc_mpi_envelope *e,
		     const struct sc_mpi_contents *out)
{
	if (l->type_contents(type, e->integers, e->addresses, e->types, out->integers,
			     out->addresses, out->types))
		return false;
	for (int i = e->types; i--;) /* they stand in their own size, so from the last one on */
		out->types[i] = sc_mpi_handle_at(l, (const char *)out->types +
							    (size_t)i * (size_t)l->handle_bytes);
	return true;
}

static bool is_predefined(enum sc_mpi_combiner combiner)
{
	return combiner == SC_MPI_NAMED || combiner == SC_MPI_F90_REAL ||
	       combiner == SC_MPI_F90_COMPLEX || combiner == SC_MPI_F90_INTEGER;
}

void sc_mpi_put_types(const struct sc_mpi_library *l, const uint64_t *types, int count)
{
	for (int i = 0; i < count; i++) {
		struct sc_mpi_envelope e;
		uint64_t type = types[i];

		if (sc_mpi_envelope(l, type, &e) && !is_predefined(e.combiner))
			l->type_free(&type);
	}
}
