#pragma once
/// @file
/// Results of PyTorch, kept in small files under tests/golden/ (written by make.py there, which names the version).
#include <functional>
#include <map>

#include <recto/testing/testing.hpp>

namespace RECTO::testing {

/// One setting of one operation: its options, its inputs, the result and the gradients of the inputs.
struct Golden {
    std::string name;                            ///< for messages: `conv2d 3: stride=2 padding=1`
    std::map<std::string, std::string> options;  ///< by name, as make.py wrote them
    std::map<std::string, Tensor> tensors;  ///< inputs by name; results `y`, their gradient `dy`, gradients `d` + input

    const Tensor& operator[](const std::string& tensor) const;  ///< One tensor. @throws Error when it is missing
    bool has(const std::string& tensor) const;                  ///< Whether it has this tensor.
    Integers integers(const std::string& tensor) const;         ///< One tensor of integers.
    Index number(const std::string& option) const;              ///< An integer option.
    double real(const std::string& option) const;               ///< A number option.
    const std::string& word(const std::string& option) const;   ///< An option as text.
};

/// All settings in tests/golden/OP.safetensors, on one device. @throws Error when the file cannot be read
std::vector<Golden> golden(const std::string& op, Device device = Device::cpu);

/// The largest difference of a float from PyTorch's result in double, relative to 1 + its size. The files contain
/// floats.
inline constexpr double golden_tolerance = sizeof(Real) == 8 ? 2e-7 : 2e-5;

/// On every device, in every setting: f computes `y`; backward from `dy` computes `d` + name for each tensor of that
/// name. Inputs of f require a gradient if the file contains one for them.
void check_golden(const std::string& op, const std::function<Tensor(const Golden&)>& f,
                  double tolerance = golden_tolerance);

}  // namespace RECTO::testing
