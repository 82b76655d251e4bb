#include <recto/data/scenes.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::data;
using namespace recto::testing;

namespace {

SceneLaw everything(Index size) {
    SceneLaw law;
    law.size = size;
    law.kinds = {Kind::cross, Kind::ring, Kind::triangle, Kind::square, Kind::disc};
    law.grounds = {Ground::grey, Ground::brown, Ground::olive, Ground::teal, Ground::navy};
    return law;
}

}  // namespace

TEST_CASE("scenes: boxes are the extent of the masks, and the masks agree with each other", "[data][scenes]") {
    for (const Index size : {32, 48, 64}) {
        Generator random(1);
        const SceneLaw law = everything(size);
        const std::vector<Scene> scenes = draw_scenes(100, law, random);
        const Integers classes = scene_class_maps(scenes), objects = scene_object_maps(scenes);
        REQUIRE(classes.shape() == Shape{100, size, size});
        for (Index s = 0; s < 100; ++s) {
            const Scene& scene = scenes[std::size_t(s)];
            REQUIRE(scene.boxes.size() == scene.objects.size());
            CHECK((scene.objects.size() >= 1 && scene.objects.size() <= 4));
            for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
                std::vector<Index> rows, cols;
                for (Index at = 0; at < size * size; ++at) {
                    const Index object = objects.data()[s * size * size + at];
                    CHECK(classes.data()[s * size * size + at] ==
                          (object ? scene.classes[std::size_t(object - 1)] : 0));
                    if (object == Index(i) + 1) rows.push_back(at / size), cols.push_back(at % size);
                }
                const Box box = scene.boxes[i];
                const SceneObject& object = scene.objects[i];
                CHECK(box.x1 == double(std::ranges::min(cols)));
                CHECK(box.x2 == double(std::ranges::max(cols) + 1));
                CHECK(box.y1 == double(std::ranges::min(rows)));
                CHECK(box.y2 == double(std::ranges::max(rows) + 1));
                // The tip of a triangle, and the round side of a disc, may pass between the centres of pixels.
                CHECK(std::abs(box.x() - object.x) <= 1);
                CHECK(std::abs(box.y() - object.y) <= 2);
                CHECK(std::abs(box.width() - 2 * object.radius) <= 2);
                CHECK(std::abs(box.height() - 2 * object.radius) <= 3);
                CHECK(object.kind == law.kinds[std::size_t(scene.classes[i] - 1)]);
                for (std::size_t j = 0; j < i; ++j) {
                    const Box other = scene.boxes[j];
                    CHECK((box.x1 >= other.x2 || other.x1 >= box.x2 || box.y1 >= other.y2 || other.y1 >= box.y2));
                }
            }
        }
    }
}

TEST_CASE("scenes: the areas of the shapes are those of geometry", "[data][scenes]") {
    const SceneLaw law = everything(64);
    const double r = 20.3;
    const double area[] = {3.14159265 * r * r, 4 * r * r, 2 * r * r, 0.75 * 3.14159265 * r * r, (4 - 4 * 0.49) * r * r};
    for (int kind = 0; kind < kinds_of_shape; ++kind) {
        Generator random(1);
        const Scene scene = paint({{{Kind(kind), Ink::red, true, 31.2, 32.4, r}}, Ground::grey}, law, random);
        double pixels = 0;
        for (const Index at : scene.object_map.values()) pixels += double(at);
        CHECK(std::abs(pixels - area[kind]) < 0.05 * area[kind]);
    }
}

TEST_CASE("scenes: the same seed gives the same scene, and the first do not depend on the number", "[data][scenes]") {
    Generator first(3), second(3), third(4);
    const SceneLaw law = everything(32);
    const std::vector<Scene> long_list = draw_scenes(5, law, first), short_list = draw_scenes(2, law, second),
                             others = draw_scenes(2, law, third);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(long_list[i].image.values() == short_list[i].image.values());
        CHECK(long_list[i].boxes == short_list[i].boxes);
        CHECK(caption(long_list[i]) == caption(short_list[i]));
        CHECK(long_list[i].image.values() != others[i].image.values());
    }
    const Tensor images = scene_images(long_list);
    CHECK(images.shape() == Shape{5, 3, 32, 32});
    for (const Real pixel : images.values()) CHECK((pixel >= 0 && pixel <= 1));
}

