"""Half of every number."""
from recto.judge.judging import part


@part("halves")
def halves(student):
    """Lists of several lengths."""
    for count in (1, 2, 5):
        numbers = [student.random.uniform(-1, 1) for _ in range(count)]
        student.expect("halves", numbers, gives=[number / 2 for number in numbers], within=1e-12)
