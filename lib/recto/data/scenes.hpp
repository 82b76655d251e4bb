#pragma once
/// @file
/// Small scenes of shapes on a textured ground, with what can be learned from them: boxes, masks of
/// classes and of objects, and captions.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <recto/core/integers.hpp>
#include <recto/core/random.hpp>
#include <recto/data/boxes.hpp>

namespace RECTO::data {

/// What an object is.
enum class Kind { disc, square, triangle, ring, cross };

/// The colour of an object.
enum class Ink { red, green, blue, yellow, purple, white };

/// The colour of the background: darker than every Ink.
enum class Ground { grey, brown, olive, teal, navy };

std::string_view name(Kind kind);      ///< Its word in a caption.
std::string_view name(Ink ink);        ///< Its word in a caption.
std::string_view name(Ground ground);  ///< Its word in a caption.

inline constexpr int kinds_of_shape = 5;  ///< Values of Kind.
inline constexpr int inks = 6;            ///< Values of Ink.
inline constexpr int grounds = 5;         ///< Values of Ground.

/// An object of a scene.
struct SceneObject {
    Kind kind = Kind::disc;  ///< what it is
    Ink ink = Ink::red;      ///< its colour
    bool large = false;      ///< whether it is large rather than small
    double x = 0;            ///< horizontal position of its centre, in pixels
    double y = 0;            ///< vertical position of its centre, in pixels
    double radius = 0;       ///< half its width and half its height, in pixels
};

/// The law that scenes are drawn from.
///
/// The number of objects is uniform on `least` to `most`; kind, ink and size (small or large) of each, and the ground,
/// are uniform and independent, and a pair of kind and ink that is not `allowed` is drawn again. A radius is uniform on
/// the range of its size, times the side of the image. Centres are uniform over the places where the object is wholly
/// inside the image, on condition that the boxes of two objects are at least one pixel apart; if 50 places in a row fail, the
/// scene is drawn again, which favours small objects where there are many.
///
/// The ground is its colour times 1 + `texture` sin(a plane wave of random direction and phase, 4 to 12 pixels long).
/// An object is its ink, blended with the ground in its outermost pixel by how far the pixel's centre is inside.
/// Uniform noise on [-`noise`, `noise`] is added to every number of the image, and the result is clipped to [0, 1].
struct SceneLaw {
    Index size = 64;     ///< pixels along each side
    Index channels = 3;  ///< 3 for RGB, or 1 for its brightness, 0.3 red + 0.59 green + 0.11 blue
    Index least = 1;     ///< fewest objects
    Index most = 4;      ///< most objects
    std::vector<Kind> kinds = {Kind::disc, Kind::square, Kind::triangle};  ///< class c is kinds[c - 1]
    std::vector<Ink> inks = {Ink::red, Ink::green, Ink::blue, Ink::yellow, Ink::purple, Ink::white};  ///< colours
    std::vector<Ground> grounds = {Ground::grey};                                                     ///< backgrounds
    double small_from = 0.08;                     ///< smallest radius of a small object, as a share of the side
    double small_to = 0.12;                       ///< largest radius of a small object
    double large_from = 0.17;                     ///< smallest radius of a large object
    double large_to = 0.23;                       ///< largest radius of a large object
    double texture = 0.2;                         ///< strength of the wave on the ground
    double noise = 0.05;                          ///< largest noise
    std::function<bool(Kind, Ink)> allowed = {};  ///< pairs that may appear; all if empty
};

/// What a scene shows, before it is painted.
struct SceneLayout {
    std::vector<SceneObject> objects;  ///< from the first drawn to the last
    Ground ground = Ground::grey;      ///< the background
};

/// An image and what it shows.
struct Scene {
    Tensor image;                      ///< (channels, size, size), from 0 to 1
    std::vector<SceneObject> objects;  ///< as in the layout
    Ground ground = Ground::grey;      ///< as in the layout
    std::vector<Box> boxes;            ///< the smallest box around the pixels of each object
    std::vector<Index> classes;        ///< class of each object, from 1; 0 is the background
    Integers class_map;                ///< (size, size): the class of each pixel
    Integers object_map;  ///< (size, size): 1 + the number of the object of each pixel, 0 for the background
};

/// Draws what a scene shows. @throws Error when the law has no kind, ink or ground, its numbers are out of range, or a thousand
/// attempts fail to place the objects
SceneLayout draw_layout(const SceneLaw& law, Generator& random);

/// Paints a layout, which may have been changed. A pixel belongs to an object if its centre does; later
/// objects are in front. @throws Error when an object's kind is not in the law, or none of its pixels can be seen
Scene paint(const SceneLayout& layout, const SceneLaw& law, Generator& random);

/// Draws and paints one scene.
Scene draw_scene(const SceneLaw& law, Generator& random);

/// Independent scenes; the first ones do not depend on `count`.
std::vector<Scene> draw_scenes(Index count, const SceneLaw& law, Generator& random);

/// (n, channels, size, size): the images of scenes of one size. @throws Error without scenes
Tensor scene_images(std::span<const Scene> scenes);
/// (n, size, size): the classes of their pixels. @throws Error without scenes
Integers scene_class_maps(std::span<const Scene> scenes);
/// (n, size, size): the objects of their pixels. @throws Error without scenes
Integers scene_object_maps(std::span<const Scene> scenes);

/// The boxes of all objects with their classes; images are numbered from 0.
std::vector<LabelledBox> scene_boxes(std::span<const Scene> scenes);

/// What a caption says beside the kinds of the objects.
struct Wording {
    bool size = true;     ///< "small" or "large"
    bool ink = true;      ///< the colour of each object
    bool place = true;    ///< where the objects are
    bool ground = false;  ///< the background
};

/// A caption, in words parted by single blanks.
///
/// | grammar | |
/// |---|---|
/// | caption | scene [ "on" ground ] |
/// | scene, one object | thing [ "in the" ("top" or "bottom") ("left" or "right") ] |
/// | scene, two objects | thing relation thing, or without places, thing "and" thing |
/// | scene, more | thing "and" thing "and" thing ... |
/// | thing | "a" [ "small" or "large" ] [ ink ] kind |
/// | relation | "left of", "right of", "above" or "below" |
///
/// The relation follows the axis along which the two centres differ more; "top" and "left" are the halves of the image.
/// Objects appear in the order of the scene.
std::string caption(const Scene& scene, const Wording& wording = {});

/// Every word that a caption may contain, in a fixed order.
const std::vector<std::string>& caption_words();

/// (n, length): each caption as the numbers of its words, 1 + their place in caption_words(), filled up with 0.
/// @throws Error when a word is unknown or a caption too long
Integers caption_tokens(std::span<const std::string> captions, Index length);

}  // namespace RECTO::data
