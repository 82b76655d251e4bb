#pragma once
/// @file
/// Diagrams of boxes and arrows, laid out by Graphviz.
#include <string>
#include <vector>

#include <recto/book/place.hpp>
#include <recto/figure/style.hpp>

namespace RECTO::figure {

/// The shapes of nodes.
enum class Box { box, round, circle, plain };

/// A diagram under construction, such as that of a live model. Names and labels may contain any characters.
class Diagram {
public:
    /// @param name  its name in the book, and the name of its file
    explicit Diagram(std::string name);

    /// The alternative text: a description of the diagram in words. Mandatory.
    Diagram& describe(std::string alt);

    /// Adds a node. @param id  its id, for edges   @param label  its text; newlines are kept
    /// @throws Error when the id exists
    Diagram& node(const std::string& id, std::string label, Box box = Box::round, Color color = grey);
    /// Adds an arrow. @throws Error when an end is not a node
    Diagram& edge(const std::string& from, const std::string& to, std::string label = "", Color color = grey);
    /// Adds an arrow against the flow of the diagram: `from` is still placed after `to`. @throws Error as edge()
    Diagram& edge_back(const std::string& from, const std::string& to, std::string label = "", Color color = grey);
    /// Makes a node a link to a page or a section, such as `penalties.html#price`, relative to the diagram's page; a
    /// section of the same page also needs the page's name. @throws Error when it is not a node
    Diagram& link(const std::string& id, const std::string& address);
    /// Draws a frame with a title around nodes. @throws Error when one of them is not a node
    Diagram& group(std::string title, const std::vector<std::string>& ids, Dash dash = Dash::solid);
    /// Makes a node taller than its text. @throws Error when it is not a node
    Diagram& tall(const std::string& id);
    /// Puts nodes at the same height, or, from left to right, one above the other. @throws Error when one of them is
    /// not a node
    Diagram& level(const std::vector<std::string>& ids);
    /// Lays the diagram out from left to right instead of top to bottom.
    Diagram& left_to_right();

    /// The diagram in Graphviz's language. @throws Error without a description or without nodes
    std::string dot() const;

    /// Saves the diagram for the book: `name.dot`, `name.meta.json` with description and caption, and a record. @throws
    /// Error as Figure::save()
    void save(const std::string& caption, book::Place where = book::Place::here()) const;

private:
    void known(const std::string& id) const;

    std::string name_, alt_, body_;
    std::vector<std::string> ids_;
    int groups_ = 0;
    bool across_ = false;
};

}  // namespace RECTO::figure
