#include <recto/autograd/profile.hpp>

#include <cmath>
#include <numeric>
#include <optional>

#include <recto/autograd/checkpoint.hpp>
#include <recto/autograd/tape.hpp>
#include <recto/base/flops.hpp>
#include <recto/ops/elementwise/binary.hpp>
#include <recto/ops/elementwise/unary.hpp>
#include <recto/ops/indexing/index.hpp>
#include <recto/ops/products/linear.hpp>
#include <recto/ops/products/matmul.hpp>
#include <recto/ops/reductions/reduce.hpp>
#include <recto/ops/shapes/views.hpp>
#include <recto/testing/testing.hpp>

using namespace recto;
using namespace recto::testing;

namespace {

thread_local double clock_now = 0;
double stopped_clock() { return clock_now; }  // goes on only when a test says so

std::optional<ProfileRow> find(const Profile& profile, std::string_view name, std::string_view pass) {
    for (const ProfileRow& row : profile.rows())
        if (row.name == name && row.pass == pass) return row;
    return std::nullopt;
}
ProfileRow row_of(const Profile& profile, std::string_view name, std::string_view pass) {
    const auto found = find(profile, name, pass);
    INFO(name << ' ' << pass);
    REQUIRE(found);
    return *found;
}
double total(const Profile& profile) {
    const std::vector<ProfileRow> rows = profile.rows();
    return std::accumulate(rows.begin(), rows.end(), 0.0,
                           [](double sum, const ProfileRow& r) { return sum + r.seconds; });
}

/// An operation y = x whose forward pass takes `there` seconds after it asked for memory and `before` seconds before,
/// and whose rule takes `back` seconds.
Tensor slow(const char* name, const Tensor& x, double before, double there, double back) {
    clock_now += before;
    Tensor y = empty_like(x);
    clock_now += there;
    y.copy_(x);
    return record(name, y, {x}, [back](const Tensor& dy) {
        clock_now += back;
        return Grads{dy * 1};
    });
}

constexpr Index real = sizeof(Real);

}  // namespace

TEST_CASE("profile: every second belongs to one operation and direction, or lies between", "[autograd][profile]") {
    const Tensor x = full({4}, 1).requires_grad_();
    const Profile profile(Device::cpu, stopped_clock);
    const Tensor y = slow("first", x, 1, 2, 4);
    clock_now += 8;
    const Tensor z = slow("second", slow("first", y, 16, 32, 64), 0, 128, 256);
    sum(z).backward();
    CHECK(row_of(profile, "first", "forward").seconds == 2 + 32);
    CHECK(row_of(profile, "first", "forward").calls == 2);
    CHECK(row_of(profile, "first", "backward").seconds == 4 + 64);
    CHECK(row_of(profile, "first", "backward").calls == 2);
    CHECK(row_of(profile, "second", "forward").seconds == 128);
    CHECK(row_of(profile, "second", "backward").seconds == 256);
    CHECK(row_of(profile, "between operations", "").seconds == 1 + 8 + 16);
    CHECK(total(profile) == 511);
    CHECK(profile.seconds() == 511);
    CHECK(profile.rows().front().name == "second");
    CHECK(profile.rows().back().name == "between operations");
}

TEST_CASE("profile: with a real clock the shares add up to one, and real operations have names",
          "[autograd][profile]") {
    Generator random(1);
    const Tensor x = random.normal({64, 32}, 0, 1), w = random.normal({16, 32}, 0, 1).requires_grad_();
    Profile profile;
    for (int i = 0; i < 3; ++i) {
        w.zero_grad();
        mean(square(linear(x, w))).backward();
    }
    profile.stop();
    double shares = 0;
    for (const ProfileRow& row : profile.rows()) {
        CHECK(row.seconds >= 0);
        shares += row.seconds / profile.seconds();
    }
    CHECK(std::abs(shares - 1) < 1e-9);
    for (const char* name : {"linear", "square", "mean"})
        for (const char* pass : {"forward", "backward"}) {
            CHECK(row_of(profile, name, pass).calls == 3);
            CHECK(row_of(profile, name, pass).seconds > 0);
        }
    CHECK(row_of(profile, "gradient copy", "backward").calls == 3);  // that of mean is one number, broadcast
    CHECK(profile.rows().size() == 3 * 2 + 2);
}

