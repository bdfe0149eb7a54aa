/* CUDA_VISIBLE_DEVICES: which devices a process sees, and that it knows them by what they are. */
#include "simulator/driver/context/visible.h"

#include "tests/unit/simulator/sim_fixture.h"

#define UUID_0 "GPU-73747265-616d-6368-6563-6b2d73696d00"
#define UUID_1 "GPU-73747265-616d-6368-6563-6b2d73696d01"

static void expect(const char *list, const char *wanted)
{
	int numbers[4], count = sim_visible_choose(list, 4, numbers);
	char got[8] = "";

	for (int i = 0; i < count; i++)
		got[i] = (char)('0' + numbers[i]);
	assert_string_equal(got, wanted);
}

TEST(lists)
{
	expect(NULL, "0123");
	expect("", "");
	expect("-1", "");
	expect("2,1", "21");
	expect("0,2,-1,1", "02");
	expect("0,,1", "0");
	expect("3, 1", "31");
	expect("1,1,0", "1");
	expect("1,4,0", "1");
	expect("99999999999999999999", "");
	expect("1x,0", "");
	expect("all", "");
	expect("0,1,2,3,0,1", "0123");
}

TEST(uuids)
{
	expect(UUID_1 "," UUID_0, "10");
	expect("GPU-7374", ""); /* that is all of them */
	expect("GPU-8374", "");
	expect("GPU-73747265-616D-6368-6563-6b2d73696d02,0", "20");
	expect(UUID_1 "0", "");
}

TEST(names)
{
	CUdevice device, found;
	char bus[32];
	CUuuid uuid;
	int count;

	assert_int_equal(cuDeviceGetCount(&count), CUDA_SUCCESS);
	assert_int_equal(count, 1);
	assert_int_equal(cuDeviceGet(&device, 0), CUDA_SUCCESS);
	assert_int_equal(cuDeviceGet(&found, 1), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(cuDeviceGetPCIBusId(bus, sizeof(bus), device), CUDA_SUCCESS);
	assert_string_equal(bus, "0000:02:00.0");
	assert_int_equal(cuDeviceGetByPCIBusId(&found, bus), CUDA_SUCCESS);
	assert_int_equal(found, device);
	assert_int_equal(cuDeviceGetByPCIBusId(&found, "0000:01:00.0"), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(cuDeviceGetUuid(&uuid, device), CUDA_SUCCESS);
	assert_int_equal(uuid.bytes[15], 1);
}

static int setup(void **state)
{
	setenv("CUDA_VISIBLE_DEVICES", "1,7", 1);
	return sim_setup(state);
}

ALL_TESTS(setup, NULL)
