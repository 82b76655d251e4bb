#pragma once
/// @file
/// Tensor: a cheap handle on shared numbers. Copying one copies two pointers and a shape.
#include <memory>
#include <span>
#include <vector>

#include <recto/base/shape.hpp>
#include <recto/device/storage.hpp>

namespace RECTO {

struct Node;  ///< What produced a tensor, for backward() (autograd/tape.hpp).

/// An array of Real with up to eight axes.
///
/// Several tensors may look at the same numbers through different shapes, strides and offsets; writing
/// through one is visible in all. Operations never change their inputs. `const` is the handle's, as with a
/// `std::shared_ptr`: a const Tensor always shows the same place, and a copy of the handle may write there.
class Tensor {
public:
    Tensor() = default;  ///< Undefined: holds nothing, has no device.

    /// A tensor with these numbers, row after row. @throws Error when their count does not fit the shape
    Tensor(Shape shape, std::span<const Real> values, Device device = Device::cpu);
    /// The same from a list in braces.
    Tensor(Shape shape, std::initializer_list<Real> values, Device device = Device::cpu)
        : Tensor(shape, std::span(values.begin(), values.size()), device) {}

    bool defined() const { return storage_ != nullptr; }      ///< Does it hold anything?
    const Shape& shape() const { return shape_; }             ///< Extent along each axis.
    int dim() const { return shape_.dim(); }                  ///< Number of axes.
    Index size(int axis) const { return shape_.size(axis); }  ///< Extent along one axis; -1 is the last.
    Index numel() const { return shape_.numel(); }            ///< Number of elements.
    Device device() const;                                    ///< Where the numbers are.
    const PerAxis& strides() const { return strides_; }       ///< Distance between neighbours, in elements.
    bool is_contiguous() const;                               ///< Row-major without gaps?

    const Real* data() const;  ///< Address of the first element, for kernels on its device.
    /// The same for writing. The call counts as the change that the tape looks for; what is written later through
    /// a pointer that was kept goes unseen, so call it again for every change.
    Real* write();
    const Real* host() const;  ///< The same for the host. @throws Error unless it is dense and on cpu

    std::vector<Real> values() const;                   ///< A copy on the host, row after row, from any device.
    Real item() const;                                  ///< The only number. @throws Error unless there is just one
    Real at(std::initializer_list<Index> place) const;  ///< One number. @throws Error when outside
    void set(std::initializer_list<Index> place, Real value);  ///< Writes one number; for tests and tiny examples.
    /// Overwrites the numbers; `from` may overlap. @throws Error unless shapes are equal, or when this is a view that
    /// shows one number in several places, as expand() makes it
    void copy_(const Tensor& from);

    /// How often its storage was changed; 0 if undefined.
    std::uint64_t version() const { return storage_ ? storage_->version() : 0; }
    /// Was any of its numbers changed after that?
    bool changed_since(std::uint64_t version) const { return this->version() != version && changed_there(version); }

    /// The same numbers seen through another shape and strides; the bounds are checked, the tape not told.
    Tensor view(const Shape& shape, const PerAxis& strides, Index offset) const;
    /// The same numbers on another device, differentiable (autograd/tape.cpp); itself, tape included, if it is there.
    Tensor to(Device device) const;
    Tensor detach() const;  ///< The same numbers, not connected to the tape.

    /// Marks a leaf whose gradient is wanted; a leaf stays as it is. @throws Error for a result of an operation
    Tensor& requires_grad_();
    bool requires_grad() const { return node_ != nullptr; }      ///< Is it connected to the tape?
    Tensor grad() const;                                         ///< What backward() left here; undefined if nothing.
    void zero_grad() const;                                      ///< Forgets it.
    void backward() const;                                       ///< Sweeps the tape from this scalar.
    const std::shared_ptr<Node>& node() const { return node_; }  ///< Its place on the tape.

private:
    friend Tensor empty(const Shape& shape, Device device);
    friend Tensor record_node(Tensor y, std::shared_ptr<Node> node);
    friend std::shared_ptr<Storage> storage_of(const Tensor& x);

    struct Bytes {
        std::size_t begin, end;
    };
    Bytes bytes() const;  // from the first of its numbers in the storage past the last
    bool changed_there(std::uint64_t version) const;

    std::shared_ptr<Storage> storage_;
    std::shared_ptr<Node> node_;
    Shape shape_;
    PerAxis strides_{};
    Index offset_ = 0;
};

/// Refuses undefined tensors and integers: what an operation asks first, so that the message has its name.
template <class... Arrays>
void check_defined(std::string_view op, const Arrays&... x) {
    check((x.defined() && ...), "{}: wanted a tensor, got an undefined one", op);
}

Tensor empty(const Shape& shape, Device device = Device::cpu);             ///< Numbers not yet written.
Tensor full(const Shape& shape, Real value, Device device = Device::cpu);  ///< All the same number.
Tensor zeros(const Shape& shape, Device device = Device::cpu);             ///< All 0.
Tensor ones(const Shape& shape, Device device = Device::cpu);              ///< All 1.
Tensor empty_like(const Tensor& x);                                        ///< Shape and device of `x`, dense.
/// The same numbers in memory of their own, contiguous; differentiable (autograd/tape.cpp).
Tensor clone(const Tensor& x);

/// The same numbers, row-major without gaps, not connected to the tape: `x` itself when it is so already.
/// This is what an operation calls on what it reads.
Tensor dense(const Tensor& x);

}  // namespace RECTO
