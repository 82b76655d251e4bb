#include <recto/data/scenes.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <unordered_map>

namespace RECTO::data {
namespace {

using Colour = std::array<double, 3>;

constexpr std::array<std::string_view, kinds_of_shape> kind_words = {"disc", "square", "triangle", "ring", "cross"};
constexpr std::array<std::string_view, inks> ink_words = {"red", "green", "blue", "yellow", "purple", "white"};
constexpr std::array<std::string_view, grounds> ground_words = {"grey", "brown", "olive", "teal", "navy"};
constexpr std::array<Colour, inks> ink_colours = {
    {{0.9, 0.2, 0.2}, {0.2, 0.8, 0.3}, {0.25, 0.4, 1}, {0.95, 0.85, 0.2}, {0.8, 0.35, 0.9}, {0.95, 0.95, 0.95}}};
constexpr std::array<Colour, grounds> ground_colours = {
    {{0.3, 0.3, 0.3}, {0.4, 0.25, 0.12}, {0.32, 0.34, 0.1}, {0.08, 0.36, 0.36}, {0.1, 0.12, 0.45}}};

template <class T>
T one_of(const std::vector<T>& list, Generator& random) {
    return list[std::size_t(random.next_integer(0, Index(list.size())))];
}

double between(double low, double high, Generator& random) { return low + (high - low) * random.next_uniform(); }

// Distance from the edge of a shape of radius r, in pixels: negative inside. Outside corners it may be too small, which
// does not matter, for only the sign and the outermost pixel count.
double distance(Kind kind, double dx, double dy, double r) {
    const double u = std::abs(dx), v = std::abs(dy);
    switch (kind) {
        case Kind::disc:
            return std::hypot(dx, dy) - r;
        case Kind::square:
            return std::max(u, v) - r;
        case Kind::triangle:
            return std::max(dy - r, (2 * u - r - dy) / std::sqrt(5.0));  // apex at the top
        case Kind::ring:
            return std::abs(std::hypot(dx, dy) - 0.75 * r) - 0.25 * r;
        case Kind::cross:
            return std::max(std::max(u, v) - r, std::min(u, v) - 0.3 * r);
    }
    return std::numeric_limits<double>::infinity();
}

bool apart(const SceneObject& a, const SceneObject& b) {
    const double reach = a.radius + b.radius + 1;
    return std::abs(a.x - b.x) >= reach || std::abs(a.y - b.y) >= reach;
}

void check_law(const SceneLaw& law) {
    check(!law.kinds.empty() && !law.inks.empty() && !law.grounds.empty(),
          "draw_layout: wanted at least one kind, ink and ground, got {}, {} and {}", law.kinds.size(), law.inks.size(),
          law.grounds.size());
    check(law.size >= 8 && (law.channels == 1 || law.channels == 3),
          "draw_layout: wanted 1 or 3 channels of at least 8 pixels, got {} of {}", law.channels, law.size);
    check(law.least >= 1 && law.most >= law.least, "draw_layout: wanted 1 <= least <= most objects, got {} and {}",
          law.least, law.most);
    check(law.small_from > 0 && law.small_to >= law.small_from && law.large_from > 0 &&
              law.large_to >= law.large_from && std::max(law.small_to, law.large_to) < 0.5,
          "draw_layout: wanted radii above 0 and below half the side, got {} to {} and {} to {}", law.small_from,
          law.small_to, law.large_from, law.large_to);
}

// One attempt to place this number of objects.
std::optional<std::vector<SceneObject>> attempt(Index count, const SceneLaw& law, Generator& random) {
    const double side = double(law.size);
    std::vector<SceneObject> objects;
    while (Index(objects.size()) < count) {
        SceneObject one;
        int draws = 0;
        do {
            check(draws++ < 1000, "draw_layout: a thousand pairs of kind and ink were not allowed");
            one.kind = one_of(law.kinds, random);
            one.ink = one_of(law.inks, random);
        } while (law.allowed && !law.allowed(one.kind, one.ink));
        one.large = random.next_integer(0, 2) == 1;
        one.radius = side * (one.large ? between(law.large_from, law.large_to, random)
                                       : between(law.small_from, law.small_to, random));
        int tries = 0;
        do {
            if (tries++ == 50) return {};
            one.x = between(one.radius, side - one.radius, random);
            one.y = between(one.radius, side - one.radius, random);
        } while (!std::ranges::all_of(objects, [&](const SceneObject& other) { return apart(one, other); }));
        objects.push_back(one);
    }
    return objects;
}

template <class Get>
Integers stacked(std::span<const Scene> scenes, const char* op, Get get) {
    check(!scenes.empty(), "{}: wanted at least one scene, got none", op);
    const Shape shape = get(scenes[0]).shape();
    Integers all({Index(scenes.size()), shape.size(0), shape.size(1)});
    Index* to = all.write();
    for (const Scene& scene : scenes) {
        check(get(scene).shape() == shape, "{}: wanted scenes of one size, got {} and {}", op, shape,
              get(scene).shape());
        to = std::copy_n(get(scene).data(), shape.numel(), to);
    }
    return all;
}

std::string thing(const SceneObject& object, const Wording& wording) {
    std::string text = "a";
    if (wording.size) text += object.large ? " large" : " small";
    if (wording.ink) text.append(" ").append(name(object.ink));
    return text.append(" ").append(name(object.kind));
}

const char* relation(const SceneObject& a, const SceneObject& b) {
    if (std::abs(a.x - b.x) >= std::abs(a.y - b.y)) return a.x < b.x ? " left of " : " right of ";
    return a.y < b.y ? " above " : " below ";
}

}  // namespace

std::string_view name(Kind kind) { return kind_words[std::size_t(kind)]; }
std::string_view name(Ink ink) { return ink_words[std::size_t(ink)]; }
std::string_view name(Ground ground) { return ground_words[std::size_t(ground)]; }

SceneLayout draw_layout(const SceneLaw& law, Generator& random) {
    check_law(law);
    const Ground ground = one_of(law.grounds, random);
    const Index count = random.next_integer(law.least, law.most + 1);
    std::optional<std::vector<SceneObject>> objects;
    for (int tries = 0; tries < 1000 && !objects; ++tries) objects = attempt(count, law, random);
    check(objects.has_value(), "draw_layout: a thousand attempts failed to place {} objects on {} pixels", count,
          law.size);
    return {std::move(*objects), ground};
}

Scene paint(const SceneLayout& layout, const SceneLaw& law, Generator& random) {
    const Index n = law.size;
    Scene scene{empty({law.channels, n, n}), layout.objects, layout.ground, {}, {}, Integers({n, n}), Integers({n, n})};
    for (const SceneObject& object : layout.objects) {
        const auto found = std::ranges::find(law.kinds, object.kind);
        check(found != law.kinds.end(), "paint: the law has no {}", name(object.kind));
        scene.classes.push_back(1 + Index(found - law.kinds.begin()));
    }
    const double angle = between(0, 2 * std::numbers::pi, random), phase = between(0, 2 * std::numbers::pi, random),
                 wave = 2 * std::numbers::pi / between(4, 12, random), across = wave * std::cos(angle),
                 down = wave * std::sin(angle);
    const double far = std::numeric_limits<double>::infinity();
    scene.boxes.assign(layout.objects.size(), {far, far, -far, -far});
    Index *class_at = scene.class_map.write(), *object_at = scene.object_map.write();
    Real* pixel = scene.image.write();
    for (Index row = 0; row < n; ++row)
        for (Index col = 0; col < n; ++col, ++class_at, ++object_at, ++pixel) {
            const double x = double(col) + 0.5, y = double(row) + 0.5,
                         shade = 1 + law.texture * std::sin(across * x + down * y + phase);
            Colour colour = ground_colours[std::size_t(layout.ground)];
            for (double& part : colour) part *= shade;
            *class_at = *object_at = 0;
            for (std::size_t i = 0; i < layout.objects.size(); ++i) {
                const SceneObject& object = layout.objects[i];
                const double inside = -distance(object.kind, x - object.x, y - object.y, object.radius),
                             cover = std::clamp(inside + 0.5, 0.0, 1.0);
                const Colour& ink = ink_colours[std::size_t(object.ink)];
                for (std::size_t c = 0; c < 3; ++c) colour[c] += cover * (ink[c] - colour[c]);
                if (inside >= 0) *class_at = scene.classes[i], *object_at = Index(i) + 1;
            }
            if (*object_at) {
                Box& box = scene.boxes[std::size_t(*object_at - 1)];
                box = {std::min(box.x1, double(col)), std::min(box.y1, double(row)), std::max(box.x2, double(col + 1)),
                       std::max(box.y2, double(row + 1))};
            }
            const double grey = 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2];
            for (Index c = 0; c < law.channels; ++c)
                pixel[c * n * n] = Real(std::clamp(
                    (law.channels == 1 ? grey : colour[std::size_t(c)]) + between(-law.noise, law.noise, random), 0.0,
                    1.0));
        }
    for (std::size_t i = 0; i < scene.boxes.size(); ++i)
        check(scene.boxes[i].x1 < scene.boxes[i].x2, "paint: no pixel of object {} can be seen", i);
    return scene;
}

