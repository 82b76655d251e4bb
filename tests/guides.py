"""Is CONTRIBUTING.md true? Adds an operation and a page as it says, in a copy of the tree, and builds and runs them.

Ends with one line, N passed, N failed.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

HEADER = """#pragma once
/// @file
/// The third power.
#include <recto/core/tensor.hpp>

namespace RECTO {

/// \\f$ x^3 \\f$, number by number; any shape. Backward: \\f$ dx = 3 x^2\\, dy \\f$.
Tensor cube(const Tensor& x);

}  // namespace RECTO
"""
SOURCE = """#include <recto/autograd/tape.hpp>
#include <recto/device/launch.hpp>
#include <recto/ops/elementwise/cube.hpp>

namespace RECTO {
namespace {
struct Cube {
    const Real* x;
    Real* y;
    RECTO_HD void operator()(Index i) const { y[i] = x[i] * x[i] * x[i]; }
};
struct CubeGrad {
    const Real *x, *dy;
    Real* dx;
    RECTO_HD void operator()(Index i) const { dx[i] = 3 * x[i] * x[i] * dy[i]; }
};
}  // namespace

Tensor cube(const Tensor& x) {
    const Tensor in = dense(x);
    Tensor y = empty_like(x);
    each(x.device(), x.size(), Cube{in.data(), y.write()});
    return record("cube", y, {x}, [in = Saved(in)](const Tensor& dy) {
        const Tensor g = dense(dy);
        Tensor dx = empty_like(g);
        each(g.device(), g.size(), CubeGrad{in->data(), g.data(), dx.write()});
        return Grads{dx};
    });
}
}  // namespace RECTO
"""
TEST = """#include <recto/ops/elementwise/cube.hpp>
#include <recto/testing/gradcheck.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("cube: definition", "[ops][cube][devices]") {
    const Device device = GENERATE(from_range(devices()));
    CHECK(close(cube(Tensor({4}, {-2, 0, 1, 3}, device)), {-8, 0, 1, 27}));
    CHECK(cube(empty({0}, device)).size() == 0);
}
GRADIENT_TEST("cube", "[cube]") {
    check_gradient([](const Tensor& x) { return cube(x); });
}
"""
PAGE = """// # A page of one claim
//
// ```{rows} fig-1.1
// ```
//
// Prose.
#include <recto/book/page.hpp>

void page() { recto::book::claim("", "one is less than two", 1, "<", 2); }
"""


def edit(path: pathlib.Path, old: str, new: str) -> None:
    """Replaces `old`, which must be there, once."""
    text = path.read_text()
    if old not in text:
        sys.exit(f"guides: {path.name} has no '{old}'")
    path.write_text(text.replace(old, new, 1))


def main() -> int:
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in files.decode().split("\0"):
            if name and (ROOT / name).exists():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        steps = {"lib/recto/ops/elementwise/cube.hpp": HEADER, "lib/recto/ops/elementwise/cube.cpp": SOURCE,
                 "lib/recto/ops/elementwise/cube.test.cpp": TEST, "chapters/N-name/my_page.cpp": PAGE}
        for name, text in steps.items():
            if name not in guide:
                sys.exit(f"guides: CONTRIBUTING.md does not name {name}")
            (tree / name.replace("N-name", "1-foundations")).write_text(text)
        edit(tree / "lib/CMakeLists.txt", "set(ops/elementwise ", "set(ops/elementwise cube ")
        edit(tree / "lib/recto/ops/ops.hpp", "#include <recto/ops/elementwise/dropout.hpp>",
             "#include <recto/ops/elementwise/cube.hpp>\n#include <recto/ops/elementwise/dropout.hpp>")
        edit(tree / "lib/recto/testing/every_op.cpp", "const Op ops[] = {",
             'const Op ops[] = {\n    {"cube", "nm", [](X x) { return R(cube(x[0])); }},')
        edit(tree / "chapters/1-foundations/CMakeLists.txt", "recto_pages(", "recto_pages(my_page)\nrecto_pages(")

        def does(*command: str, ok: bool = True) -> None:
            nonlocal passed, failed
            run = subprocess.run(command, cwd=tree, capture_output=True, text=True)
            good = (run.returncode == 0) == ok
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(" ".join(command), f"-> exit {run.returncode}\n", (run.stdout + run.stderr)[-3000:])

        does("cmake", "-S", ".", "-B", "b", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DRECTO_TESTS=ON")
        does("cmake", "--build", "b", "-t", "recto_tests64", "page_my_page")
        does("b/recto_tests64", "[cube]")
        does("b/pages/my_page")
        # The promise in step 3: without its gradient test the build fails.
        edit(tree / "lib/recto/ops/elementwise/cube.test.cpp", 'GRADIENT_TEST("cube"', 'GRADIENT_TEST("cubic"')
        does("cmake", "--build", "b", "-t", "recto_tests64", "check_rooms", ok=False)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
