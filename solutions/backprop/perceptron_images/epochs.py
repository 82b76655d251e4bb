"""The perceptrons that an epoch may end with: any order of the images is right."""
import itertools

from .perceptron import formula, forward, moved

WITHIN = 1e-9   # sums in another order change an answer by 1e-14 at these sizes, the smallest slip by 1e-3


def orders(count, batch):
    """Every way to divide the images into batches; the order inside a batch does not matter."""
    def deal(rest):
        if not rest:
            yield ()
            return
        for chosen in itertools.combinations(rest, min(batch, len(rest))):
            for more in deal(tuple(i for i in rest if i not in chosen)):
                yield (chosen, *more)
    return deal(tuple(range(count)))


def after_epoch(f, x, labels, order, rate, stale=False, own_labels=True, divided_by=0):
    """The perceptron after the batches in this order."""
    start, seen = f, 0
    for chosen in order:
        pictures = [x[i] for i in chosen]
        classes = [labels[i] for i in chosen] if own_labels else labels[seen:seen + len(chosen)]
        at = start if stale else f
        length = rate * len(chosen) / divided_by if divided_by else rate
        f = moved(f, formula(at, pictures, *forward(*at, pictures), classes), length)
        seen += len(chosen)
    return f


def same(got, f):
    """Whether this is the perceptron, up to rounding."""
    return all(close_to(array, rows) for array, rows in zip(got, f))


def close_to(array, rows):
    """Whether these are the numbers, up to rounding."""
    flat = sum(rows, [])
    return len(flat) == len(array.numbers) and all(abs(a - b) <= WITHIN for a, b in zip(array.numbers, flat))


def epoch_slip(got, f, x, labels, batch, rate):
    """The slip that gives this perceptron, or nothing."""
    deals = list(orders(len(x), batch))
    whole = [order for order in deals if len(order) > 1]
    if any(same(got, after_epoch(f, x, labels, order[:1], rate)) for order in whole):
        return "one-step"
    if any(len(order[-1]) < batch and same(got, after_epoch(f, x, labels, order[:-1], rate)) for order in whole):
        return "tail-forgotten"
    if any(same(got, after_epoch(f, x, labels, order, rate, stale=True)) for order in whole):
        return "stale"
    if any(same(got, after_epoch(f, x, labels, order, rate, divided_by=batch)) for order in deals):
        return "mean-over-the-batch-size"
    for order in itertools.permutations(range(len(x))):
        parts = [order[i:i + batch] for i in range(0, len(x), batch)]
        if same(got, after_epoch(f, x, labels, parts, rate, own_labels=False)):
            return "labels-stay"
    return ""