TEST_CASE("profile: multiply-adds belong to the operation that made them", "[autograd][profile]") {
    Generator random(2);
    const Tensor x = random.normal({5, 7}, 0, 1), w = random.normal({3, 7}, 0, 1).requires_grad_();
    const Tensor v = random.normal({3, 2}, 0, 1).requires_grad_();
    const FlopCount all;
    const Profile profile;
    sum(matmul(linear(x, w), v)).backward();
    CHECK(row_of(profile, "linear", "forward").multiply_adds == 5 * 7 * 3);
    CHECK(row_of(profile, "linear", "backward").multiply_adds == 5 * 7 * 3);  // no gradient of x
    CHECK(row_of(profile, "matmul", "forward").multiply_adds == 5 * 3 * 2);
    CHECK(row_of(profile, "matmul", "backward").multiply_adds == 2 * 5 * 3 * 2);
    CHECK(row_of(profile, "sum", "forward").multiply_adds == 0);
    Index counted = 0;
    for (const ProfileRow& row : profile.rows()) counted += row.multiply_adds;
    CHECK(counted == all.multiply_adds());
}

TEST_CASE("profile: bytes are those of inputs, results, gradients and what a rule saved", "[autograd][profile]") {
    const Tensor x = full({6, 4}, 1).requires_grad_(), b = full({4}, 2).requires_grad_();
    const Profile profile;
    const Tensor y = square(x + b);
    sum(reshape(y, {24})).backward();
    CHECK(row_of(profile, "add", "forward").bytes == (24 + 4 + 24) * real);
    CHECK(row_of(profile, "add", "backward").bytes ==
          (24 + 4) * real);  // the gradient of x is passed on, that of b summed
    CHECK(row_of(profile, "square", "forward").bytes == 2 * 24 * real);
    // The gradient of y is one number, broadcast; x + b was saved.
    CHECK(row_of(profile, "square", "backward").bytes == (24 + 24 + 24) * real);
    CHECK(row_of(profile, "reshape", "forward").bytes == 0);
    CHECK(row_of(profile, "reshape", "backward").bytes == 0);
}

TEST_CASE("profile: a table counts what is read of it", "[autograd][profile]") {
    const Tensor table = full({1000, 8}, 1);
    const Profile profile;
    (void)index_rows(table, Integers({3}, {5, 5, 7}));
    CHECK(row_of(profile, "index_rows", "forward").bytes == 2 * 3 * 8 * real);
}

TEST_CASE("profile: an operation built of others takes the result that it returns", "[autograd][profile]") {
    const Tensor x = full({4}, 1).requires_grad_();
    const Profile profile(Device::cpu, stopped_clock);
    const auto built = [](const Tensor& x) {
        const Tensor inner = slow("inner", slow("part", x.detach(), 0, 1, 0), 0, 2, 0);
        return record("outer", inner, {x}, [](const Tensor& dy) {
            (void)slow("inner", dy, 4, 8, 16);  // a part of the rule
            return Grads{dy * 1};
        });
    };
    sum(built(x)).backward();
    CHECK(row_of(profile, "outer", "forward").seconds == 2);
    CHECK(row_of(profile, "outer", "forward").bytes == 2 * 4 * real);
    CHECK_FALSE(find(profile, "inner", "forward"));
    CHECK(row_of(profile, "part", "forward").seconds == 1);
    CHECK(row_of(profile, "outer", "backward").seconds == 4 + 8);
    CHECK_FALSE(find(profile, "inner", "backward"));
    CHECK(total(profile) == 15);
    slow("inner", slow("inner", x, 0, 32, 0), 0, 64, 0);  // not built of each other
    CHECK(row_of(profile, "inner", "forward").seconds == 32 + 64);
}

