#include <recto/device/storage.hpp>

#include <cstring>

#include <recto/testing/testing.hpp>

using namespace recto;

TEST_CASE("storage: counts what is held", "[core][storage]") {
    const std::size_t before = memory_use().now;
    reset_memory_peak();
    {
        const Storage a(1000, Device::cpu), b(5'000'000, Device::sim);
        CHECK(a.bytes() == 1000);
        CHECK(b.bytes() == 5'000'000);
        CHECK(memory_use().now >= before + 5'001'000);
        CHECK(memory_use().now < before + 6'300'000);  // rounded up by a quarter at most
        CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    }
    CHECK(memory_use().now == before);
    CHECK(memory_use().peak >= before + 5'001'000);
    reset_memory_peak();
    CHECK(memory_use().peak == before);
}

TEST_CASE("storage: fresh memory is poisoned in tests", "[core][storage]") {
    for (int round = 0; round < 2; ++round) {  // the second block reuses the memory of the first
        const Storage block(256, Device::sim);
        const auto* bytes = static_cast<const unsigned char*>(block.data());
        bool all = true;
        for (int i = 0; i < 256; ++i) all = all && bytes[i] == 0xFF;
        CHECK(all);
        std::memset(block.data(), 1, 256);
    }
}

TEST_CASE("storage: whoever writes beyond an end is counted", "[core][storage][devices]") {
    for (const Device device : {Device::cpu, Device::sim}) {
        for (const std::ptrdiff_t at : {-256, -1, 0, 99, 100, 355}) {
            const std::size_t before = overwritten_guards();
            guard_new_memory(true);
            {
                const Storage block(100, device);
                CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % 64 == 0);
                static_cast<char*>(block.data())[at] = 1;
            }
            guard_new_memory(false);
            CAPTURE(device, at);
            CHECK(overwritten_guards() - before == std::size_t(at < 0 || at >= 100));
        }
    }
}

TEST_CASE("storage: a change is counted", "[core][storage]") {
    Storage block(8, Device::cpu);
    CHECK(block.version() == 0);
    block.changed(0, 8);
    CHECK(block.version() == 1);
}

TEST_CASE("storage: changes of parts are told apart", "[core][storage]") {
    Storage block(1000, Device::cpu);
    block.changed(0, 10);
    block.changed(20, 30);
    CHECK(block.version() == 2);
    CHECK(block.changed_since(0, 5, 6));
    CHECK_FALSE(block.changed_since(1, 5, 6));
    CHECK(block.changed_since(1, 25, 100));
    CHECK_FALSE(block.changed_since(0, 10, 20));
    block.changed(0, 1000);
    CHECK(block.changed_since(2, 10, 20));
    CHECK_FALSE(block.changed_since(3, 0, 1000));
    block.changed(0, 0);  // an empty range changes nothing
    CHECK_FALSE(block.changed_since(3, 0, 1000));
    for (std::size_t i = 0; i < 500; ++i) block.changed(2 * i, 2 * i + 1);  // more parts than are tracked separately
    CHECK(block.changed_since(4, 0, 1));
    CHECK(block.changed_since(503, 998, 999));
    CHECK_FALSE(block.changed_since(504, 0, 1000));
}

TEST_CASE("storage: messages", "[core][storage]") {
    CHECK_THROWS_WITH(Storage((std::size_t(1) << 48) + 1, Device::cpu),
                      "Storage: no machine has 281474976710657 bytes");
    CHECK_THROWS_WITH(device_named("gpu"), "device: wanted cpu, sim or cuda, got 'gpu'");
    CHECK(device_named("sim") == Device::sim);
    CHECK(fmt::format("{} {} {}", Device::cpu, Device::sim, Device::cuda) == "cpu sim cuda");
}
