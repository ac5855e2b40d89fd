// A growable array of plain values whose new elements are not zeroed: a trace column of a million
// rows is written once.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace sluice {

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }
  Column(const Column& other) { append(other.data(), other.size()); }
  Column& operator=(const Column& other) {
    if (this != &other) {
      size_ = 0;
      append(other.data(), other.size());
    }
    return *this;
  }
  ~Column() = default;

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    std::unique_ptr<T[]> grown(new T[capacity]);
    if (size_ > 0) std::memcpy(grown.get(), data_.get(), size_ * sizeof(T));
    data_ = std::move(grown);
    capacity_ = capacity;
  }
  /// For a writer that fills rows of several columns at once: it writes through `raw` and then says
  /// how many there are.
  [[nodiscard]] T* raw() { return data_.get(); }
  void set_size(std::size_t size) { size_ = size; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 64 : capacity_ * 2);
    data_[size_++] = value;
  }
  void clear() { size_ = 0; }

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] const T* begin() const { return data_.get(); }
  [[nodiscard]] const T* end() const { return data_.get() + size_; }

  bool operator==(const Column& other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i) {
      if (!(data_[i] == other.data_[i])) return false;
    }
    return true;
  }

 private:
  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void append(const T* values, std::size_t count) {
    reserve(size_ + count);
    if (count > 0) std::memcpy(data_.get() + size_, values, count * sizeof(T));
    size_ += count;
  }

  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace sluice
