#include <recto/base/check.hpp>

namespace RECTO {

void refuse(fmt::string_view text, fmt::format_args values) { throw Error(fmt::vformat(text, values)); }

}  // namespace RECTO
