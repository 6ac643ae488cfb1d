"""Makes a program smaller while it still fails in the same way: blocks of lines go, biggest first, until none can."""


def block_end(lines, start):
    """After the line and whatever is indented under it."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    return end


def reduce_lines(lines, still_fails, most_tries=400):
    """`still_fails(lines)` says whether that is still the same failure."""
    lines = [line for line in lines if line.strip()]
    tries = 0
    while tries < most_tries:
        before = len(lines)
        at = len(lines) - 1
        while at >= 0 and tries < most_tries:
            at = min(at, len(lines) - 1)
            end = block_end(lines, at)
            shorter = lines[:at] + lines[end:]
            tries += 1
            if shorter and still_fails(shorter):
                lines = shorter
            at -= 1
        if len(lines) == before:
            return lines
    return lines
