#include <recto/optim/schedule.hpp>

#include <recto/testing/golden.hpp>

using namespace recto;
using namespace recto::testing;

TEST_CASE("schedules: agree with PyTorch", "[optim][golden]") {
    const std::vector<Golden> settings = golden("schedule");
    REQUIRE(settings.size() >= 8);
    for (const Golden& g : settings) {
        CAPTURE(g.name);
        const std::string& plan = g.word("plan");
        std::vector<Real> got;
        for (Index t = 0; t < g["y"].numel(); ++t)
            got.push_back(Real(
                plan == "step_decay" ? optim::step_decay(t, g.real("rate"), g.number("every"), g.real("factor"))
                : plan == "cosine"   ? optim::cosine(t, 39, g.real("rate"), g.real("least"))
                : plan == "warmup_cosine"
                    ? optim::warmup_cosine(t, g.number("warmup"), 39, g.real("rate"), g.real("least"))
                    : optim::one_cycle(t, 41, g.real("rate"),
                                       {.rising = g.real("rising"), .start = g.real("start"), .end = g.real("end")})));
        CHECK(close(got, doubles(g["y"]), 1e-6));
    }
}

TEST_CASE("schedules: edges", "[optim]") {
    CHECK(optim::cosine(0, 0, 1, 0.25) == 0.25);
    CHECK(optim::cosine(0, 10, 1) == 1);
    CHECK(optim::cosine(10, 10, 1, 0.25) == 0.25);
    CHECK(optim::cosine(1000, 10, 1, 0.25) == 0.25);  // it does not rise again
    CHECK(optim::warmup_cosine(0, 0, 10, 1) == 1);
    CHECK(optim::warmup_cosine(0, 1, 10, 1) == 0.5);
    CHECK(optim::warmup_cosine(1, 1, 10, 1) == 1);
    CHECK(optim::warmup_cosine(9, 10, 10, 1, 0.5) == 10.0 / 11);
    CHECK(optim::warmup_cosine(10, 10, 10, 1, 0.5) == 0.5);
    CHECK(optim::warmup_cosine(0, 0, 0, 1, 0.5) == 0.5);
    CHECK(optim::one_cycle(0, 1, 3) == 3);
    CHECK(optim::one_cycle(0, 10, 3, {.rising = 0}) == 3);
    CHECK(optim::one_cycle(9, 10, 3, {.rising = 1}) == 3);
    CHECK(optim::one_cycle(50, 10, 1) == optim::one_cycle(9, 10, 1));
    CHECK(optim::step_decay(9, 1, 10, 0.5) == 1);
    CHECK(optim::step_decay(10, 1, 10, 0.5) == 0.5);
}

TEST_CASE("schedules: messages", "[optim]") {
    CHECK_THROWS_WITH(optim::step_decay(-1, 1, 1, 1), "step_decay: wanted a step of at least 0, got -1");
    CHECK_THROWS_WITH(optim::step_decay(0, 1, 0, 1), "step_decay: wanted at least 1 step between changes, got 0");
    CHECK_THROWS_WITH(optim::cosine(0, -2, 1), "cosine: wanted at least 0 steps, got -2");
    CHECK_THROWS_WITH(optim::warmup_cosine(0, 3, 2, 1), "warmup_cosine: wanted a warm-up from 0 to 2 steps, got 3");
    CHECK_THROWS_WITH(optim::warmup_cosine(0, -1, 2, 1), "warmup_cosine: wanted a warm-up from 0 to 2 steps, got -1");
    CHECK_THROWS_WITH(optim::one_cycle(-1, 5, 1), "one_cycle: wanted a step of at least 0, got -1");
    CHECK_THROWS_WITH(optim::one_cycle(0, 0, 1), "one_cycle: wanted at least 1 step, got 0");
    CHECK_THROWS_WITH(optim::one_cycle(0, 9, 1, {.rising = not_a_number}),
                      "one_cycle: wanted a rising share from 0 to 1, got nan");
}