Scene draw_scene(const SceneLaw& law, Generator& random) { return paint(draw_layout(law, random), law, random); }

std::vector<Scene> draw_scenes(Index count, const SceneLaw& law, Generator& random) {
    std::vector<Scene> scenes;
    for (Index i = 0; i < count; ++i) {
        Generator own = random.split();
        scenes.push_back(draw_scene(law, own));
    }
    return scenes;
}

Tensor scene_images(std::span<const Scene> scenes) {
    check(!scenes.empty(), "scene_images: wanted at least one scene, got none");
    const Shape shape = scenes[0].image.shape();
    Tensor all = empty({Index(scenes.size()), shape.size(0), shape.size(1), shape.size(2)});
    Real* to = all.write();
    for (const Scene& scene : scenes) {
        check(scene.image.shape() == shape, "scene_images: wanted scenes of one size, got {} and {}", shape,
              scene.image.shape());
        to = std::copy_n(scene.image.host(), shape.numel(), to);
    }
    return all;
}

Integers scene_class_maps(std::span<const Scene> scenes) {
    return stacked(scenes, "scene_class_maps", [](const Scene& scene) -> const Integers& { return scene.class_map; });
}

Integers scene_object_maps(std::span<const Scene> scenes) {
    return stacked(scenes, "scene_object_maps", [](const Scene& scene) -> const Integers& { return scene.object_map; });
}

