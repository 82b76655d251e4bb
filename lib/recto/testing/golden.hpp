#pragma once
/// @file
/// What PyTorch computed, kept in small files under tests/golden/ (made by make.py there, which names the version).
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
    Integers integers(const std::string& tensor) const;         ///< One tensor of whole numbers.
    Index number(const std::string& option) const;              ///< An option that is a whole number.
    double real(const std::string& option) const;               ///< An option that is any number.
    const std::string& word(const std::string& option) const;   ///< An option as it stands.
};

/// All settings in tests/golden/OP.safetensors, on one device. @throws Error when the file cannot be read
std::vector<Golden> golden(const std::string& op, Device device = Device::cpu);

/// How far a float may be from what PyTorch computed in double, relative to 1 + its size. The files hold floats.
inline constexpr double golden_tolerance = sizeof(Real) == 8 ? 2e-7 : 2e-5;

/// On every device, in every setting: f gives `y`; backward from `dy` gives `d` + name for each tensor of that name.
/// f sees inputs that want gradients wherever the file has one for them.
void check_golden(const std::string& op, const std::function<Tensor(const Golden&)>& f,
                  double tolerance = golden_tolerance);

}  // namespace RECTO::testing
