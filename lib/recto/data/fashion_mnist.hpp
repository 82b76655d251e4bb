#pragma once
/// @file
/// Fashion-MNIST: 70 000 grey images of clothes in ten classes (Xiao, Rasul and Vollgraf, 2017).
#include <array>
#include <string_view>

#include <recto/data/examples.hpp>

namespace RECTO::data {

/// The parts of the set.
enum class Part {
    train,  ///< 60 000 training images
    test,   ///< 10 000 test images
};

/// The classes' names, by label.
inline constexpr std::array<std::string_view, 10> fashion_names = {
    "T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"};

/// One part: x (n, 1, 28, 28) with pixels from 0 to 1, labels (n). `flat()` makes x (n, 784).
///
/// The files are those of Debian's package dataset-fashion-mnist in /usr/share/datasets/fashion-mnist, or in the folder
/// that RECTO_FASHION_MNIST names, compressed or not; the SHA-256 of their content must be the known one. A part is
/// read once per program and shared by all callers; do not write to it.
/// @throws Error with one line that says what is wrong with which file and how to get it
const Examples& fashion_mnist(Part part);

}  // namespace RECTO::data