std::vector<LabelledBox> scene_boxes(std::span<const Scene> scenes) {
    std::vector<LabelledBox> all;
    for (std::size_t i = 0; i < scenes.size(); ++i)
        for (std::size_t k = 0; k < scenes[i].boxes.size(); ++k)
            all.push_back({Index(i), scenes[i].classes[k], scenes[i].boxes[k]});
    return all;
}

std::string caption(const Scene& scene, const Wording& wording) {
    const auto& all = scene.objects;
    check(!all.empty(), "caption: wanted a scene with at least one object");
    std::string text = thing(all[0], wording);
    if (wording.place && all.size() == 1) {
        const double half = double(scene.image.size(-1)) / 2;
        text += std::string(" in the ") + (all[0].y < half ? "top" : "bottom") + (all[0].x < half ? " left" : " right");
    }
    for (std::size_t i = 1; i < all.size(); ++i)
        text += (wording.place && all.size() == 2 ? relation(all[0], all[1]) : " and ") + thing(all[i], wording);
    if (wording.ground) text += " on " + std::string(name(scene.ground));
    return text;
}

const std::vector<std::string>& caption_words() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all = {"a",     "small", "large", "left", "right", "of",     "above",
                                        "below", "and",   "in",    "the",  "top",   "bottom", "on"};
        all.insert(all.end(), kind_words.begin(), kind_words.end());
        all.insert(all.end(), ink_words.begin(), ink_words.end());
        all.insert(all.end(), ground_words.begin(), ground_words.end());
        return all;
    }();
    return words;
}

Integers caption_tokens(std::span<const std::string> captions, Index length) {
    std::unordered_map<std::string_view, Index> number;
    for (const std::string& word : caption_words()) number.emplace(word, Index(number.size()) + 1);
    std::vector<Index> tokens(captions.size() * std::size_t(length), 0);
    for (std::size_t i = 0; i < captions.size(); ++i) {
        std::string_view rest = captions[i];
        for (Index at = 0; !rest.empty(); ++at) {
            const std::string_view word = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(rest.size(), word.size() + 1));
            const auto found = number.find(word);
            check(found != number.end(), "caption_tokens: no caption contains the word \"{}\"", word);
            check(at < length, "caption_tokens: wanted at most {} words, got \"{}\"", length, captions[i]);
            tokens[i * std::size_t(length) + std::size_t(at)] = found->second;
        }
    }
    return Integers({Index(captions.size()), length}, tokens);
}

}  // namespace RECTO::data
