// Ranks of a line and of a graph: what a neighbour has done is over, what others have is not. That
// all is over in time is hidden from streamcheck.
// ranks: 3
// expect: SC-175 at=fill possible doubt=other_channel
// expect: SC-175 at=in_line possible doubt=other_channel
// expect: SC-175 at=more possible doubt=other_channel
// expect: SC-175 at=in_graph possible doubt=other_channel
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	int length = 3, is_ring = 0, one = 1, in[2];
	MPI_Comm unseen = unfollowed(), line, graph;
	cudaStream_t s = stream();
#ifdef FIXED
	const int user = 1;
#else
	const int user = 2;
#endif

	MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &is_ring, 0, &line);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &r.left, &one, 1, &r.right, &one,
				       MPI_INFO_NULL, 0, &graph);
	if (r.rank == 0)
		PUT(s, data, PART, 1); // @fill
	complete_unseen(r, 0, s, unseen);
	MPI_Neighbor_allgather(&one, 1, MPI_INT, in, 1, MPI_INT, line);
	if (r.rank == user)
		PUT(s, data, PART, 2); // @in_line

	if (r.rank == 0)
		PUT(s, data + PART, PART, 1); // @more
	complete_unseen(r, 0, s, unseen);
	MPI_Neighbor_alltoall(&one, 1, MPI_INT, in, 1, MPI_INT, graph);
	if (r.rank == user)
		PUT(s, data + PART, PART, 2); // @in_graph
	MPI_Comm_free(&line);
	MPI_Comm_free(&graph);
	return end_shared(r, data);
}
