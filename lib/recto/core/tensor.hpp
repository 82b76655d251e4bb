#pragma once
/// @file
/// Tensor: a cheap handle to shared numbers. Copying one copies two pointers and a shape.
#include <memory>
#include <span>
#include <vector>

#include <recto/base/shape.hpp>
#include <recto/device/storage.hpp>

namespace RECTO {

struct Node;  ///< The operation that made a tensor (autograd/tape.hpp).

/// An array of Real with up to eight axes.
///
/// Several tensors may be views of the same storage with different shapes, strides and offsets; writing through one is
/// visible in all. Operations never change their inputs. `const` applies to the handle, as with a `std::shared_ptr`: a
/// const Tensor always refers to the same elements, and a copy of the handle may write to them.
class Tensor {
public:
    Tensor() = default;  ///< Undefined: holds nothing, has no device.

    /// A tensor with these numbers, in row-major order. @throws Error when their count does not fit the shape
    Tensor(Shape shape, std::span<const Real> values, Device device = Device::cpu);
    /// A tensor from a list in braces.
    Tensor(Shape shape, std::initializer_list<Real> values, Device device = Device::cpu)
        : Tensor(shape, std::span(values.begin(), values.size()), device) {}

    bool defined() const { return storage_ != nullptr; }      ///< Whether it holds an array.
    const Shape& shape() const { return shape_; }             ///< Extent along each axis.
    int dim() const { return shape_.dim(); }                  ///< Number of axes.
    Index size(int axis) const { return shape_.size(axis); }  ///< Extent along one axis; -1 is the last.
    Index numel() const { return shape_.numel(); }            ///< Number of elements.
    Device device() const;                                    ///< The device that holds the numbers.
    const PerAxis& strides() const { return strides_; }       ///< Distance between neighbours, in elements.
    bool is_contiguous() const;                               ///< Whether it is row-major without gaps.

    const Real* data() const;  ///< Address of the first element, for kernels on its device.
    /// Address of the first element for writing. The call counts as a change in place (see version()); later writes
    /// through the same pointer go unnoticed, so call write() again for every change.
    Real* write();
    const Real* host() const;  ///< Address for the host. @throws Error unless it is dense and on cpu

    std::vector<Real> values() const;                   ///< A copy on the host, in row-major order, from any device.
    Real item() const;                                  ///< The value of a one-element tensor. @throws Error otherwise
    Real at(std::initializer_list<Index> place) const;  ///< One number. @throws Error when outside
    void set(std::initializer_list<Index> place, Real value);  ///< Writes one number; for tests and tiny examples.
    /// Overwrites the numbers; `from` may overlap. @throws Error unless shapes are equal, or when this is an expanded
    /// view, where one element appears at several places
    void copy_(const Tensor& from);

    /// How often the storage was changed in place; 0 if undefined.
    std::uint64_t version() const { return storage_ ? storage_->version() : 0; }
    /// Whether an element of this tensor was changed after this version.
    bool changed_since(std::uint64_t version) const { return this->version() != version && changed_there(version); }

    /// A view with another shape and strides on the same storage, not recorded on the tape. @throws Error when it is
    /// out of bounds
    Tensor view(const Shape& shape, const PerAxis& strides, Index offset) const;
    /// A copy on another device, differentiable (autograd/tape.cpp); the tensor itself if it is already there.
    Tensor to(Device device) const;
    Tensor detach() const;  ///< The same elements, without the tape.

    /// Makes this tensor a leaf that requires a gradient; no effect if it is one. @throws Error for a result of an
    /// operation
    Tensor& requires_grad_();
    bool requires_grad() const { return node_ != nullptr; }      ///< Whether it is on the tape.
    Tensor grad() const;                                         ///< The accumulated gradient, or undefined.
    void zero_grad() const;                                      ///< Clears the gradient.
    void backward() const;                                       ///< The backward pass from this scalar.
    const std::shared_ptr<Node>& node() const { return node_; }  ///< Its node on the tape; null if none.

private:
    friend Tensor empty(const Shape& shape, Device device);
    friend Tensor record_node(Tensor y, std::shared_ptr<Node> node);
    friend std::shared_ptr<Storage> storage_of(const Tensor& x);

    struct Bytes {
        std::size_t begin, end;
    };
    Bytes bytes() const;  // from its first element in the storage past its last
    bool changed_there(std::uint64_t version) const;

    std::shared_ptr<Storage> storage_;
    std::shared_ptr<Node> node_;
    Shape shape_;
    PerAxis strides_{};
    Index offset_ = 0;
};

/// Throws an Error, with the operation's name, if a tensor or an Integers is undefined. Operations call it first.
template <class... Arrays>
void check_defined(std::string_view op, const Arrays&... x) {
    check((x.defined() && ...), "{}: wanted a tensor, got an undefined one", op);
}

Tensor empty(const Shape& shape, Device device = Device::cpu);             ///< An uninitialised tensor.
Tensor full(const Shape& shape, Real value, Device device = Device::cpu);  ///< A tensor filled with `value`.
Tensor zeros(const Shape& shape, Device device = Device::cpu);             ///< A tensor of zeros.
Tensor ones(const Shape& shape, Device device = Device::cpu);              ///< A tensor of ones.
Tensor empty_like(const Tensor& x);                                        ///< Uninitialised, shape and device of `x`.
/// A contiguous copy with its own storage; differentiable (autograd/tape.cpp).
Tensor clone(const Tensor& x);

/// `x` in row-major order without gaps, detached from the tape; no copy if `x` is contiguous. Operations call it on the
/// inputs that they read.
Tensor dense(const Tensor& x);

}  // namespace RECTO
