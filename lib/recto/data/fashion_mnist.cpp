#include <recto/data/fashion_mnist.hpp>

#include <cstdlib>
#include <filesystem>

#include <recto/data/idx.hpp>
#include <recto/data/sha256.hpp>
#include <recto/device/threads.hpp>

namespace RECTO::data {
namespace {

/// A file and the SHA-256 of its content.
struct Known {
    const char* name;
    const char* fingerprint;
};
constexpr Known known[2][2] = {
    {{"train-images-idx3-ubyte", "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
     {"train-labels-idx1-ubyte", "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"}},
    {{"t10k-images-idx3-ubyte", "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
     {"t10k-labels-idx1-ubyte", "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}}};
constexpr const char* remedy = "get it with: apt-get install dataset-fashion-mnist";

/// NAME.gz or NAME in the folder; an Error that says how to get the file if there is neither.
std::string find(const std::string& folder, const char* name) {
    for (const char* ending : {".gz", ""})
        if (const std::string path = folder + "/" + name + ending; std::filesystem::exists(path)) return path;
    throw Error(fmt::format("{}/{}.gz: byte 0: there is no such file; {}", folder, name, remedy));
}

Idx read_known(const std::string& path) {
    try {
        return read_idx(path);
    } catch (const Error& error) {
        throw Error(fmt::format("{}; {}", error.what(), remedy));
    }
}

/// The fingerprint is that of the uncompressed file: header and numbers.
void check_fingerprint(const std::string& path, const Idx& content, const char* wanted) {
    std::vector<std::uint8_t> header = {0, 0, std::uint8_t(content.type), std::uint8_t(content.shape.dim())};
    for (const Index extent : content.shape)
        for (int shift = 24; shift >= 0; shift -= 8) header.push_back(std::uint8_t(extent >> shift));
    Sha256 sum;
    sum.add(header);
    sum.add(content.bytes());
    check(sum.hex() == wanted, "{}: byte 0: wanted content with SHA-256 {}, got {}; {}", path, wanted, sum.hex(),
          remedy);
}

Examples load(Part part) {
    const char* asked = std::getenv("RECTO_FASHION_MNIST");
    const std::string folder = asked && *asked ? asked : "/usr/share/datasets/fashion-mnist";
    const Known &images = known[part == Part::test][0], &labels = known[part == Part::test][1];
    const std::string image_path = find(folder, images.name), label_path = find(folder, labels.name);
    const Idx pixels = read_known(image_path), classes = read_known(label_path);
    const Shape shape{part == Part::train ? 60000 : 10000, 1, 28, 28};
    check(pixels.shape == shape.without(1), "{}: byte 4: wanted pictures of shape {}, got {}; {}", image_path,
          shape.without(1), pixels.shape, remedy);
    Examples set;
    parallel(2, 1, [&](Index begin, Index end) {  // the check and the conversion take about equally long
        for (Index task = begin; task < end; ++task)
            if (task == 0)
                check_fingerprint(image_path, pixels, images.fingerprint);
            else
                set.x = tensor_of(pixels, Real(1) / 255).view(shape, shape.strides(), 0);
    });
    check_fingerprint(label_path, classes, labels.fingerprint);
    set.labels = integers_of(classes);
    set.source = fmt::format("Fashion-MNIST (Xiao, Rasul and Vollgraf, 2017), the {} part, from {}",
                             part == Part::train ? "training" : "test", folder);
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
