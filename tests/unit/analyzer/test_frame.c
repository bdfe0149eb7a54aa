/* Frames: whose code lies where, and what that makes of a stack. */
#include "analyzer/symbol/frame.h"
#include "analyzer/symbol/stub.h"
#include "tests/unit/unit.h"

static enum sc_frame_owner owner_of(const char *file, const char *module)
{
	struct sc_frame frame = {
		.function = "f(int)", .file = file, .module = module, .line = 7, .is_named = 1};

	return sc_frame_owner_of(&frame);
}

TEST(a_file_has_the_owner_of_its_folder)
{
	static const struct {
		const char *file;
		enum sc_frame_owner owner;
	} rows[] = {
		{"/home/u/app/main.cu", SC_OWNER_USER},
		{"/home/u/app/include/app/main.hpp", SC_OWNER_USER},
		{"/home/u/cuda/include/kernels.h", SC_OWNER_USER},
		{"/home/u/targets/app/include/a.h", SC_OWNER_USER},
		{"/usr/src/app/main.cu", SC_OWNER_USER},
		{"/opt/app/main.cu", SC_OWNER_USER},
		{"/usr/include/eigen3/Eigen/src/Core/Assign.h", SC_OWNER_PACKAGE},
		{"/usr/local/include/fmt/core.h", SC_OWNER_PACKAGE},
		{"/usr/src/googletest/googletest/src/gtest.cc", SC_OWNER_PACKAGE},
		{"/home/u/app/build/_deps/nvbench-src/nvbench/launch.cuh", SC_OWNER_PACKAGE},
		{"/home/u/app/build/vcpkg_installed/x64-linux/include/a.h", SC_OWNER_PACKAGE},
		{"/home/u/.conan2/p/b/fmt/p/include/fmt/core.h", SC_OWNER_PACKAGE},
		{"/home/u/miniconda3/include/a.h", SC_OWNER_PACKAGE},
		{"/opt/conda/envs/gpu/include/a.h", SC_OWNER_PACKAGE},
		{"/home/u/miniconda3/pkgs/a-1.0/include/a.h", SC_OWNER_PACKAGE},
		{"/home/u/v/lib/python3.11/site-packages/a/include/a.h", SC_OWNER_PACKAGE},
		{"/usr/include/x86_64-linux-gnu/c++/12/bits/a.h", SC_OWNER_SYSTEM},
		{"/usr/include/c++/12/future", SC_OWNER_SYSTEM},
		{"/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h", SC_OWNER_SYSTEM},
		{"/usr/local/cuda/targets/x86_64-linux/include/cccl/thrust/fill.h",
		 SC_OWNER_SYSTEM},
		{"/usr/local/cuda-13.0/include/cooperative_groups.h", SC_OWNER_SYSTEM},
		{"/usr/local/cuda/include/cuda_pipeline.h", SC_OWNER_SYSTEM},
		{"/home/u/w/nvidia/cu13/include/crt/device_functions.h", SC_OWNER_SYSTEM},
		{"/opt/nvidia/hpc_sdk/cuda/13.0/targets/sbsa-linux/include/cub/a.cuh",
		 SC_OWNER_SYSTEM},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (owner_of(rows[i].file, "/home/u/app/app") != rows[i].owner)
			fail_msg("%s has another owner", rows[i].file);
}

TEST(a_function_without_a_line_has_the_owner_of_its_library)
{
	assert_int_equal(owner_of("", "/home/u/app/libmine.so"), SC_OWNER_USER);
	assert_int_equal(owner_of("", "/usr/lib/x86_64-linux-gnu/libmpi.so.40"), SC_OWNER_PACKAGE);
	assert_int_equal(owner_of("", "/v/site-packages/torch/lib/libtorch.so"), SC_OWNER_PACKAGE);
	assert_int_equal(owner_of("", "/usr/lib/libcudart.so.13"), SC_OWNER_SYSTEM);
}

/* The stack of a launch in a header: CUDA's, the header's, the user's. */
static void stack(struct sc_frame frames[3], const char *header, const char *user)
{
	const char *files[] = {"/t/include/crt/device_functions.h", header, user};

	for (unsigned i = 0; i < 3; i++) {
		frames[i] = (struct sc_frame){.function = "f",
					      .file = files[i],
					      .line = 1,
					      .module = "/home/u/app/app",
					      .is_named = 1};
		frames[i].owner = sc_frame_owner_of(&frames[i]);
	}
}

TEST(packages_are_internal_in_a_stack_with_own_code)
{
	struct sc_frame f[3];

	stack(f, "/usr/include/eigen3/a.h", "/home/u/app/main.cu");
	sc_frames_judge(f, 3);
	assert_true(f[0].is_internal && f[1].is_internal && !f[2].is_internal);
	assert_false(sc_frame_is_of_header(&f[0]));
	assert_true(sc_frame_is_of_header(&f[1]));
}

TEST(a_stack_without_own_code_shows_the_packages)
{
	struct sc_frame f[3];

	stack(f, "/usr/include/eigen3/a.h", "/usr/include/c++/12/future");
	sc_frames_judge(f, 3);
	assert_true(f[0].is_internal && !f[1].is_internal && f[2].is_internal);
}

TEST(option_own_decides_in_the_stacks_that_have_such_files)
{
	static const struct sc_option_list own = {{"/usr/include/eigen3/*"}, 1};
	static const struct sc_option_list none = {{"/nowhere/*"}, 1};
	struct sc_frame f[3];

	stack(f, "/usr/include/eigen3/a.h", "/home/u/app/main.cu");
	sc_frames_own(f, 3, &none, "");
	sc_frames_judge(f, 3);
	assert_true(f[1].is_internal && !f[2].is_internal);
	sc_frames_own(f, 3, &own, "");
	sc_frames_judge(f, 3);
	assert_true(f[0].is_internal && !f[1].is_internal && f[2].is_internal);
	assert_int_equal(f[1].owner, SC_OWNER_NAMED);
}

TEST(the_caller_of_a_stub_is_hidden_only_by_the_kernels_name)
{
	static const char plain[] = "__device_stub__Z7scale_kPfi(float*, int)";
	static const char of_template[] = "__device_stub__Z2tkIfEvPT_(float*)";
	static const char wrapper[] = "void __wrapper__device_stub_tk<float>(float*&)";
	static const char hidden[] =
		"__device_stub__ZN36_GLOBAL__N__54e37c79_4_s_cu_c7e378222akEPf";

	assert_true(sc_stub_is(plain) && sc_stub_is(wrapper) &&
		    !sc_stub_is("scale_k(float*, int)"));
	assert_true(sc_stub_is_called_by(plain, "scale_k(float*, int)"));
	assert_true(sc_stub_is_called_by(plain, "scale_k"));
	assert_false(sc_stub_is_called_by(plain, "scale"));
	assert_false(sc_stub_is_called_by(plain, "main"));
	assert_false(sc_stub_is_called_by(plain, "host::scale_k(float*, int)"));
	assert_true(sc_stub_is_called_by(of_template, "void tk<float>(float*)"));
	assert_true(sc_stub_is_called_by(of_template, "tk<float>"));
	assert_true(sc_stub_is_called_by(wrapper, "tk<float>"));
	assert_true(sc_stub_is_called_by(hidden, "(anonymous namespace)::ak(float*)"));
	assert_true(sc_stub_is_called_by(hidden, "ak"));
	assert_false(sc_stub_is_called_by("main", "main"));
}