TEST_CASE("scenes: an object has its ink, the rest its ground", "[data][scenes]") {
    SceneLaw law;
    law.noise = law.texture = 0;
    Generator random(1);
    const SceneLayout layout = {
        {{Kind::square, Ink::yellow, true, 20, 32, 12}, {Kind::disc, Ink::blue, false, 50, 32, 6}}, Ground::teal};
    const Scene scene = paint(layout, law, random);
    CHECK(scene.boxes[0] == Box{8, 20, 32, 44});
    CHECK(scene.boxes[1] == Box{44, 26, 56, 38});
    CHECK(scene.classes == std::vector<Index>{2, 1});
    const auto near = [&](Index row, Index col, double red, double green, double blue) {
        CHECK(std::abs(scene.image.at({0, row, col}) - red) < 1e-6);
        CHECK(std::abs(scene.image.at({1, row, col}) - green) < 1e-6);
        CHECK(std::abs(scene.image.at({2, row, col}) - blue) < 1e-6);
    };
    near(32, 20, 0.95, 0.85, 0.2);
    near(32, 50, 0.25, 0.4, 1);
    near(2, 2, 0.08, 0.36, 0.36);
    law.channels = 1;
    const Scene grey = paint(layout, law, random);
    CHECK(grey.image.shape() == Shape{1, 64, 64});
    CHECK(std::abs(grey.image.at({0, 32, 20}) - (0.3 * 0.95 + 0.59 * 0.85 + 0.11 * 0.2)) < 1e-6);
}

TEST_CASE("scenes: every choice of the law occurs about equally often, and no other", "[data][scenes]") {
    SceneLaw law = everything(32);
    law.most = 2;
    law.allowed = [](Kind kind, Ink ink) { return kind != Kind::disc || ink != Ink::red; };
    Generator random(5);
    std::vector<int> kinds(kinds_of_shape), colours(inks), backs(grounds), counts(3);
    int large = 0, all = 0;
    for (int i = 0; i < 2000; ++i) {
        const SceneLayout layout = draw_layout(law, random);
        ++backs[std::size_t(layout.ground)], ++counts[layout.objects.size()];
        for (const SceneObject& object : layout.objects) {
            ++kinds[std::size_t(object.kind)], ++colours[std::size_t(object.ink)], large += object.large, ++all;
            CHECK((object.kind != Kind::disc || object.ink != Ink::red));
            CHECK((object.x >= object.radius && object.x <= 32 - object.radius));
            CHECK((object.y >= object.radius && object.y <= 32 - object.radius));
            CHECK(object.radius >= 32 * (object.large ? law.large_from : law.small_from));
            CHECK(object.radius <= 32 * (object.large ? law.large_to : law.small_to));
        }
    }
    CHECK(std::abs(counts[1] - 1000) < 100);
    for (const int n : backs) CHECK(std::abs(n - 400) < 80);
    for (std::size_t i = 1; i < kinds.size(); ++i) CHECK(std::abs(kinds[i] - all * 6 / 29.0) < 130);
    for (std::size_t i = 1; i < colours.size(); ++i) CHECK(std::abs(colours[i] - all * 5 / 29.0) < 130);
    CHECK(std::abs(large - all / 2.0) < 150);
}

