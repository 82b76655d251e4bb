#include <recto/device/block_cache.hpp>

#include <set>

#include <recto/testing/testing.hpp>

using namespace recto;

namespace {

/// A card with a given number of bytes that counts its allocations.
struct Card {
    std::size_t size, used = 0;
    int takes = 0;
    std::set<void*> out;
    BlockCache cache{"card",
                     {[this](std::size_t bytes) -> void* {
                          ++takes;
                          if (used + bytes > size) return nullptr;
                          used += bytes;
                          return *out.insert(new char[bytes]).first;
                      },
                      [this](void* block, std::size_t bytes) {
                          used -= bytes;
                          CHECK(out.erase(block) == 1);  // each block once, and only blocks of this card
                          delete[] static_cast<char*>(block);
                      },
                      [this] { return size - used; }}};
    explicit Card(std::size_t size) : size(size) {}
    ~Card() {
        cache.give_back();
        CHECK(out.empty());
    }
};

}  // namespace

TEST_CASE("block cache: a freed block is handed out again", "[core][cache]") {
    Card card(1000);
    void* a = card.cache.take(100);
    void* b = card.cache.take(100);
    CHECK(a != b);
    CHECK((card.cache.in_use() == 200 && card.cache.kept() == 0));
    card.cache.put(a, 100);
    CHECK((card.cache.in_use() == 100 && card.cache.kept() == 100));
    void* other = card.cache.take(200);  // of another size
    CHECK(other != a);
    CHECK(card.cache.take(100) == a);
    CHECK(card.takes == 3);
    CHECK((card.cache.in_use() == 400 && card.cache.kept() == 0));
    card.cache.put(a, 100), card.cache.put(b, 100), card.cache.put(other, 200);
    CHECK((card.used == 400 && card.cache.in_use() == 0));
}

TEST_CASE("block cache: the same step again asks the card for nothing", "[core][cache]") {
    Card card(10'000);
    for (int step = 0; step < 3; ++step) {
        void* blocks[] = {card.cache.take(64), card.cache.take(64), card.cache.take(640), card.cache.take(128)};
        const std::size_t sizes[] = {64, 64, 640, 128};
        for (int i = 0; i < 4; ++i) card.cache.put(blocks[i], sizes[i]);
        CHECK(card.takes == 4);
    }
}

TEST_CASE("block cache: what is kept in other sizes is given back before memory is out", "[core][cache]") {
    Card card(1000);
    void* used = card.cache.take(100);
    for (const std::size_t bytes : {200, 300, 400}) card.cache.put(card.cache.take(bytes), bytes);
    CHECK((card.used == 1000 && card.cache.kept() == 900));
    void* whole = card.cache.take(900);
    CHECK((card.used == 1000 && card.cache.kept() == 0));
    CHECK_THROWS_WITH(card.cache.take(50),
                      "Storage: wanted 50 bytes on card, got none: 1000 are in use, 0 kept for those to come, 0 free");
    card.cache.put(whole, 900);
    CHECK_THROWS_WITH(
        card.cache.take(901),
        "Storage: wanted 901 bytes on card, got none: 100 are in use, 0 kept for those to come, 900 free");
    CHECK((card.cache.in_use() == 100 && card.cache.kept() == 0));
    card.cache.put(used, 100);
}

TEST_CASE("block cache: what a group freed is its own until it is dissolved", "[core][cache]") {
    Card card(1000);
    void* before = card.cache.take(100);
    void* spare = card.cache.take(100);
    card.cache.put(spare, 100);
    const BlockCache::Group group = card.cache.begin_group();
    CHECK_THROWS_WITH(card.cache.begin_group(), "capture: wanted no capture inside another one, got one");
    void* a = card.cache.take(100);
    CHECK(a == spare);  // a free block without a group joins the group
    void* b = card.cache.take(100);
    card.cache.put(b, 100);
    CHECK(card.cache.take(100) == b);  // within the group, freed blocks are reused
    card.cache.put(b, 100);
    card.cache.put(before, 100);  // taken outside the group, so it does not belong to it
    card.cache.end_group();

    CHECK(card.cache.take(100) == before);
    void* fresh = card.cache.take(100);
    CHECK((fresh != a && fresh != b));
    card.cache.put(fresh, 100);
    void* large = card.cache.take(700);  // frees cached blocks, except those of the group
    CHECK((card.used == 1000 && card.cache.kept() == 100));
    card.cache.put(large, 700);

    card.cache.dissolve(group);
    CHECK(card.cache.take(100) == b);
    card.cache.put(a, 100);  // still in use when the group ended
    CHECK(card.cache.take(100) == a);
    for (void* block : {a, b, before}) card.cache.put(block, 100);
}

TEST_CASE("block cache: a capture asks for no wait", "[core][cache]") {
    Card card(300);
    card.cache.put(card.cache.take(200), 200);
    const BlockCache::Group group = card.cache.begin_group();
    CHECK_THROWS_WITH(
        card.cache.take(300),
        "Storage: wanted 300 bytes on card, got none: 0 are in use, 200 kept for those to come, 100 free");
    card.cache.end_group();
    card.cache.dissolve(group);
    card.cache.put(card.cache.take(300), 300);
}
