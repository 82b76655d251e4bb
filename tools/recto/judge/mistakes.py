"""The wrong answers of every exercise as the book shows them: build/mistakes.json, by SET/NAME of the exercise."""
from recto.judge import bank, catalogue, grading
from recto.judge.catalogue import Exercise
from recto.judge.judging import Misconception
from recto.judge.trying import Candidate, Pattern
from recto.place import BUILD, write_json


def sentences(exercise: Exercise) -> dict[str, str]:
    """The sentence that the judge says for each misconception of an exercise, by the misconception's name."""
    values = vars(grading.judge_of(exercise)).values()
    held = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return {item.name: item.says for item in held if isinstance(item, (Misconception, Candidate, Pattern)) and item.says}


def described(exercise: Exercise) -> list[dict]:
    """The wrong answers of an exercise; `code` is the hunks of a patch, or the whole program."""
    says = sentences(exercise)
    return [{"name": answer.misconception, "outcome": answer.outcome, "about": answer.about, "says": says.get(answer.misconception, ""),
             "patch": answer.is_patch, "code": "\n".join(answer.body[2:] if answer.is_patch else answer.body)}
            for answer in bank.wrong_answers(exercise)]


def update() -> None:
    """Writes the file; a tree that was handed out has no wrong answers to describe."""
    write_json(BUILD / "mistakes.json", {f"{exercise.set}/{exercise.name}": described(exercise)
                                         for exercise in catalogue.exercises() if exercise.solution.is_dir()})
