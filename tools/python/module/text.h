// SPDX-License-Identifier: Apache-2.0
// Texts and records of a Python caller, looked at where they lie. All of it needs the GIL, but for
// what says that it does not.
#pragma once

#include <nanobind/nanobind.h>
#include <rhomb/rhomb.h>

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace rhomb::python {

namespace nb = nanobind;

/// A name or symbols as a str; what is not UTF-8 as surrogates, as Python has paths.
inline nb::object str_of(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

/// The bytes of such a str.
inline std::string bytes_of(nb::handle text) {
  const nb::object encoded =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) throw nb::python_error();
  const auto bytes = nb::borrow<nb::bytes>(encoded);
  return {bytes.c_str(), bytes.size()};
}

/// The symbols of an ASCII str, or of anything with a buffer of one contiguous dimension of bytes:
/// bytes, bytearray, memoryview, mmap, numpy's uint8. Not copied; kept alive, and kept from being
/// resized, for as long as this lives.
class Text {
 public:
  /// Throws TypeError for another type, Error (input) for a str that is not ASCII and for a buffer
  /// of another shape.
  explicit Text(nb::handle given) : object_(nb::borrow(given)) {
    if (PyUnicode_Check(given.ptr())) {
      Py_ssize_t size = 0;
      const char* symbols = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
      if (symbols == nullptr) clear({PyExc_UnicodeEncodeError});  // lone surrogates
      if (symbols == nullptr || size != PyUnicode_GetLength(given.ptr()))
        throw Error(Kind::kInput, "a str has to be ASCII, a byte for each symbol; encode it first");
      view_ = {symbols, static_cast<std::size_t>(size)};
      return;
    }
    if (!PyObject_CheckBuffer(given.ptr()))
      throw nb::type_error(
          ("a text is a str, bytes or another buffer of bytes, not " + type_of(given)).c_str());
    if (PyObject_GetBuffer(given.ptr(), &buffer_, PyBUF_ND | PyBUF_FORMAT) != 0) {
      clear({PyExc_BufferError, PyExc_ValueError});  // the latter is numpy's
      throw Error(Kind::kInput, "a text has to lie in one piece (contiguous)");
    }
    const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
    if (buffer_.ndim != 1 || buffer_.itemsize != 1 || format == "?") {
      PyBuffer_Release(&buffer_);
      throw Error(Kind::kInput, "a text has one dimension of bytes; here are " +
                                    std::to_string(buffer_.ndim) + " dimensions, and items of " +
                                    std::to_string(buffer_.itemsize) + " bytes");
    }
    held_ = true;
    view_ = {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
  }
  ~Text() {
    if (held_) PyBuffer_Release(&buffer_);
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  std::string_view view() const { return view_; }  ///< needs no GIL

  static std::string type_of(nb::handle object) {
    return nb::cast<std::string>(nb::handle(Py_TYPE(object.ptr())).attr("__name__"));
  }

 private:
  /// Throws the error that Python has now, unless it is of these types.
  static void clear(std::initializer_list<PyObject*> types) {
    for (PyObject* type : types)
      if (PyErr_ExceptionMatches(type) != 0) return PyErr_Clear();
    throw nb::python_error();
  }

  nb::object object_;
  Py_buffer buffer_{};
  bool held_ = false;
  std::string_view view_;
};

/// What a function takes as sequences: a path, or (name, text) tuples.
class Given {
 public:
  Given(const char* name, nb::handle given) : name_(name) {
    if (PyUnicode_Check(given.ptr())) {
      path_ = bytes_of(given);
      return;
    }
    for (const nb::handle one : given) texts_.emplace_back(bytes_of(one[0]), nb::object(one[1]));
  }

  /// Reads them, each stream of its own from the first on; while this lives. Needs no GIL.
  Records records() const {
    if (!path_.empty()) return Records(path_);
    return Records::each_time(name_, [this] {
      return [this, next = std::size_t{0}](seq::Sequence& into) mutable {
        if (next == texts_.size()) return false;
        const auto& [name, text] = texts_[next++];
        into.name = name;
        into.symbols = text.view();
        return true;
      };
    });
  }

 private:
  const char* name_;
  std::string path_;
  std::deque<std::pair<std::string, Text>> texts_;  // which stay where they are
};

}  // namespace rhomb::python
