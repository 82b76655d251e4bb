"""Numbers as texts."""
from recto.judge.judging import part


@part("texts")
def texts(student):
    """A few of them."""
    for count in (1, 3):
        student.expect("texts", count, gives=[str(number) for number in range(count)])
