// A collective with lists of counts orders those ranks between which data goes. That all is over in
// time is hidden from streamcheck.
// expect: SC-175 at=first possible doubt=other_channel
// expect: SC-175 at=gathered possible doubt=other_channel
// expect: SC-175 at=second possible doubt=other_channel
// expect: SC-175 at=exchanged possible doubt=other_channel
// expect: SC-175 at=third possible doubt=other_channel
// expect: SC-175 at=scattered possible doubt=other_channel
// expect: SC-175 at=fourth possible doubt=other_channel
// expect: SC-175 at=reduced possible doubt=other_channel
// expect: SC-175 at=fifth possible doubt=other_channel
// expect: SC-175 at=at_root possible doubt=other_channel
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

#ifdef FIXED
#define GIVEN 1
#else
#define GIVEN 0
#endif

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES);
	int counts[2] = {0, GIVEN}, places[2] = {0, 0}, mine = r.rank == 1 ? GIVEN : 0;
	int out[2] = {1, 2}, in[2] = {0, 0};
	int to[2] = {mine, 0}, from[2] = {0, r.rank == 0 ? GIVEN : 0};
	int parts[2] = {GIVEN, 0}, own = r.rank == 0 ? GIVEN : 0;
	MPI_Comm unseen = unfollowed();
	cudaStream_t s = stream();

	if (r.rank == 1)
		PUT(s, data, PART, 1); // @first
	complete_unseen(r, 1, s, unseen);
	MPI_Allgatherv(out, mine, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
	if (r.rank == 0)
		PUT(s, data, PART, 2); // @gathered

	data += PART;
	if (r.rank == 1)
		PUT(s, data, PART, 1); // @second
	complete_unseen(r, 1, s, unseen);
	MPI_Alltoallv(out, to, places, MPI_INT, in, from, places, MPI_INT, MPI_COMM_WORLD);
	if (r.rank == 0)
		PUT(s, data, PART, 2); // @exchanged

	data += PART;
	if (r.rank == 1)
		PUT(s, data, PART, 1); // @third
	complete_unseen(r, 1, s, unseen);
	MPI_Scatterv(out, parts, places, MPI_INT, in, own, MPI_INT, 1, MPI_COMM_WORLD);
	if (r.rank == 0)
		PUT(s, data, PART, 2); // @scattered

	data += PART;
	if (r.rank == 1)
		PUT(s, data, PART, 1); // @fourth
	complete_unseen(r, 1, s, unseen);
	MPI_Reduce_scatter(out, in, parts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (r.rank == 0)
		PUT(s, data, PART, 2); // @reduced

	data += PART;
	if (r.rank == 1)
		PUT(s, data, PART, 1); // @fifth
	complete_unseen(r, 1, s, unseen);
	MPI_Gatherv(out, mine, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
	if (r.rank == 0)
		PUT(s, data, PART, 2); // @at_root
	return end_shared(r, data - 4 * PART);
}
