#include <recto/linalg/blas.hpp>

#include <cblas.h>

namespace RECTO::linalg {

void use_blas_on_one_thread() { [[maybe_unused]] static const bool once = (openblas_set_num_threads(1), true); }

const char* blas_description() { return openblas_get_config(); }

}  // namespace RECTO::linalg
