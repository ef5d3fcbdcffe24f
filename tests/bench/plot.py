"""A plot of CPU and memory over the number of lines, both axes by powers of ten, as SVG."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Final, NamedTuple

WIDTH: Final = 720
HEIGHT: Final = 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 180, 30, 50


class Curve(NamedTuple):
    """One curve: its name, its colour, and its points, all numbers above 0."""

    name: str
    colour: str
    points: Sequence[tuple[float, float]]


def plotted(title: str, across: str, curves: Sequence[Curve]) -> str:
    """Draw curves; returns the picture.

    Args:
        title: Above the plot.
        across: What the horizontal axis counts.
        curves: One or more, each with its last value written beside its end.
    """
    xs, ys = ([log10(point[axis]) for curve in curves for point in curve.points] for axis in (0, 1))
    left, right, low, high = floor(min(xs)), ceil(max(xs)), floor(min(ys)), ceil(max(ys))

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + (log10(x) - left) / (right - left) * (WIDTH - _LEFT - _RIGHT),
            HEIGHT - _BOTTOM - (log10(y) - low) / (high - low) * (HEIGHT - _TOP - _BOTTOM),
        )

    parts = [f'<text x="{_LEFT}" y="18" font-weight="bold">{title}</text>']
    for power in range(left, right + 1):
        x, bottom = at(10**power, 10**low)
        parts.append(f'<path d="M{x:.1f},{_TOP}V{bottom:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18:.1f}" text-anchor="middle">{10**power:,}</text>')
    for power in range(low, high + 1):
        x, y = at(10**left, 10**power)
        parts.append(f'<path d="M{x:.1f},{y:.1f}H{WIDTH - _RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:,g}</text>')
    parts.append(f'<text x="{_LEFT}" y="{HEIGHT - 10}">{across}</text>')
    for curve in curves:
        points = [at(*point) for point in curve.points]
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{curve.colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{curve.colour}"/>' for x, y in points]
        end_x, end_y = points[-1]
        parts.append(
            f'<text x="{end_x + 8:.1f}" y="{end_y + 4:.1f}" fill="{curve.colour}">'
            f"{curve.name}: {curve.points[-1][1]:,.3g}</text>"
        )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
    return "\n".join([f'{head} font-size="12">', '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>\n"])
