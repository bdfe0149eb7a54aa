/* What extensions/agents/mpi/abi.def says, against this library's header. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef OPEN_MPI
#define IS_OPEN_MPI 1
#else
#define IS_OPEN_MPI 0
#endif

static int wrong;

static void expect(const char *name, int64_t written, int64_t real)
{
	if (written == real)
		return;
	printf("%s is %lld, not %lld\n", name, (long long)real, (long long)written);
	wrong++;
}

enum { OPEN_MPI_ROW, MPICH_ROW };

int main(void)
{
#define MPI_ABI(id, handle_bytes, in_place, proc_null, root, undefined, fortran, cart, graph) \
	if ((id##_ROW == OPEN_MPI_ROW) == IS_OPEN_MPI) {                                      \
		expect("size of handles", handle_bytes, (int64_t)sizeof(MPI_Request));        \
		expect("size of types", handle_bytes, (int64_t)sizeof(MPI_Datatype));         \
		expect("MPI_IN_PLACE", in_place, (int64_t)(intptr_t)MPI_IN_PLACE);            \
		expect("MPI_PROC_NULL", proc_null, MPI_PROC_NULL);                            \
		expect("MPI_ROOT", root, MPI_ROOT);                                           \
		expect("MPI_UNDEFINED", undefined, MPI_UNDEFINED);                            \
		expect("MPI_ORDER_FORTRAN", fortran, MPI_ORDER_FORTRAN);                      \
		expect("MPI_CART", cart, MPI_CART);                                           \
		expect("MPI_GRAPH", graph, MPI_GRAPH);                                        \
	}
#define MPI_CONSTANT(name, open_mpi, mpich) \
	expect("MPI_" #name, IS_OPEN_MPI ? open_mpi : mpich, MPI_##name);
#define MPI_MESSAGE(id, any_source, any_tag, ignored, bytes, source_at, tag_at, truncated, world, \
		    none)                                                                         \
	if ((id##_ROW == OPEN_MPI_ROW) == IS_OPEN_MPI) {                                          \
		expect("MPI_ANY_SOURCE", any_source, MPI_ANY_SOURCE);                             \
		expect("MPI_ANY_TAG", any_tag, MPI_ANY_TAG);                                      \
		expect("MPI_STATUS_IGNORE", ignored, (int64_t)(intptr_t)MPI_STATUS_IGNORE);       \
		expect("MPI_STATUSES_IGNORE", ignored, (int64_t)(intptr_t)MPI_STATUSES_IGNORE);   \
		expect("size of a status", bytes, (int64_t)sizeof(MPI_Status));                   \
		expect("MPI_SOURCE", source_at, (int64_t)offsetof(MPI_Status, MPI_SOURCE));       \
		expect("MPI_TAG", tag_at, (int64_t)offsetof(MPI_Status, MPI_TAG));                \
		expect("MPI_ERR_TRUNCATE", truncated, MPI_ERR_TRUNCATE);                          \
		expect("MPI_COMM_WORLD",                                                          \
		       IS_OPEN_MPI ? (int64_t)(intptr_t)MPI_COMM_WORLD : (world),                 \
		       (int64_t)(intptr_t)MPI_COMM_WORLD);                                        \
		expect("MPI_COMM_NULL", IS_OPEN_MPI ? (int64_t)(intptr_t)MPI_COMM_NULL : (none),  \
		       (int64_t)(intptr_t)MPI_COMM_NULL);                                         \
	}
#define MPI_OPERATION(NAME, name, mpich)                                            \
	expect("MPI_" #NAME, IS_OPEN_MPI ? (int64_t)(intptr_t)MPI_##NAME : (mpich), \
	       (int64_t)(intptr_t)MPI_##NAME);
#define MPI_COMBINER(name, open_mpi, mpich) \
	expect("MPI_COMBINER_" #name, IS_OPEN_MPI ? open_mpi : mpich, MPI_COMBINER_##name);
#undef OPEN_MPI
#include "extensions/agents/mpi/abi.def"
	expect("size of MPI_Aint", 8, sizeof(MPI_Aint));
	return wrong;
}
