// A browser has no BLAS. Products come from missing/xtensor-blas/xblas.hpp, the rest from solve.cpp in this folder.
#include <recto/linalg/blas.hpp>

namespace RECTO::linalg {

void use_blas_on_one_thread() {}
const char* blas_description() { return "none"; }

}  // namespace RECTO::linalg
