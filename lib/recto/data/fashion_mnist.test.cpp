#include <recto/data/fashion_mnist.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <recto/data/batches.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

/// A folder that RECTO_FASHION_MNIST names during a test.
struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / fmt::format("recto fashion {}", getpid())).string();
    Folder() {
        std::filesystem::create_directories(path);
        setenv("RECTO_FASHION_MNIST", path.c_str(), 1);
    }
    ~Folder() {
        unsetenv("RECTO_FASHION_MNIST");
        std::filesystem::remove_all(path);
    }
    void write(const char* name, std::string_view content) const {
        std::ofstream(path + "/" + name, std::ios::binary) << content;
    }
};

std::string complaint(Part part) {
    try {
        fashion_mnist(part);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

// First, because a set that has been read is not read again.
TEST_CASE("Fashion-MNIST: one line says what is wrong and how to get it", "[data]") {
    using namespace std::string_literals;
    const Folder folder;
    const std::string remedy = "; get it with: apt-get install dataset-fashion-mnist";
    CHECK(complaint(Part::test) == folder.path + "/t10k-images-idx3-ubyte.gz: byte 0: there is no such file" + remedy);
    folder.write("t10k-images-idx3-ubyte", "\0\0\x08\x03\0\0"s);
    CHECK(complaint(Part::test) == folder.path + "/t10k-labels-idx1-ubyte.gz: byte 0: there is no such file" + remedy);
    folder.write("t10k-labels-idx1-ubyte", "\0\0\x08\x01\0\0\0\0"s);
    CHECK(complaint(Part::test) ==
          folder.path + "/t10k-images-idx3-ubyte: byte 6: the file ends here, 2 bytes too early" + remedy);
    folder.write("t10k-images-idx3-ubyte", "\0\0\x08\x03\0\0\0\0\0\0\0\0\0\0\0\0"s);
    CHECK(complaint(Part::test) ==
          folder.path + "/t10k-images-idx3-ubyte: byte 4: wanted pictures of shape (10000, 28, 28), got (0, 0, 0)" +
              remedy);
    folder.write("t10k-images-idx3-ubyte",
                 "\0\0\x08\x03\0\0\x27\x10\0\0\0\x1c\0\0\0\x1c"s + std::string(7840000, '\0'));
    CHECK_THAT(complaint(Part::test),
               StartsWith(folder.path + "/t10k-images-idx3-ubyte: byte 0: wanted content with SHA-256 5b4141f0") &&
                   EndsWith(remedy));
}

TEST_CASE("Fashion-MNIST: shapes, labels, and once only", "[data][row:sys-tensor-layouts/c]") {
    const auto start = std::chrono::steady_clock::now();
    const Examples& test = fashion_mnist(Part::test);
    const auto first = std::chrono::steady_clock::now();
    CHECK(test.x.shape() == Shape{10000, 1, 28, 28});
    CHECK(test.labels.shape() == Shape{10000});
    CHECK(&fashion_mnist(Part::test) == &test);
    CHECK(std::chrono::steady_clock::now() - first < (first - start) / 10);
    check_labels(test.labels, Index(fashion_names.size()), "test");
    std::vector<Index> count(10, 0);
    for (const Index label : test.labels.values()) ++count[std::size_t(label)];
    CHECK(count == std::vector<Index>(10, 1000));
    CHECK(fashion_names[std::size_t(test.labels.values()[0])] == "ankle boot");
    CHECK(flat(test).x.shape() == Shape{10000, 784});
    CHECK(Batches(test, 64)[0].x.shape() == Shape{64, 1, 28, 28});  // (batch, 1, 28, 28)
}

TEST_CASE("Fashion-MNIST: mean and deviation of the training pixels",
          "[data][row:sys-tensor-layouts/d][row:sys-tensor-layouts/e]") {
    const Tensor& x = fashion_mnist(Part::train).x;
    REQUIRE(x.shape() == Shape{60000, 1, 28, 28});
    double sum = 0, squares = 0;
    const Real* pixels = x.host();
    for (Index i = 0; i < x.numel(); ++i) sum += pixels[i], squares += double(pixels[i]) * pixels[i];
    const double mean = sum / double(x.numel()), deviation = std::sqrt(squares / double(x.numel()) - mean * mean);
    CHECK(std::abs(mean - 0.2860) <= 1e-4);
    CHECK(std::abs(deviation - 0.3530) <= 1e-4);
}
