// The rows of shmem.def beside the headers of NVSHMEM: names, registers that parameters take, and
// which parameters are pointers to elements of which size. Compiling it is the test.
#include <cstddef>
#include <type_traits>
#include <nvshmem.h>
#include <nvshmemx.h>
#define _Atomic // C++ has no such word
#include "extensions/agents/shmem/row.h"

using shmem_row = struct sc_shmem_row; // a function has the name, too

namespace
{
// Bytes of what it points to; 0: of bytes that have no type, the function's name alone says that.
template <class T> constexpr size_t element_of()
{
	using pointee = std::remove_pointer_t<T>;

	if constexpr (std::is_pointer_v<T> && std::is_object_v<pointee> &&
		      requires { sizeof(pointee); })
		return sizeof(pointee);
	return 0;
}

template <class... P> struct parameters {
	static constexpr size_t registers = (0 + ... + ((sizeof(P) + 7) / 8));
	// In an array, 0 is no parameter's.
	static constexpr bool is_pointer[] = {false, std::is_pointer_v<P>...};
	static constexpr bool is_stream[] = {false, std::is_same_v<P, cudaStream_t>...};
	static constexpr bool is_process[] = {false, std::is_same_v<P, int>...};
	static constexpr bool is_count[] = {false, std::is_same_v<P, size_t>...};
	static constexpr bool is_step[] = {false, std::is_same_v<P, ptrdiff_t>...};
	static constexpr size_t element[] = {0, element_of<P>()...};
};

template <class R, class... P> parameters<P...> of(R (*)(P...))
{
	return {};
}

// A number that is in no ordinary register is not counted.
template <class R, class A, class... P> parameters<A, P...> of(R (*)(A, float, P...))
{
	return {};
}

template <class R, class A, class... P> parameters<A, P...> of(R (*)(A, double, P...))
{
	return {};
}

constexpr bool is_element(size_t has, unsigned wants)
{
	return !has || has == wants;
}

template <class P> constexpr bool agree(const shmem_row &row)
{
	const unsigned pointers[] = {row.writes, row.writes_peer, row.reads, row.reads_peer,
				     row.values};
	bool is_right = row.parameters == P::registers;

	for (unsigned at : pointers)
		is_right = is_right &&
			   (!at || (P::is_pointer[at] && is_element(P::element[at], row.element)));
	return is_right && (!row.stream || P::is_stream[row.stream]) &&
	       (!row.count || P::is_count[row.count]) && (!row.size || P::is_count[row.size]) &&
	       (!row.to_step || (P::is_step[row.to_step] && P::is_step[row.from_step])) &&
	       (!row.peer || P::is_process[row.peer]) && (!row.root || P::is_process[row.root]) &&
	       (!row.team || P::is_process[row.team]) &&
	       (!row.signal || P::element[row.signal] == 8) &&
	       (!row.status || P::element[row.status] == sizeof(int));
}
} // namespace

// A launch's stream is behind its sizes, which take two registers each.
#define SHMEM(name, count, its_way, ...)                                                        \
	static_assert(std::is_same_v<decltype(&name), decltype(&nvshmemx_collective_launch)> || \
			      agree<decltype(of(&name))>(shmem_row{.way = SC_SHMEM_##its_way,   \
								   .parameters = count,         \
								   __VA_ARGS__}),               \
		      #name);
#include "extensions/agents/shmem/shmem.def"
