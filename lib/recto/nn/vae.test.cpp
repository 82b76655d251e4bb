#include <recto/nn/vae.hpp>

#include <cmath>
#include <numbers>

#include <recto/autograd/tape.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("Vae: the bound, number by number", "[nn][vae][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    Generator random(1);
    nn::Vae net({5, 4, 2}, tanh, random, {.device = device});
    net.log_noise = full({1}, Real(-0.3), device);
    const Tensor x = random.normal({3, 5}, 0, 1, device), noise = random.normal({3, 2}, 0, 1, device);
    const std::vector<double> code = doubles(net.encoder(x)), in = doubles(x), eps = doubles(noise);
    std::vector<Real> latents;
    std::vector<double> price(3);
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t k = 0; k < 2; ++k) {
            const double m = code[4 * n + k], s = std::exp(code[4 * n + 2 + k]);
            latents.push_back(Real(m + s * eps[2 * n + k]));
            price[n] += (s * s + m * m - 1) / 2 - std::log(s);
        }
    const std::vector<double> out = doubles(net.decoder(Tensor({3, 2}, latents, device)));
    std::vector<double> want;
    for (std::size_t n = 0; n < 3; ++n) {
        double log = -price[n];
        for (std::size_t i = 0; i < 5; ++i) {
            const double miss = (in[5 * n + i] - out[5 * n + i]) / std::exp(-0.3);
            log -= miss * miss / 2 + std::log(2 * std::numbers::pi) / 2 - 0.3;
        }
        want.push_back(log);
    }
    CHECK(close(net.bound(x, noise), want, 20 * usual));
    CHECK(net.latents() == 2);
    CHECK(nn::count(net) == (5 * 4 + 4 + 4 * 4 + 4) + (2 * 4 + 4 + 4 * 5 + 5));  // the noise is no leaf any more
}

TEST_CASE("Vae: every device agrees with the CPU, forward and backward", "[nn][vae][devices][row:sys-vae/e]") {
    const Device device = GENERATE(from_range(devices()));
    CAPTURE(device);
    const auto run = [](Device where) {
        Generator random(2);
        const nn::Vae net({6, 8, 3}, relu, random, {.device = where});
        const Tensor x = random.normal({4, 6}, 0, 1, where), noise = random.normal({4, 3}, 0, 1, where);
        const Tensor bound = net.bound(x, noise);
        mean(bound).backward();
        std::vector<Tensor> found = {bound, net.encode(x).divergence()};
        for (const NamedTensor& p : nn::parameters(net)) found.push_back(p.tensor.grad());
        return found;
    };
    const std::vector<Tensor> want = run(Device::cpu), got = run(device);
    REQUIRE(want.size() == 2 + 4 + 4 + 1);
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(close(got[i], doubles(want[i]), 20 * usual));
}

TEST_CASE("Vae: messages", "[nn][vae]") {
    Generator random(3);
    const nn::Vae net({6, 8, 3}, relu, random);
    CHECK_THROWS_WITH(nn::Vae({6}, relu, random), "Vae: wanted at least an input and a latent size, got 1 sizes");
    CHECK_THROWS_WITH(nn::Vae({6, 3}, relu, random, {}, 0), "Vae: wanted a finite noise above 0, got 0");
    CHECK_THROWS_WITH(net.bound(ones({4, 6}), ones({4, 2})), "LatentNormal: wanted noise of shape (4, 3), got (4, 2)");
    CHECK_THROWS_WITH(net.encode(ones({6})), "Vae: wanted (batch, inputs), got shape (6)");
    CHECK_THROWS_WITH(net.log_likelihood(ones({4, 6}), ones({3, 3})),
                      "Vae: wanted (batch, inputs) and (batch, latents), got shapes (4, 6) and (3, 3)");
}

GRADIENT_TEST("Vae") {
    check_gradient(
        [](const Inputs& x) {
            Generator random(4);
            nn::Vae net({4, 5, 2}, tanh, random, {.device = x[0].device()});
            net.log_noise = x[2], net.encoder.layers[0].weight = x[3];
            return net.bound(x[0], x[1]);
        },
        [](Generator& random) {
            const Tensor in = random.normal({3, 4}), noise = random.normal({3, 2});
            const Tensor deviation = random.normal({1}), weight = random.normal({5, 4});
            return Inputs{in, noise, deviation, weight};
        },
        8);
}