TEST_CASE("profile: a rule that runs a part of the tape again has its time, the rules of the part have theirs",
          "[autograd][profile]") {
    const Tensor x = full({4}, 1).requires_grad_();
    const Profile profile(Device::cpu, stopped_clock);
    const Tensor y = checkpoint([](const Tensor& x) { return slow("part", x, 0, 1, 2); }, x);
    sum(y).backward();
    CHECK(row_of(profile, "part", "forward").seconds == 1);
    CHECK(row_of(profile, "part", "forward").calls == 1);
    CHECK(row_of(profile, "checkpoint", "backward").seconds == 1);  // the second run
    CHECK(row_of(profile, "part", "backward").seconds == 2);
    CHECK(total(profile) == 4);
}

TEST_CASE("profile: a phase is one row, whatever runs in it", "[autograd][profile]") {
    const Tensor x = full({4}, 1).requires_grad_();
    const Profile profile(Device::cpu, stopped_clock);
    {
        const ProfilePhase phase("data");
        slow("op", x, 1, 2, 0);
    }
    clock_now += 4;
    {
        const ProfilePhase phase("data");
        clock_now += 8;
    }
    CHECK(row_of(profile, "data", "").seconds == 1 + 2 + 8);
    CHECK(row_of(profile, "data", "").calls == 2);
    CHECK_FALSE(find(profile, "op", "forward"));
    CHECK(row_of(profile, "between operations", "").seconds == 4);
}

TEST_CASE("profile: memory that becomes no operation lies between", "[autograd][profile]") {
    const Profile profile(Device::cpu, stopped_clock);
    const Tensor room = empty({4});
    clock_now += 1;
    const ProfilePhase phase("data");
    clock_now += 2;
    CHECK(row_of(profile, "between operations", "").seconds == 1);
}

TEST_CASE("profile: gradients that are added or copied have rows", "[autograd][profile]") {
    const Tensor x = full({4}, 1).requires_grad_();
    const Profile profile;
    sum(x + x).backward();
    CHECK(row_of(profile, "gradient copy", "backward").bytes > 0);
    CHECK(row_of(profile, "gradient sum", "backward").bytes == 3 * 4 * real);
    CHECK(close(x.grad(), {2, 2, 2, 2}));
}

TEST_CASE("profile: nothing is noted after its end, nor on other threads' profiles", "[autograd][profile]") {
    const Tensor x = full({4}, 1).requires_grad_();
    {
        Profile profile(Device::cpu, stopped_clock);
        CHECK_THROWS_WITH(Profile(), "Profile: wanted one at a time on a thread, got a second");
        slow("op", x, 0, 1, 0);
        {
            const ProfilePhase phase("data");
            CHECK_THROWS_WITH(profile.stop(),
                              "Profile: wanted stop() outside of phases and backward passes, got it inside 'data'");
        }
        profile.stop();
        profile.stop();
        clock_now += 2;
        const Tensor y = slow("op", x, 4, 8, 16);
        const ProfilePhase phase("data");
        sum(y).backward();
        CHECK(total(profile) == 1);
        CHECK(row_of(profile, "op", "forward").calls == 1);
        CHECK_FALSE(find(profile, "op", "backward"));
    }
    { const Profile profile; }
    slow("op", x, 0, 1, 0);  // with no profile there is nothing to note in
    const Profile again(Device::cpu, stopped_clock);
    CHECK(again.rows().size() == 1);
}

TEST_CASE("profile: a rule that throws ends its row", "[autograd][profile]") {
    const Tensor x = full({}, 1).requires_grad_();
    const Profile profile(Device::cpu, stopped_clock);
    CHECK_THROWS_AS(record_without_derivative("bad", x * 2, x).backward(), Error);
    clock_now += 3;
    CHECK(row_of(profile, "between operations", "").seconds == 0);  // up to the last note
    (void)slow("op", x, 0, 1, 0);
    CHECK(row_of(profile, "between operations", "").seconds == 3);
    CHECK(row_of(profile, "bad", "backward").calls == 1);
}

TEST_CASE("profile: results and gradients are the same with and without", "[autograd][profile]") {
    const auto gradient = [] {
        Generator random(3);
        const Tensor x = random.normal({9, 5}, 0, 1), w = random.normal({4, 5}, 0, 1).requires_grad_();
        const Tensor h = linear(x, w, {}, tanh);
        mean(square(h + h * 2)).backward();
        return w.grad();
    };
    const Tensor alone = gradient();
    const Profile profile;
    CHECK(same_bits(gradient(), alone));
}
