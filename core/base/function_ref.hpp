// A callable that somebody else keeps: two words, no allocation, no copies. For parameters only;
// what it refers to must outlive the call. A std::function of a lambda costs some 500 bytes of
// code.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace sluice {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<R, F&, Args...>)
      // NOLINTNEXTLINE(google-explicit-constructor): a callable is passed as it is.
      FunctionRef(F&& callable) {
    using Callable = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<Callable>) {
      target_.function = reinterpret_cast<void (*)()>(std::addressof(callable));
      call_ = [](Target target, Args... args) -> R {
        return reinterpret_cast<Callable*>(target.function)(std::forward<Args>(args)...);
      };
    } else {
      target_.object = std::addressof(callable);
      call_ = [](Target target, Args... args) -> R {
        using Object = std::conditional_t<std::is_const_v<Callable>, Callable, const Callable>;
        return (*const_cast<Callable*>(static_cast<Object*>(target.object)))(
            std::forward<Args>(args)...);
      };
    }
  }

  R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  union Target {
    const void* object;
    void (*function)();
  };
  Target target_;
  R (*call_)(Target, Args...);
};

}  // namespace sluice
