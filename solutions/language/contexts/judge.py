"""Contexts from padded words, and the properties of every right split."""
from recto.judge.judging import TEXTS, Array, Misconception, part

THREE_LISTS = (TEXTS, TEXTS, TEXTS)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def places(words, length, first_letter=1, ends=True, padded=True, restart=True, nearest=0, turned=False):
    contexts, targets, tail = [], [], []
    for word in words:
        symbols = [ord(letter) - 97 + first_letter for letter in word] + ([0] if ends else [])
        whole = ([0] * length if restart or not tail else tail) + symbols
        for at in range(length if padded else 2 * length, len(whole)):
            context = whole[at - length + nearest:at + nearest]
            contexts += reversed(context) if turned else context
            targets.append(whole[at])
        tail = whole[-length:]
    return Array((len(targets), length), [float(symbol) for symbol in contexts]), targets


def make_contexts(words, length):
    return places(words, length)


def other(**ways):
    """The contexts with a mistake."""
    return lambda words, length: places(words, length, **ways)


def always_three(words, length):
    return places(words, 3) if length != 3 else None


def dots_behind(words, length):
    """A mistake: dots fill the end of a context."""
    contexts, targets = [], []
    for word in words:
        symbols = [ord(letter) - 96 for letter in word]
        for at in range(len(symbols) + 1):
            known = symbols[max(0, at - length):at]
            contexts += known + [0] * (length - len(known))
            targets.append((symbols + [0])[at])
    return Array((len(targets), length), [float(symbol) for symbol in contexts]), targets


misconceptions = [
    Misconception("no-end", "make_contexts", other(ends=False),
                  "the positions of the final dots are missing: without them a model does not learn where a word ends"),
    Misconception("no-padding", "make_contexts", other(padded=False),
                  "the first letters of the words are missing as targets. No letters come before them, so their contexts "
                  "hold dots"),
    Misconception("runs-on", "make_contexts", other(restart=False),
                  "the first contexts of a word hold letters of the word before: begin each word with dots only"),
    Misconception("dots-behind", "make_contexts", dots_behind,
                  "the dots come after the letters. They must come before them: the nearest symbol is always in the last "
                  "column"),
    Misconception("empty-word-skipped", "make_contexts", lambda words, length: places([w for w in words if w], length),
                  "an empty word has one position too: the dot that ends it"),
    Misconception("nearest-first", "make_contexts", other(turned=True),
                  "the rows are reversed: the nearest symbol comes last, in reading order"),
    Misconception("target-inside", "make_contexts", other(nearest=1),
                  "the contexts hold their own targets. The input of a prediction must not contain its target"),
    Misconception("a-is-the-dot", "make_contexts", other(first_letter=0),
                  "the letter a shares its number with the dot: the dot is 0, so letters begin at 1"),
    Misconception("always-three", "make_contexts", always_three,
                  "the contexts always have three symbols. Use the argument `length`"),
    Misconception("in-two-lists",
                  says="the list holds this word more than once, and the copies went into different lists. Remove the "
                       "duplicates before you split"),
    Misconception("lost-words",
                  says="all three sizes were rounded down, and the words left over are in no list. The remainder goes to "
                       "train"),
    Misconception("rounded-to-nearest", says="the tenths were rounded to the nearest number. Round them down"),
    Misconception("rest-to-test", says="the words left over by rounding went to test. They must go to train"),
    Misconception("a-tenth-of-all", says="dev and test hold a tenth of the given list, which contains duplicates. Count "
                                         "the distinct words"),
    Misconception("as-it-comes",
                  says="the list was cut without a shuffle. Many lists are sorted, so dev and test would hold words with "
                       "other initial letters than train. Shuffle first"),
    Misconception("one-seed", says="two seeds gave the same lists: the random generator does not use the seed"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's split is not allowed here: write it yourself"),
]


def some_words(student, how_many, shortest=0, longest=8):
    return ["".join(student.random.choice(LETTERS) for _ in range(student.random.randint(shortest, longest)))
            for _ in range(how_many)]


@part("contexts")
def contexts(student):
    for words in (["ab", "c"], ["abcde"], ["zebra", "ad", "emma"], some_words(student, 15, 1)):
        student.expect("make_contexts", words, 3, gives=make_contexts(words, 3),
                       about="contexts (value 1) and targets (value 2)")


@part("lengths")
def lengths(student):
    for length in (1, 2, 5, 8):
        for words in (["a", "", "b"], [""], some_words(student, 10)):
            student.expect("make_contexts", words, length, gives=make_contexts(words, length),
                           about=f"contexts (value 1) and targets (value 2) for length {length}")


def different(student, how_many):
    """This number of distinct words, sorted like many word lists."""
    found = set()
    while len(found) < how_many:
        found.update(some_words(student, how_many - len(found), 3, 7))
    return sorted(found)


@part("sizes")
def sizes(student):
    for how_many in (1, 9, 10, 19, 20, 47, 200):
        words = different(student, how_many)
        train, dev, test = student.ask("split", words, student.random.randrange(1000), gives=THREE_LISTS)
        tenth = how_many // 10
        kept = len(train) + len(dev) + len(test)
        student.check(kept >= how_many, "the number of words in the three lists together", str(how_many), str(kept),
                      "lost-words")
        suspects = {(tenth, how_many - 8 * how_many // 10 - tenth): "rest-to-test",
                    ((how_many + 5) // 10, (how_many + 5) // 10): "rounded-to-nearest"}
        student.check((len(train), len(dev), len(test)) == (how_many - 2 * tenth, tenth, tenth),
                      "the number of words in each list",
                      f"train {how_many - 2 * tenth}, dev {tenth}, test {tenth}",
                      f"train {len(train)}, dev {len(dev)}, test {len(test)}", suspects.get((len(dev), len(test)), ""))
        student.check(sorted(train + dev + test) == words, "the words of the three lists together",
                      "those that were given", "others")


@part("leakage")
def leakage(student):
    for how_many, times in ((10, 2), (40, 3), (100, 5)):
        words = different(student, how_many)
        given = words * times
        student.random.shuffle(given)
        train, dev, test = student.ask("split", given, student.random.randrange(1000), gives=THREE_LISTS)
        both = sorted(set(train) & set(dev) | set(train) & set(test) | set(dev) & set(test))
        student.check(not both, "words that are in two lists", "none",
                      f"{len(both)} words, such as {both[0] if both else ''}", "in-two-lists")
        student.check(sorted(train + dev + test) == words, "the words of the three lists together",
                      "each distinct word once",
                      f"{len(train) + len(dev) + len(test)} words, of {how_many} distinct ones")
        student.check((len(dev), len(test)) == (how_many // 10, how_many // 10),
                      "the number of words in dev and in test",
                      f"{how_many // 10} each: a tenth of the distinct words", f"{len(dev)} and {len(test)}",
                      "a-tenth-of-all" if len(dev) == len(test) == len(given) // 10 else "")


@part("chance")
def chance(student):
    words = different(student, 300)
    seen = []
    for seed in (1, 2, 3):
        lists = [sorted(found) for found in student.ask("split", words, seed, gives=THREE_LISTS)]
        student.check(sorted(sum(lists, [])) == words, "the words of the three lists together",
                      "those that were given", "others")
        ends = [word for found in lists[1:] for word in found]
        run = any(sorted(ends) == words[at:at + len(ends)] for at in range(len(words)))
        student.check(not run, "the words of dev and test", "words from all over the list",
                      "a run of neighbours of the sorted list",
                      "as-it-comes")
        student.check(lists not in seen, f"the split of seed {seed}", "another split than before", "the same", "one-seed")
        seen.append(lists)
