#!/usr/bin/env python3
"""Draws a GPU's benchmark record as SVG files beside its CSV files.

    tools/plot_bench.py bench/results/nvidia_h200

<file>_throughput.svg  items per second over n, both axes logarithmic: ours, CUB's, and a copy of the least bytes
                       that must move
<file>_ratio.svg       how many times faster than CUB, by type and n
<file>_cases.svg       the same for the rows that were measured at a few sizes only
"""

import argparse
import math
import pathlib
import sys
import textwrap
from html import escape

import bench_record

# One palette a scheme; a browser picks by prefers-color-scheme, also where a page shows the file as an image.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.panel { font-weight: 600; }
.note { font-size: 11px; fill: #59636e; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.page { fill: #ffffff; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.line { fill: none; stroke-width: 2; }
.ours { stroke: #0969da; }
.cub { stroke: #bc4c00; stroke-dasharray: 6 3; }
.copy { stroke: #818b98; stroke-dasharray: 2 3; }
.faster { fill: #0969da; }
.slower { fill: #bc4c00; }
.missing { fill: #818b98; fill-opacity: 0.12; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .note { fill: #9198a1; }
  .page { fill: #0d1117; }
  .grid { stroke: #3d444d; }
  .ours { stroke: #58a6ff; }
  .cub { stroke: #f0883e; }
  .copy { stroke: #9198a1; }
  .faster { fill: #388bfd; }
  .slower { fill: #db6d28; }
}
"""
LETTER, PANEL_LETTER, NOTE_LETTER = 7.2, 7.4, 6.4  # pixels that a letter takes on average, in a wide font
MAIN_SIZES = 5  # a series with at least so many sizes is a line of the throughput plot
TITLES = {"scan": "Scan", "partition": "Partition family", "radix_sort": "Radix sort", "top_k": "Top-k",
          "merge": "Merges and searches", "reduce": "Reductions", "clients": "Clients' keys",
          "calls": "Clients' calls", "pipelines": "Clients' pipelines", "adversary": "An adversary's keys",
          "distributed": "Arrays on several GPUs", "out_of_core": "Host arrays, beside the host's threads", "python": "Calls from Python"}


class Drawing:
    def __init__(self, width, height, title, caption):
        lines = textwrap.wrap(caption, int((width - 32) / NOTE_LETTER))
        self.width, self.height = width, height + 15 * (len(lines) - 1)
        self.parts = [f"<title>{escape(title)}</title>", f"<desc>{escape(caption)}</desc>", f"<style>{STYLE}</style>",
                      f'<rect class="page" width="{width}" height="{self.height}"/>']
        self.text(16, 26, title, "title")
        for place, line in enumerate(lines):
            self.text(16, height - 12 + 15 * place, line, "note")

    def text(self, x, y, text, style=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{style}">{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, style="grid"):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>')

    def path(self, points, style):
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{steps}" class="line {style}"/>')

    def cell(self, x, y, width, height, style, opacity, tip):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{style}" '
                          f'fill-opacity="{opacity:.2f}"><title>{escape(tip)}</title></rect>')

    def save(self, path):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" role="img">')
        path.write_text("\n".join([head, *self.parts, "</svg>"]) + "\n", encoding="utf-8")
        print(path)


def series_of(rows):
    """{(primitive, type, case, mode): rows by ascending n}"""
    series = {}
    for row in sorted(rows, key=lambda row: row.n):
        series.setdefault((row.primitive, row.type, row.case, row.mode), []).append(row)
    return series


def power_text(n):
    digits = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    terms = []
    for term in bench_record.size_name(n).split("-"):
        base, _, power = term.partition("^")
        terms.append(base + power.translate(digits))
    return "−".join(terms)


# ---- throughput over n ---------------------------------------------------------------------------------

PLOT_WIDTH, PANEL_WIDTH, PANEL_HEIGHT = 900, 300, 190
INNER = {"left": 44, "top": 26, "right": 12, "bottom": 24}


def axis_of(least, greatest):
    """The ends of a logarithmic axis, each 1, 2 or 5 × a power of ten, and its ticks: the powers of ten, with 2 and 5 times
    them where fewer than three powers are on the axis."""
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(greatest)) + 2)
    steps = [float(f"{step}e{power}") for power in powers for step in (1, 2, 5)]
    low = max(step for step in steps if step <= least)
    high = min(step for step in steps if step >= greatest and step > low)
    steps = [step for step in steps if low <= step <= high]
    decades = [step for step in steps if f"{step:e}".startswith("1.")]
    return low, high, decades if len(decades) > 2 else steps


def draw_panel(drawing, left, top, width, name, rows):
    x0, x1 = left + INNER["left"], left + width - INNER["right"]
    y0, y1 = top + PANEL_HEIGHT - INNER["bottom"], top + INNER["top"]
    low, high = math.log2(rows[0].n), math.log2(rows[-1].n)
    # In thousand million items a second.
    curves = {style: [(row.n, row.n / getattr(row, field) / 1000) for row in rows]
              for style, field in (("copy", "copy_us"), ("cub", "cub_us"), ("ours", "ours_us"))}
    rates = [rate for points in curves.values() for _, rate in points]
    bottom, end, ticks = axis_of(min(rates), max(rates))

    def x_of(n):
        return x0 + (math.log2(n) - low) / max(high - low, 1) * (x1 - x0)

    def y_of(rate):
        return y0 - math.log(rate / bottom) / math.log(end / bottom) * (y0 - y1)

    drawing.text(left + INNER["left"], top + 16, name, "panel")
    drawing.line(x0, y0, x1, y0)
    for tick in ticks:
        drawing.line(x0, y_of(tick), x1, y_of(tick))
        drawing.text(x0 - 6, y_of(tick) + 4, f"{tick:g}", "note end")
    for bits in range(math.ceil(low), math.floor(high) + 1):
        if bits % 4 == 2:
            drawing.text(x_of(2 ** bits), y0 + 15, power_text(2 ** bits), "note middle")
    for style, points in curves.items():
        drawing.path([(x_of(n), y_of(rate)) for n, rate in points], style)


def draw_throughput(rows, title, caption, path):
    rows = [row for row in rows if row.copy_us is not None]
    series = {key: rows for key, rows in series_of(rows).items() if key[3] == "eager" and len(rows) >= MAIN_SIZES}
    if not series:
        return
    names = {key: " ".join(key[:3]) for key in series}
    columns = max(1, PLOT_WIDTH // max(PANEL_WIDTH, INNER["left"] + math.ceil(PANEL_LETTER * max(map(len, names.values())))))
    width, lines = PLOT_WIDTH // columns, -(-len(series) // columns)
    drawing = Drawing(PLOT_WIDTH + 24, lines * PANEL_HEIGHT + 92, f"{title}: 10⁹ items per second over n", caption)
    for place, (style, name) in enumerate((("ours", "kogge"), ("cub", bench_record.rival(rows)), ("copy", "copy of the least bytes"))):
        x = 16 + 110 * place
        drawing.line(x, 45, x + 28, 45, f"line {style}")
        drawing.text(x + 34, 49, name)
    for place, (key, points) in enumerate(series.items()):
        left, top = 8 + place % columns * width, 58 + place // columns * PANEL_HEIGHT
        draw_panel(drawing, left, top, width, names[key], points)
    drawing.save(path)


# ---- ratios by type and n ------------------------------------------------------------------------------

CELL_WIDTH, CELL_HEIGHT = 58, 22


def opacity_of(ratio):
    """Twice as fast, or half as fast, is the full colour."""
    return 0.08 + 0.72 * min(abs(math.log2(ratio)), 1.0)


def draw_ratios(series, title, caption, path):
    if not series:
        return
    rival = bench_record.rival([row for rows in series.values() for row in rows])
    sizes = sorted({row.n for rows in series.values() for row in rows})
    names_width = 26 + math.ceil(LETTER * max(len(" ".join(key)) for key in series))
    drawing = Drawing(max(names_width + CELL_WIDTH * len(sizes) + 24, 760), 84 + CELL_HEIGHT * len(series) + 30,
                      f"{title}: times faster than {rival}", caption)
    for column, n in enumerate(sizes):
        drawing.text(names_width + (column + 0.5) * CELL_WIDTH, 62, power_text(n), "note middle")
    for line, (key, rows) in enumerate(series.items()):
        y = 70 + line * CELL_HEIGHT
        drawing.text(names_width - 10, y + 15, " ".join(key), "end")
        by_size = {row.n: row for row in rows}
        for column, n in enumerate(sizes):
            x, row = names_width + column * CELL_WIDTH, by_size.get(n)
            if row is None:
                drawing.cell(x, y, CELL_WIDTH - 2, CELL_HEIGHT - 2, "missing", 0.12, "not measured")
                continue
            style = "faster" if row.ratio >= 1 else "slower"
            others = ([(bench_record.LIBRARIES[name], time) for name, time in row.rivals.items()] or
                      [(rival, row.cub_us), ("copy", row.copy_us)])
            tip = f"{row.ours_us:.1f} µs, " + ", ".join(f"{name} {time:.1f} µs" for name, time in others)
            drawing.cell(x, y, CELL_WIDTH - 2, CELL_HEIGHT - 2, style, opacity_of(row.ratio), tip)
            drawing.text(x + CELL_WIDTH / 2 - 1, y + 15, f"{row.ratio:.2f}" if row.checked else "wrong", "middle")
    drawing.save(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="the GPU's folder under bench/results")
    folder = parser.parse_args().folder
    for file in bench_record.files_of(folder):
        name, rows = file.stem, bench_record.read(file)
        if not rows:
            bench_record.fail(f"{file}: holds no rows")
        caption, title = bench_record.setting_line(rows), TITLES[name]
        draw_throughput(rows, title, caption, folder / f"{name}_throughput.svg")
        series = series_of(rows)
        wide = {key: rows for key, rows in series.items() if len(rows) >= MAIN_SIZES}
        few = {key: rows for key, rows in series.items() if key not in wide}
        draw_ratios(wide, title, caption, folder / f"{name}_ratio.svg")
        draw_ratios(few, title, caption, folder / f"{name}_cases.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
