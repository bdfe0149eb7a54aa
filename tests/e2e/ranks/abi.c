/* What interposer/mpi/abi.def says, against this library's header. */
#include <mpi.h>
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
#define MPI_COMBINER(name, open_mpi, mpich) \
	expect("MPI_COMBINER_" #name, IS_OPEN_MPI ? open_mpi : mpich, MPI_COMBINER_##name);
#undef OPEN_MPI
#include "interposer/mpi/abi.def"
	expect("size of MPI_Aint", 8, sizeof(MPI_Aint));
	return wrong;
}
