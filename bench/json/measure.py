#!/usr/bin/env python3
"""A JSON document of 1 MB to classes and back: Meteor beside Go's encoding/json and Rust's serde_json, in processor time.

The document is always the same. Bars: decoding and encoding together three times as fast as Go, and within 1.3 times of serde_json. A language whose
compiler is not on the machine, or whose libraries can't be had, is left out.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
METEOR = os.environ["METEOR"]
SIZE = 1_000_000
ROUNDS = 100
PLACES = os.pathsep.join([os.environ["PATH"], str(Path.home() / ".cargo" / "bin"), "/usr/local/go/bin"])


def write_document(path):
    draw = random.Random(1)
    words = ["pen", "paper", "naïve", "tea", "two\nlines", "a \"quoted\" one", "chair", "lamp", "東京", "tab\there", "window", "keyboard"]
    orders, size = [], 0
    while size < SIZE:
        order = {"id": len(orders) + 1, "customer": f"{draw.choice(words)} {draw.randrange(10**6)}", "email": f"user{draw.randrange(10**6)}@example.com",
                 "city": draw.choice(["Rome", "København", "New York", "Springfield"]), "paid": draw.random() < 0.5, "total": round(draw.random() * 1000, 2),
                 "note": None if draw.random() < 0.5 else " ".join(draw.choices(words, k=6)), "tags": draw.choices(words, k=draw.randrange(4)),
                 "items": [{"sku": f"{draw.randrange(16**8):08x}", "count": draw.randrange(1, 20), "price": draw.random() * 100} for _ in range(draw.randrange(1, 4))]}
        orders.append(order)
        size += len(json.dumps(order, ensure_ascii=False, separators=(",", ":")).encode()) + 1
    path.write_text(json.dumps(orders, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def build_all(folder):
    """(name, command) of each that could be built."""
    subprocess.run([METEOR, "build", "-O3", HERE / "orders.met", "-o", folder / "meteor"], check=True)
    yield "Meteor", [folder / "meteor"]
    if go := shutil.which("go", path=PLACES):
        env = os.environ | {"GOMAXPROCS": "1", "GOFLAGS": "-mod=mod", "GO111MODULE": "off"}
        if subprocess.run([go, "build", "-o", folder / "go", HERE / "orders.go"], env=env).returncode == 0:
            yield "Go encoding/json", [folder / "go"]
    if cargo := shutil.which("cargo", path=PLACES):
        shutil.copytree(HERE / "serde", folder / "serde")
        built = subprocess.run([cargo, "build", "--release", "--quiet"], cwd=folder / "serde")
        if built.returncode == 0:
            yield "Rust serde_json", [folder / "serde" / "target" / "release" / "orders"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        document = folder / "orders.json"
        write_document(document)
        rows = {}
        for language, command in build_all(folder):
            best = None
            for _ in range(3):
                words = subprocess.run([*command, document, str(ROUNDS)], check=True, capture_output=True, text=True).stdout.split()
                times = [float(words[0]), float(words[1])]
                best = [min(pair) for pair in zip(times, best)] if best else times
            rows[language] = (*best, words[2])
    megabytes = SIZE / 1e6
    print(f"{'1 MB of orders':22} {'decode ms':>10} {'MB/s':>7} {'encode ms':>10} {'MB/s':>7}")
    for language, (decoding, encoding, _) in rows.items():
        print(f"{language:22} {decoding:10.2f} {megabytes / decoding * 1000:7.0f} {encoding:10.2f} {megabytes / encoding * 1000:7.0f}")
    if len({row[2] for row in rows.values()}) != 1:
        print("they did not see the same document")
        return 1
    failed = False
    meteor = sum(rows["Meteor"][:2])
    for language, factor, text in [("Go encoding/json", 1 / 3, "3 times ahead of"), ("Rust serde_json", 1.3, "within 1.3 times of")]:
        if language in rows:
            other = sum(rows[language][:2])
            met = meteor <= other * factor
            print(f"{'met' if met else 'NOT MET'}: {text} {language} (Meteor {meteor:.2f} ms, {language} {other:.2f} ms)")
            failed |= not met
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
