#include <recto/nn/vision_transformer.hpp>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/images/conv.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

const nn::VisionTransformerSize tiny{
    .side = 6, .patch = 2, .channels = 2, .layers = 2, .width = 8, .heads = 2, .classes = 3};

}  // namespace

TEST_CASE("patches: places of the numbers, and back", "[nn][vit][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    const Tensor x = random.normal({3, 2, 4, 6}, 0, 1, device), rows = nn::patches(x, 2);
    CHECK(rows.shape() == Shape{3, 6, 8});
    for (const Index channel : {0, 1})
        CHECK(rows.at({2, 5, channel * 4 + 1}) == x.at({2, channel, 2, 5}));  // last patch, first row, second column
    CHECK(same_bits(nn::from_patches(rows, 2, 4, 2), x));
    CHECK_THROWS_WITH(nn::patches(x, 4),
                      "patches: wanted images (batch, channels, height, width) that patches of 4 fill, got shape "
                      "(3, 2, 4, 6)");
    CHECK_THROWS_WITH(nn::from_patches(rows, 2, 8, 2),
                      "from_patches: wanted patches of 2 x 2 x 2 in 8 rows of pixels, got shape (3, 6, 8)");
}

TEST_CASE("VisionTransformer: every device agrees with the CPU", "[nn][vit][devices][row:sys-vit/e]") {
    const Device device = GENERATE(from_range(devices()));
    const nn::Readout readout = GENERATE(nn::Readout::class_token, nn::Readout::mean);
    CAPTURE(device);
    Generator random(2);
    const nn::VisionTransformer model(tiny, random, readout);
    nn::VisionTransformer there = nn::clone(model);
    nn::to(there, device);
    const Tensor images = random.normal({3, 2, 6, 6});
    const Tensor want = model(images), got = there(images.to(device));
    CHECK(want.shape() == Shape{3, 3});
    CHECK(close(got, doubles(want), 20 * usual));
    sum(want * want).backward(), sum(got * got).backward();
    const NamedTensors ours = nn::parameters(model), theirs = nn::parameters(there);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        CAPTURE(ours[i].name);
        CHECK(close(theirs[i].tensor.grad(), doubles(ours[i].tensor.grad()), 100 * usual));
    }
}

TEST_CASE("VisionTransformer: the embedding is a convolution with a stride", "[nn][vit][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(3);
    const nn::VisionTransformer model(tiny, random, nn::Readout::class_token, device);
    const Tensor images = random.normal({3, 2, 6, 6}, 0, 1, device);
    const Tensor maps = conv2d(images, reshape(model.embed.weight, {8, 2, 2, 2}), model.embed.bias, {.stride = 2});
    const Tensor all = model.tokens(images) - model.places;
    CHECK(close(slice(all, 1, 1, 10), doubles(transpose(flatten(maps, 2))), 10 * usual));
    CHECK(close(select(slice(all, 0, 1, 2), 1, 0), doubles(reshape(model.class_token, {1, 8})), usual));
}

TEST_CASE("VisionTransformer: parameters and messages", "[nn][vit]") {
    Generator random(4);
    const Index block = 12 * 8 * 8 + 13 * 8;
    CHECK(nn::count(nn::VisionTransformer(tiny, random)) == (8 * 8 + 8) + 8 + 10 * 8 + 2 * block + 2 * 8 + (8 * 3 + 3));
    CHECK_THROWS_WITH(nn::VisionTransformer({.side = 6, .patch = 4}, random),
                      "VisionTransformer: wanted a patch that divides the side 6, got 4");
    CHECK_THROWS_WITH(nn::VisionTransformer({.layers = -1}, random), "VisionTransformer: wanted layers >= 0, got -1");
}

GRADIENT_TEST("VisionTransformer") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(5);
            nn::VisionTransformer model(tiny, random, nn::Readout::class_token, x[0].device());
            model.embed.weight = x[1], model.class_token = x[2], model.places = x[3];
            return model(x[0]);
        },
        [](Generator& random) {
            return Inputs{random.normal({1, 2, 6, 6}), random.normal({8, 8}), random.normal({1, 1, 8}),
                          random.normal({10, 8})};
        },
        4);
}