TEST_CASE("scenes: captions say what the scene shows", "[data][scenes]") {
    SceneLaw law = everything(64);
    Generator random(1);
    const SceneObject disc{Kind::disc, Ink::red, false, 12, 30, 6}, square{Kind::square, Ink::blue, true, 44, 36, 12},
        cross{Kind::cross, Ink::white, false, 20, 56, 6};
    const Scene one = paint({{square}, Ground::navy}, law, random),
                two = paint({{disc, square}, Ground::grey}, law, random),
                back = paint({{square, disc}, Ground::grey}, law, random),
                low = paint({{cross, disc}, Ground::grey}, law, random),
                high = paint({{disc, cross}, Ground::grey}, law, random),
                three = paint({{disc, square, cross}, Ground::brown}, law, random);
    CHECK(caption(one) == "a large blue square in the bottom right");
    CHECK(caption(two) == "a small red disc left of a large blue square");
    CHECK(caption(back) == "a large blue square right of a small red disc");
    CHECK(caption(low) == "a small white cross below a small red disc");
    CHECK(caption(high) == "a small red disc above a small white cross");
    CHECK(caption(three) == "a small red disc and a large blue square and a small white cross");
    CHECK(caption(three, {.size = false, .ink = false, .place = false, .ground = true}) ==
          "a disc and a square and a cross on brown");
    CHECK(caption(two, {.size = false, .ink = true, .place = false, .ground = false}) ==
          "a red disc and a blue square");

    const std::vector<std::string> texts = {"a small a", "cross"};
    const Integers tokens = caption_tokens(texts, 4);
    CHECK(tokens.values() == std::vector<Index>{1, 2, 1, 0, 19, 0, 0, 0});
    CHECK(caption_words()[18] == "cross");
    CHECK_THROWS_WITH(caption_tokens(texts, 2), "caption_tokens: wanted at most 2 words, got \"a small a\"");
    const std::vector<std::string> strange = {"a dog"};
    CHECK_THROWS_WITH(caption_tokens(strange, 4), "caption_tokens: no caption contains the word \"dog\"");

    // Every caption of random scenes can be read back: the words of its things are those of the objects.
    for (int i = 0; i < 200; ++i) {
        const Scene scene = draw_scene(law, random);
        const std::string text = caption(scene);
        std::size_t at = 0;
        for (const SceneObject& object : scene.objects) {
            const std::string words = std::string("a ") + (object.large ? "large " : "small ") +
                                      std::string(name(object.ink)) + " " + std::string(name(object.kind));
            at = text.find(words, at);
            REQUIRE(at != std::string::npos);
            at += words.size();
        }
        const std::vector<std::string> alone = {text};
        CHECK_NOTHROW(caption_tokens(alone, 20));
    }
}

TEST_CASE("scenes: errors", "[data][scenes]") {
    Generator random(1);
    SceneLaw law;
    law.channels = 2;
    CHECK_THROWS_WITH(draw_layout(law, random),
                      "draw_layout: wanted 1 or 3 channels of at least 8 pixels, got 2 of 64");
    law = {};
    law.kinds = {};
    CHECK_THROWS_WITH(draw_layout(law, random),
                      "draw_layout: wanted at least one kind, ink and ground, got 0, 6 and 1");
    law = {};
    law.least = 3, law.most = 2;
    CHECK_THROWS_WITH(draw_layout(law, random), "draw_layout: wanted 1 <= least <= most objects, got 3 and 2");
    law = {};
    law.large_to = 0.5;
    CHECK_THROWS_WITH(draw_layout(law, random),
                      "draw_layout: wanted radii above 0 and below half the side, got 0.08 to 0.12 and 0.17 to 0.5");
    law = {};
    law.least = law.most = 60;
    CHECK_THROWS_WITH(draw_layout(law, random),
                      "draw_layout: a thousand attempts failed to place 60 objects on 64 pixels");
    law = {};
    law.allowed = [](Kind, Ink) { return false; };
    CHECK_THROWS_WITH(draw_layout(law, random), "draw_layout: a thousand pairs of kind and ink were not allowed");
    law = {};
    CHECK_THROWS_WITH(paint({{{Kind::ring, Ink::red, true, 20, 20, 10}}, Ground::grey}, law, random),
                      "paint: the law has no ring");
    CHECK_THROWS_WITH(paint({{{Kind::disc, Ink::red, true, 90, 20, 10}}, Ground::grey}, law, random),
                      "paint: no pixel of object 0 can be seen");
    CHECK_THROWS_WITH(scene_images({}), "scene_images: wanted at least one scene, got none");
    CHECK_THROWS_WITH(caption(Scene{}), "caption: wanted a scene with at least one object");
}
