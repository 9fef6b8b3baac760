// What crosses the border: flat arrays by view, numbers, words, and dicts of these. No class does,
// so that whatever Python keeps can be pickled.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pucut::bindings {

namespace nb = nanobind;

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Fields = nb::typed<nb::dict, nb::str, nb::any>;

template <class T>
std::span<const T> view(const Input<T>& array) {
    return {array.data(), array.size()};
}

// Hands the memory over instead of copying it.
template <class T, class Allocator>
Output<T> give(std::vector<T, Allocator>&& values) {
    using Kept = std::vector<T, Allocator>;
    auto* kept = new Kept(std::move(values));
    nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Kept*>(pointer); });
    return Output<T>(kept->data(), {kept->size()}, owner);
}

// The field of a dict that must be there, as a value of that type.
template <class T>
T field(const nb::dict& fields, const char* name) {
    if (!fields.contains(name)) throw nb::key_error(name);
    try {
        return nb::cast<T>(fields[name]);
    } catch (const nb::cast_error&) {
        throw nb::type_error((std::string(name) + " has an unsupported type").c_str());
    }
}

// One of the words that have a value each.
template <class T>
T field_of(const nb::dict& fields, const char* name,
           std::initializer_list<std::pair<const char*, T>> words) {
    const std::string found = field<const char*>(fields, name);
    for (const auto& [word, value] : words)
        if (found == word) return value;
    throw nb::value_error((found + " is not an allowed value of " + name).c_str());
}

}  // namespace pucut::bindings
