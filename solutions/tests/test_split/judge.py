"""A test for a split of data, tried on right and wrong splits. candidates.cpp holds them, by their numbers."""
from recto.judge.judging import Misconception, part
from recto.judge.trying import Candidate, try_test

misconceptions = [
    Misconception("indexes-blindly", outcome="crashed", matches="index outside",
                  says="what comes back may hold numbers that are no samples. Look whether each is one, from 0 to "
                  "count - 1, before you use it as an index"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's own split is one right answer of many, and not here to compare with. Ask for "
                  "what is true of all of them"),
]

ONE_WAY = ("wants-one-way", "there are many right shuffles, and each gives other numbers. Ask for what is true of "
           "all of them, and for no more luck than they have: a right one should fail the test less than once in a "
           "billion")
PLAIN = Candidate(1, True, "a split that shuffles all samples and cuts them into three", "blames-luck",
                  "the test asks for more luck than a right split has. Work out how likely it is that a right one "
                  "fails the test: less than one in a billion is a good wish")
OTHERS = [
    Candidate(3, True, "a split that gives each sample a random number and sorts by these", *ONE_WAY),
    Candidate(4, True, "a split that draws the test part first, from the end of the samples", *ONE_WAY),
    Candidate(6, True, "a split that lines up the samples backwards before it shuffles", *ONE_WAY),
    Candidate(2, True, "a split whose parts are chosen by chance, each of them sorted afterwards", "asks-too-much",
              "the contract says nothing about the order within a part. Which samples are in it is what counts"),
    Candidate(5, True, "a split that goes through the samples once and draws a part for each", "asks-too-much",
              "the contract says nothing about the order within a part. Which samples are in it is what counts"),
]
EMPTY = Candidate(21, False, "a split whose parts are empty, whatever the count", "misses-sizes",
                  "does the test look at sizes?")

SIZES_ONLY = ("sizes-only", "the sizes are right, and the samples are not. Mark each sample that occurs: each must "
              "be marked once")
ROUND_COUNT = ("round-count", "where everything comes out even, all ways of rounding agree. Try counts that 10 "
               "does not divide, and small ones: for a test, counts cost nothing")

PARTITION = [
    PLAIN, *OTHERS, EMPTY,
    Candidate(11, False, "a split that takes the validation samples out of the training part, and leaves them "
              "there too", *SIZES_ONLY),
    Candidate(12, False, "a split whose test part repeats the validation part", *SIZES_ONLY),
    Candidate(13, False, "a split that draws each sample anew, so that some come twice and some never",
              *SIZES_ONLY),
    Candidate(14, False, "a split that counts samples from 1", *SIZES_ONLY),
    Candidate(15, False, "a split that loses the samples that are left over by rounding", *ROUND_COUNT),
    Candidate(16, False, "a split that rounds its sizes to the nearest number", *ROUND_COUNT),
    Candidate(17, False, "a split that gives what is left over by rounding to the training part", *ROUND_COUNT),
    Candidate(18, False, "a split that exchanges the validation and the test part", *ROUND_COUNT),
    Candidate(19, False, "a split that throws an exception for fewer than 10 samples", "no-small-count",
              "the contract holds for every count from 0 on. Try the small ones"),
    Candidate(36, False, "a split that throws an exception where there are no samples at all", "no-small-count",
              "the contract holds for every count from 0 on. Try that one as well"),
    Candidate(20, False, "a split that uses one sample twice where the count ends in 7", "few-counts",
              "mistakes hide in counts that nobody thinks of. A loop over the first few dozen costs nothing"),
    Candidate(37, False, "a split that puts a sample in the places of its two neighbours where the count ends in 3", "sums-only",
              "the sum of all samples is right, and two of them are missing. Mark each sample that occurs: each must be marked "
              "once"),
]

SEEDS = [
    PLAIN, *OTHERS,
    Candidate(22, False, "a split that ignores the seed", "one-seed", "ask for two seeds, and compare what comes "
              "back"),
    Candidate(25, False, "a split that takes the seed of its first call for all calls", "one-seed",
              "ask for two seeds, and compare what comes back"),
    Candidate(26, False, "a split that ignores the seed where there are 100 samples or more", "one-seed-for-many",
              "compare two seeds for a large count too: there no two splits agree by chance"),
    Candidate(23, False, "a split that looks at the last bit of the seed only", "two-seeds",
              "two seeds that differ may differ in the one digit that counts. Compare several"),
    Candidate(24, False, "a split that goes on with its random numbers from call to call", "asks-once",
              "ask for the same count and the same seed twice, with other calls in between: the parts must be the "
              "same"),
    EMPTY,
]

STAYS = ("leaves-in-place", "this shuffle leaves samples where they were. Split a small count with some hundred "
         "seeds, and see that each sample lands in each part at least once")
TOGETHER = ("neighbours-together", "each sample by itself lands everywhere, but never without its neighbours. See "
            "how many neighbours are in the same part")

CHANCE = [
    PLAIN, *OTHERS,
    Candidate(27, False, "a split that does not shuffle at all", *STAYS),
    Candidate(29, False, "a split that shuffles each part after it has cut them", *STAYS),
    Candidate(28, False, "a split that shuffles the second half of the samples only", *STAYS),
    Candidate(34, False, "a split that exchanges a few neighbours", *STAYS),
    Candidate(32, False, "a split that leaves sample 0 where it is", "leaves-one-in-place",
              "one sample always lands in the same part. See of each of them that it lands in each part at least "
              "once"),
    Candidate(33, False, "a split that leaves the last sample where it is", "leaves-one-in-place",
              "one sample always lands in the same part. See of each of them that it lands in each part at least "
              "once"),
    Candidate(30, False, "a split that begins at a random place, and goes on from there in order", *TOGETHER),
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
