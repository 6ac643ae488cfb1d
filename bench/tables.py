"""How the benchmarks show nanoseconds: numbers, and tables of them with a line below the first row."""


def shown(value):
    if value is None:
        return "–"
    if value < 10:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for index, row in enumerate(rows):
        print("  ".join(text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in enumerate(zip(row, widths))).rstrip())
        if index == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))
