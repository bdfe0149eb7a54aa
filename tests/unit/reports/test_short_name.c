/* Long names of C++ functions, shortened. */
#include "reports/words/short_name.h"

#include <string.h>
#include "tests/unit/unit.h"

/* Names of a framework as they stand in stacks, with the parts that repeat taken out. */
static const struct {
	const char *name, *brief;
} cases[] = {
	{"main", "main"},
	{"scale(float*, int)", "scale(float*, int)"},
	{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, unsigned int> "
	 ">(at::native::ReduceOp<float, unsigned int>)",
	 "at::native::reduce_kernel<…>"},
	{"at::native::copy_impl(at::Tensor&, at::Tensor const&, bool) [clone .isra.0]",
	 "at::native::copy_impl"},
	{"at::two_pass_reduction(at::TensorIteratorBase&, c10::function_ref<void (char**, "
	 "long)>)::{lambda(long, long)#1}::operator()(long, long) const",
	 "at::two_pass_reduction::{lambda#1}::operator()"},
	{"torch::autograd::VariableType::(anonymous namespace)::copy_(c10::DispatchKeySet, "
	 "at::Tensor&)",
	 "torch::autograd::VariableType::copy_"},
	{"unsigned long std::__detail::_Prime_rehash_policy::_M_next_bkt(unsigned long) const",
	 "std::__detail::_Prime_rehash_policy::_M_next_bkt"},
	{"std::vector<int>::operator[](unsigned long, std::integral_constant<bool, true>) const",
	 "std::vector<int>::operator[]"},
	{"bool some::quite_long_namespace::operator< <int, char>(some::thing<int> const&, "
	 "some::thing<char> const&)",
	 "some::quite_long_namespace::operator< <int, char>"},
	{"some::quite_long_namespace::iterator<some::thing<int, long> >::operator->() const "
	 "volatile",
	 "some::quite_long_namespace::iterator<…>::operator->"},
	{"some::quite_long_namespace::another_quite_long_one::thing::operator unsigned int() const",
	 "some::quite_long_namespace::another_quite_long_one::thing::operator unsigned int"},
	{"decltype (auto) some::quite_long_namespace::visit<some::visitor_of_it, "
	 "long>(some::visitor_of_it&&)",
	 "some::quite_long_namespace::visit<…>"},
	{"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma",
	 "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma"},
	{"cudapy::__main__::add[abi:v1][abi:"
	 "cw51cXTLSUwv1sCUt9Uw1VEw0NRRQPKzLTg4gaGKFsG2oMQGEYakJSQB1"
	 "PQBk0Bynm21OiwU1a0UoLGhDpQE8oxrNQE_3d](Array<float, 1, C>, int)",
	 "cudapy::__main__::add(Array<float, 1, C>, int)"},
	{"name[abi:cxx11]()", "name()"},
	{"[abi:v1]", "[abi:v1]"},
	{"a name that is broken somewhere: f(int, std::vector<std::vector<std::vector<int",
	 "a name that is broken somewhere: f(int, std::vector<std::vector<std::vector<int"},
};

TEST(names_read_as_people_say_them)
{
	struct sc_buf out = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		sc_buf_clear(&out);
		sc_buf_add(&out, "in ");
		sc_short_name_add(&out, cases[i].name);
		assert_string_equal(out.text + 3, cases[i].brief);
		assert_int_equal(out.bytes, strlen(out.text));
	}
	sc_buf_fini(&out);
}

/* Each name, cut anywhere, gives some text that is not longer than itself. */
TEST(cut_names_are_safe)
{
	struct sc_buf out = {0};
	char name[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t bytes = 1; bytes <= strlen(cases[i].name); bytes++) {
			memcpy(name, cases[i].name, bytes);
			name[bytes] = '\0';
			sc_buf_clear(&out);
			sc_short_name_add(&out, name);
			assert_in_range(out.bytes, 1, bytes);
		}
	sc_buf_fini(&out);
}
