/* Numbers and parameters that are the same in a library's header and in ours: it compiles, or it
 * fails. */
#ifndef SC_E2E_LIBRARIES_ALIKE_H
#define SC_E2E_LIBRARIES_ALIKE_H

#include <type_traits>

#define SAME(ours, theirs) \
	static_assert(static_cast<long>(ours) == static_cast<long>(theirs), #theirs)

/* Two parameters are passed alike: both pointers, or both numbers of one size and kind. */
template <class A, class B>
constexpr bool is_alike =
	std::is_pointer_v<A> == std::is_pointer_v<B> &&
	sizeof(A) == sizeof(B) && std::is_floating_point_v<A> == std::is_floating_point_v<B>;

template <class A, class B> struct are_alike : std::false_type {
};
template <class R, class S, class... A, class... B> struct are_alike<R (*)(A...), S (*)(B...)> {
	template <bool is_same_count, class = void> struct each : std::false_type {
	};
	template <class nothing>
	struct each<true, nothing> : std::bool_constant<(is_alike<A, B> && ...)> {
	};
	static constexpr bool value =
		sizeof(R) == sizeof(S) && each<sizeof...(A) == sizeof...(B)>::value;
};

#endif
