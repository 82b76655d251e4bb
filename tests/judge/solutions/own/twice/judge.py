"""Twice a number."""
from recto.judge.judging import part


@part("twice")
def twice(student):
    """A few predictable numbers, then some unpredictable ones."""
    for number in (1, 2, -3):
        student.expect("twice", number, gives=2 * number)
    for _ in range(10):
        number = student.random.randrange(-10 ** 6, 10 ** 6)
        student.expect("twice", number, gives=2 * number)
