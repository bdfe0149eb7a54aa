// A column is a strided type: work on the other columns goes on meanwhile, work on it may not.
// expect: SC-163 at=fill proven order=none
// expect[FIXED]: clean
#include "testcases/ranks/ranks.h"

#define EDGE 64

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *matrix = on_device(EDGE * EDGE * sizeof(float));
	size_t row = EDGE * sizeof(float);
	cudaStream_t s = stream();
	MPI_Datatype column, columns;
	MPI_Request requests[2];

	MPI_Type_vector(EDGE, 1, EDGE, MPI_FLOAT, &column);
	MPI_Type_create_resized(column, 0, sizeof(float), &columns);
	MPI_Type_commit(&columns);
	MPI_Irecv(matrix, 2, columns, r.left, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(matrix + 4, 2, columns, r.right, 0, MPI_COMM_WORLD, &requests[1]);
	CHECK(cudaMemset2DAsync(matrix + 2, row, 0, 2 * sizeof(float), EDGE, s));
	CHECK(cudaMemset2DAsync(matrix + 6, row, 0, (EDGE - 6) * sizeof(float), EDGE, s));
#ifndef FIXED
	CHECK(cudaMemset2DAsync(matrix + 5, row, 0, sizeof(float), EDGE, s)); // @fill
#endif
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Type_free(&column);
	MPI_Type_free(&columns);
	finish(s, matrix, 0);
	return end();
}
