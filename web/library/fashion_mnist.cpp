// Fashion-MNIST in a browser: the book carries the first images of each part (CARRIED in tools/recto/build/web.py). They come
// from files whose SHA-256 a native run has checked, so this source checks shapes only.
#include <recto/data/fashion_mnist.hpp>

#include <string>

#include <recto/data/idx.hpp>

namespace RECTO::data {
namespace {

Examples load(Part part) {
    const bool training = part == Part::train;
    const std::string folder = "/usr/share/datasets/fashion-mnist", name = folder + (training ? "/train" : "/t10k");
    const Idx pixels = read_idx(name + "-images-idx3-ubyte.gz"), classes = read_idx(name + "-labels-idx1-ubyte.gz");
    const Index whole = training ? 60'000 : 10'000, count = pixels.shape.numel() / (28 * 28);
    check(count > 0 && count <= whole && pixels.shape == Shape{count, 28, 28} && classes.shape == Shape{count},
          "{}: wanted at most {} images of 28 x 28 pixels, each with a label, got {} and {}", name, whole, pixels.shape,
          classes.shape);
    const Shape shape{count, 1, 28, 28};
    Examples set;
    set.x = tensor_of(pixels, Real(1) / 255).view(shape, shape.strides(), 0);
    set.labels = integers_of(classes);
    set.source = fmt::format("Fashion-MNIST (Xiao, Rasul and Vollgraf, 2017), {} of the {} images of the {} part",
                             count, whole, training ? "training" : "test");
    return set;
}

}  // namespace

const Examples& fashion_mnist(Part part) {
    if (part == Part::train) {
        static const Examples train = load(Part::train);
        return train;
    }
    static const Examples test = load(Part::test);
    return test;
}

}  // namespace RECTO::data
