"""Aerial images and moved maps by the law of lib/recto/data/buildings.hpp, drawn here a second time: the program that is judged
never holds the flows that it is judged by."""
import dataclasses
from array import array
from math import cos, hypot, pi, sin

from recto.judge.judging import Array, floats

SIDE = 32           # pixels along each side of an image
REACH = 4           # length of the longest arrow of a flow, in pixels
NOISE = 0.05
ROOFS = ((0.75, 0.35, 0.25), (0.55, 0.4, 0.3), (0.6, 0.6, 0.62), (0.85, 0.55, 0.4))
GROUNDS = ((0.35, 0.5, 0.25), (0.45, 0.45, 0.3), (0.5, 0.45, 0.4))
ROAD, TREE = (0.55, 0.55, 0.55), (0.15, 0.3, 0.12)
PIXELS = [(float(col), float(row)) for row in range(SIDE) for col in range(SIDE)]


def ink(distance):
    """The share of a pixel that is covered, by the distance of its centre from the edge."""
    return min(max(0.5 - distance, 0.0), 1.0)


def blend(below, above, share):
    return [b + share * (a - b) for b, a in zip(below, above)]


class Deformation:
    """A translation and three plane waves, scaled so that the longest arrow has the length REACH, without a fold."""

    def __init__(self, random):
        def pair():
            return random.gauss(0, 1), random.gauss(0, 1)
        while True:
            self.shift, self.waves = pair(), []
            for _ in range(3):
                angle, number = random.uniform(0, 2 * pi), 2 * pi / (SIDE * random.uniform(1.25, 3))
                self.waves.append((*pair(), number * cos(angle), number * sin(angle), random.uniform(0, 2 * pi)))
            factor = REACH / max(hypot(*self.at(x, y)) for x, y in PIXELS)
            self.shift = self.shift[0] * factor, self.shift[1] * factor
            self.waves = [(a * factor, b * factor, *rest) for a, b, *rest in self.waves]
            if sum(hypot(a, b) * hypot(m, n) for a, b, m, n, _ in self.waves) < 0.9:
                return

    def at(self, x, y):
        """The displacement of a point."""
        u, v = self.shift
        for a, b, m, n, phase in self.waves:
            s = sin(m * x + n * y + phase)
            u += a * s
            v += b * s
        return u, v

    def before(self, x, y):
        """The point that is moved to (x, y): the displacement shrinks distances by a tenth or more, so that the iteration
        converges."""
        p, q = x, y
        for _ in range(300):
            u, v = self.at(p, q)
            far = abs(x - u - p) + abs(y - v - q)
            p, q = x - u, y - v
            if far < 1e-6:
                break
        return p, q


@dataclasses.dataclass
class Building:
    """A rectangle, with a wing or without, in its own coordinates."""
    centre: tuple
    half: tuple
    wing: tuple | None
    wing_at: tuple
    turn: tuple
    across: bool
    roof: tuple

    def local(self, x, y):
        x, y, (c, s) = x - self.centre[0], y - self.centre[1], self.turn
        return c * x + s * y, c * y - s * x

    def distance(self, x, y):
        """From its outline; negative inside."""
        x, y = self.local(x, y)
        far = max(abs(x) - self.half[0], abs(y) - self.half[1])
        if self.wing:
            far = min(far, max(abs(x - self.wing_at[0]) - self.wing[0], abs(y - self.wing_at[1]) - self.wing[1]))
        return far


def draw_building(random, direction):
    centre = random.uniform(-2.5, SIDE + 1.5), random.uniform(-2.5, SIDE + 1.5)
    half, wing, at = (random.uniform(2.5, 6), random.uniform(2.5, 6)), None, (0, 0)
    if random.random() < 0.4:
        wing = random.uniform(1.5, 3), random.uniform(2.5, 5)
        at = half[0] - wing[0], half[1] + wing[1] - 1
    angle = direction + random.uniform(-0.1, 0.1)
    return Building(centre, half, wing, at, (cos(angle), sin(angle)), random.random() < 0.5, random.choice(ROOFS))


def cover(buildings, x, y):
    """The share of the pixel at this point that is a building."""
    return max((ink(one.distance(x, y)) for one in buildings), default=0.0)


def draw(random):
    """One pair: the image channel after channel, the moved map, the flow component after component."""
    moved, ground = Deformation(random), random.choice(GROUNDS)
    angle, number = random.uniform(0, 2 * pi), 2 * pi / random.uniform(6, 14)
    wave, phase, across = (number * cos(angle), number * sin(angle)), random.uniform(0, 2 * pi), random.uniform(0, 2 * pi)
    road, middle = (cos(across), sin(across)), (SIDE - 1) / 2
    road_at = sum(road) * middle + random.uniform(-0.4, 0.4) * SIDE
    trees = [(random.uniform(0, SIDE), random.uniform(0, SIDE), random.uniform(1, 2)) for _ in range(3)]
    direction = random.uniform(0, pi / 2)
    buildings = [draw_building(random, direction) for _ in range(random.randint(4, 7))]
    image, flow, moved_map = [], [], []
    for x, y in PIXELS:
        light = 1 + 0.15 * sin(wave[0] * x + wave[1] * y + phase)
        colour = blend([light * value for value in ground], ROAD, ink(abs(road[0] * x + road[1] * y - road_at) - 1.25))
        for one in buildings:
            share = ink(one.distance(x, y))
            if share:
                p, q = one.local(x, y)
                bright = 1.12 if (p if one.across else q) > 0 else 0.88
                colour = blend(colour, [bright * value for value in one.roof], share)
        for p, q, radius in trees:
            colour = blend(colour, TREE, ink(hypot(x - p, y - q) - radius))
        image.append([min(max(value + random.uniform(-NOISE, NOISE), 0.0), 1.0) for value in colour])
        flow.append(moved.at(x, y))
        moved_map.append(cover(buildings, *moved.before(x, y)))
    return [value for channel in zip(*image) for value in channel], moved_map, [value for part in zip(*flow) for value in part]


@dataclasses.dataclass
class Pairs:
    """Images (n, 3, 32, 32), moved maps (n, 1, 32, 32) and flows (n, 2, 32, 32), in single precision."""
    images: Array
    maps: Array
    flows: Array

    def some(self, start, end):
        """Those of these numbers."""
        def cut(all_):
            size = len(all_.numbers) // all_.shape[0]
            return Array((end - start, *all_.shape[1:]), all_.numbers[start * size:end * size], all_.kind)
        return Pairs(cut(self.images), cut(self.maps), cut(self.flows))


def pairs(random, count):
    """So many pairs."""
    drawn = list(zip(*(draw(random) for _ in range(count))))
    return Pairs(*(floats(array("d", sum(numbers, [])), (count, channels, SIDE, SIDE)) for numbers, channels in zip(drawn, (3, 1, 2))))
