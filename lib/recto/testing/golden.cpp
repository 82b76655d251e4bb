#include <recto/testing/golden.hpp>

#include <algorithm>

#include <recto/io/parameters.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/reductions/reduce.hpp>

namespace RECTO::testing {

const Tensor& Golden::operator[](const std::string& tensor) const {
    const auto found = tensors.find(tensor);
    check(found != tensors.end(), "golden: {} has no tensor {}", name, tensor);
    return found->second;
}

bool Golden::has(const std::string& tensor) const { return tensors.contains(tensor); }

Integers Golden::integers(const std::string& tensor) const {
    const Tensor& x = (*this)[tensor];
    std::vector<Index> whole;
    for (const Real v : x.values()) whole.push_back(Index(v));
    return Integers(x.shape(), whole, x.device());
}

const std::string& Golden::word(const std::string& option) const {
    const auto found = options.find(option);
    check(found != options.end(), "golden: {} has no option {}", name, option);
    return found->second;
}

Index Golden::number(const std::string& option) const { return std::stoll(word(option)); }
double Golden::real(const std::string& option) const { return std::stod(word(option)); }

std::vector<Golden> golden(const std::string& op, Device device) {
    const io::ParameterFile file = io::read_parameters(RECTO_GOLDEN "/" + op + ".safetensors", device);
    std::map<int, Golden> found;
    for (const auto& [name, tensor] : file.tensors) {  // `3.weight` is the tensor `weight` of setting 3
        const std::size_t dot = name.find('.');
        found[std::stoi(name)].tensors[name.substr(dot + 1)] = tensor;
    }
    std::vector<Golden> all;
    for (auto& [number, setting] : found) {
        const auto words = file.notes.find(std::to_string(number));  // `stride=2 padding=1`
        const std::string text = words == file.notes.end() ? "" : words->second;
        setting.name = fmt::format("{} {}: {}", op, number, text);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at), text.size()), equals = text.find('=', at);
            setting.options[text.substr(at, equals - at)] = text.substr(equals + 1, end - equals - 1);
            at = end + 1;
        }
        all.push_back(std::move(setting));
    }
    return all;
}

void check_golden(const std::string& op, const std::function<Tensor(const Golden&)>& f, double tolerance) {
    for (const Device device : devices()) {
        const std::vector<Golden> settings = golden(op, device);
        REQUIRE(settings.size() >= 8);
        for (Golden setting : settings) {
            CAPTURE(device, setting.name);
            for (auto& [name, tensor] : setting.tensors)
                if (name != "y" && setting.has("d" + name)) tensor = clone(tensor).requires_grad_();
            const Tensor y = f(setting);
            CHECK(y.shape() == setting["y"].shape());
            CHECK(close(y, doubles(setting["y"]), tolerance));
            if (!setting.has("dy")) continue;
            sum(y * setting["dy"]).backward();
            for (const auto& [name, tensor] : setting.tensors) {
                if (!tensor.requires_grad()) continue;
                CAPTURE(name);
                REQUIRE(tensor.grad().defined());
                CHECK(close(tensor.grad(), doubles(setting["d" + name]), tolerance));
            }
        }
    }
}

}  // namespace RECTO::testing
