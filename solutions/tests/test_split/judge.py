"""A test for a split of data, tried on right and wrong splits. candidates.cpp holds them, by their numbers."""
from recto.judge.judging import Misconception, part
from recto.judge.trying import Candidate, try_test

misconceptions = [
    Misconception("indexes-blindly", outcome="crashed", matches="index outside",
                  says="the result may hold numbers that are no samples. Check that each is between 0 and count - 1 before "
                       "you use it as an index"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's split is one right answer of many, and not available for comparison. Check "
                       "properties that all right answers have"),
]

ONE_WAY = ("wants-one-way", "many shuffles are right, and each gives other numbers. Check properties that all of them "
                            "have, with enough room for bad luck: a right shuffle should fail the test less than once in a "
                            "billion")
PLAIN = Candidate(1, True, "a split that shuffles all samples and cuts them into three", "blames-luck",
                  "the test leaves too little room for bad luck. Compute the probability that a right split fails the "
                  "test: less than one in a billion is a good goal")
OTHERS = [
    Candidate(3, True, "a split that gives each sample a random number and sorts by these", *ONE_WAY),
    Candidate(4, True, "a split that draws the test part first, from the end of the samples", *ONE_WAY),
    Candidate(6, True, "a split that reverses the order of the samples before it shuffles", *ONE_WAY),
    Candidate(2, True, "a split whose parts are random, and each sorted afterwards", "asks-too-much",
              "the contract leaves the order within a part open. Only the set of its samples counts"),
    Candidate(5, True, "a split that goes through the samples once and draws a part for each", "asks-too-much",
              "the contract leaves the order within a part open. Only the set of its samples counts"),
]
EMPTY = Candidate(21, False, "a split whose parts are empty for every count", "misses-sizes",
                  "does the test look at sizes?")

SIZES_ONLY = ("sizes-only", "the sizes are right, but the samples are wrong. Mark each sample that occurs: each must be "
                            "marked once")
ROUND_COUNT = ("round-count", "for a multiple of 10 all ways of rounding agree. Try counts that 10 does not divide, and "
                              "small counts, which cost hardly any time")

PARTITION = [
    PLAIN, *OTHERS, EMPTY,
    Candidate(11, False, "a split that copies the validation samples from the training part, and leaves them there "
                         "too", *SIZES_ONLY),
    Candidate(12, False, "a split whose test part repeats the validation part", *SIZES_ONLY),
    Candidate(13, False, "a split that draws samples with replacement, so that some come twice and some never",
              *SIZES_ONLY),
    Candidate(14, False, "a split that counts samples from 1", *SIZES_ONLY),
    Candidate(15, False, "a split that loses the samples left over by rounding", *ROUND_COUNT),
    Candidate(16, False, "a split that rounds its sizes to the nearest number", *ROUND_COUNT),
    Candidate(17, False, "a split that gives the samples left over by rounding to the training part", *ROUND_COUNT),
    Candidate(18, False, "a split that exchanges the validation and the test part", *ROUND_COUNT),
    Candidate(19, False, "a split that throws an exception for fewer than 10 samples", "no-small-count",
              "the contract holds for every count from 0 on. Try small counts"),
    Candidate(36, False, "a split that throws an exception for 0 samples", "no-small-count",
              "the contract holds for every count from 0 on. Try 0 too"),
    Candidate(20, False, "a split that uses one sample twice if the count ends in 7", "few-counts",
              "some mistakes occur only for unexpected counts. A loop over the first few dozen costs hardly any time"),
    Candidate(37, False, "a split that puts a sample in the places of its two neighbours if the count ends in 3", "sums-only",
              "the sum of all samples is right, but two of them are missing. Mark each sample that occurs: each must be "
              "marked once"),
]

SEEDS = [
    PLAIN, *OTHERS,
    Candidate(22, False, "a split that ignores the seed", "one-seed", "ask for two seeds, and compare the results"),
    Candidate(25, False, "a split that takes the seed of its first call for all calls", "one-seed",
              "ask for two seeds, and compare the results"),
    Candidate(26, False, "a split that ignores the seed for 100 samples or more", "one-seed-for-many",
              "compare two seeds for a large count too, for which no two splits agree by chance"),
    Candidate(23, False, "a split that uses only the last bit of the seed", "two-seeds",
              "two different seeds may differ in just the bit that is used. Compare several seeds"),
    Candidate(24, False, "a split that continues its random numbers from call to call", "asks-once",
              "ask for the same count and the same seed twice, with other calls in between: the parts must be the "
              "same"),
    EMPTY,
]

STAYS = ("leaves-in-place", "this shuffle leaves samples in place. Split a small count with some hundred seeds, and check "
                            "that each sample is in each part at least once")
TOGETHER = ("neighbours-together", "each sample alone can be in every part, but neighbours stay together. Count the "
                                   "neighbours that are in the same part")

CHANCE = [
    PLAIN, *OTHERS,
    Candidate(27, False, "a split that does not shuffle at all", *STAYS),
    Candidate(29, False, "a split that cuts the parts first and then shuffles each", *STAYS),
    Candidate(28, False, "a split that shuffles the second half of the samples only", *STAYS),
    Candidate(34, False, "a split that swaps a few neighbours", *STAYS),
    Candidate(32, False, "a split that leaves sample 0 in place", "leaves-one-in-place",
              "one sample is always in the same part. Check that each sample is in each part at least once"),
    Candidate(33, False, "a split that leaves the last sample in place", "leaves-one-in-place",
              "one sample is always in the same part. Check that each sample is in each part at least once"),
    Candidate(30, False, "a split that begins at a random place and continues in order", *TOGETHER),
    Candidate(35, False, "a split that shuffles pairs of neighbours and keeps each pair together", *TOGETHER),
    EMPTY,
]


@part("partition")
def partition(student):
    try_test(student, "test_split", PARTITION, thing="split")


@part("seeds")
def seeds(student):
    try_test(student, "test_split", SEEDS, thing="split")


@part("chance")
def chance(student):
    try_test(student, "test_split", CHANCE, thing="split")
