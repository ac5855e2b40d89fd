// A callable with its few captures inside: one word and what it has captured, no allocation. For
// lambdas that capture references and are kept in a list. A std::function of a lambda costs some
// 500 bytes of code.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace sluice {

template <class Signature>
class InlineFunction;

template <class R, class... Args>
class InlineFunction<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, InlineFunction>)
      // NOLINTNEXTLINE(google-explicit-constructor): a callable is passed as it is.
      InlineFunction(const F& callable)
      : call_([](const void* kept, Args... args) -> R {
          return (*static_cast<const F*>(kept))(std::forward<Args>(args)...);
        }) {
    static_assert(sizeof(F) <= kMost && std::is_trivially_copyable_v<F>);
    new (kept_) F(callable);
  }

  R operator()(Args... args) const { return call_(kept_, std::forward<Args>(args)...); }

 private:
  static constexpr std::size_t kMost = 64;

  // What the callable does not fill is never read.
  alignas(void*) std::byte kept_[kMost];
  R (*call_)(const void*, Args...);
};

}  // namespace sluice
