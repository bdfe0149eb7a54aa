// Bodies that attract each other: tiles of positions in shared memory, float4 loads, the reciprocal
// square root as the device approximates it. The host computes the same with exact functions.
// expect: clean
#include "testcases/compute.h"

static const int BODIES = 300, TILE = 64, STEPS = 3;
static const float SOFTENING = 0.1f, SECONDS = 0.01f;

__global__ void forces(const float4 *place, float4 *speed)
{
	__shared__ float4 tile[TILE];
	int at = blockIdx.x * TILE + threadIdx.x;
	float4 mine = at < BODIES ? place[at] : make_float4(0, 0, 0, 0);
	float3 sum = make_float3(0, 0, 0);

	for (int start = 0; start < BODIES; start += TILE) {
		int other = start + threadIdx.x;

		tile[threadIdx.x] = other < BODIES ? place[other] : make_float4(0, 0, 0, 0);
		__syncthreads();
#pragma unroll 8
		for (int i = 0; i < TILE; i++) {
			float x = tile[i].x - mine.x, y = tile[i].y - mine.y,
			      z = tile[i].z - mine.z;
			float r = rsqrtf(x * x + y * y + z * z + SOFTENING);
			float pull = tile[i].w * r * r * r;

			sum.x += x * pull;
			sum.y += y * pull;
			sum.z += z * pull;
		}
		__syncthreads();
	}
	if (at >= BODIES)
		return;
	speed[at].x += sum.x * SECONDS;
	speed[at].y += sum.y * SECONDS;
	speed[at].z += sum.z * SECONDS;
}

__global__ void move(float4 *place, const float4 *speed)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;

	if (at >= BODIES)
		return;
	place[at].x += speed[at].x * SECONDS;
	place[at].y += speed[at].y * SECONDS;
	place[at].z += speed[at].z * SECONDS;
}

HOST_LOOP void step_on_host(float4 *place, float4 *speed)
{
	for (int a = 0; a < BODIES; a++)
		for (int b = 0; b < BODIES; b++) {
			double x = place[b].x - place[a].x, y = place[b].y - place[a].y;
			double z = place[b].z - place[a].z;
			double r = 1 / sqrt(x * x + y * y + z * z + SOFTENING);
			double pull = place[b].w * r * r * r * SECONDS;

			speed[a].x += x * pull;
			speed[a].y += y * pull;
			speed[a].z += z * pull;
		}
	for (int a = 0; a < BODIES; a++) {
		place[a].x += speed[a].x * SECONDS;
		place[a].y += speed[a].y * SECONDS;
		place[a].z += speed[a].z * SECONDS;
	}
}

int main()
{
	need_kernels();
	float4 *place = host_array<float4>(BODIES), *speed = host_array<float4>(BODIES);
	float4 *got = host_array<float4>(BODIES);
	unsigned state = 5;

	for (int i = 0; i < BODIES; i++)
		place[i] = make_float4(random_unit(&state), random_unit(&state),
				       random_unit(&state), random_unit(&state));
	float4 *d_place = device_copy(place, BODIES), *d_speed = device_zeros<float4>(BODIES);

	for (int i = 0; i < STEPS; i++) {
		forces<<<(BODIES + TILE - 1) / TILE, TILE>>>(d_place, d_speed);
		move<<<(BODIES + 127) / 128, 128>>>(d_place, d_speed);
		step_on_host(place, speed);
	}
	read_back(got, d_place, BODIES);
	expect_near("places", &got->x, &place->x, 4 * BODIES, 1e-4);
	read_back(got, d_speed, BODIES);
	expect_near("speeds", &got->x, &speed->x, 4 * BODIES, 1e-4);
	free_device(d_place, d_speed);
	free_host(place, speed, got);
	return 0;
}
