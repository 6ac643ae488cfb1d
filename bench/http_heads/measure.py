"""Heads of HTTP/1 requests: the runtime's reader beside llhttp, in speed and in what they take (docs/decisions/http_parser.md).

llhttp's sources come from Debian's package node-llhttp: those that are installed, or taken from the package, which is only downloaded.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARY = Path(os.environ["METEOR"]).resolve().parent.parent / "lib/libmeteor_rt.a"


def sources(folder):
    if Path("/usr/share/llhttp/llhttp.c").exists():
        return Path("/usr/share")
    found = subprocess.run(["apt-get", "download", "node-llhttp"], cwd=folder, capture_output=True, text=True)
    packages = list(Path(folder).glob("node-llhttp*.deb"))
    if not packages:
        raise SystemExit(f"x bench http_heads: the package node-llhttp can't be had: {found.stderr.strip()}")
    subprocess.run(["dpkg", "-x", packages[0], folder], check=True)
    return Path(folder) / "usr/share"


def main():
    with tempfile.TemporaryDirectory(prefix="meteor-heads-") as folder:
        share = sources(folder)
        include = f"-I{share}/include/llhttp"
        objects = []
        for name in ("llhttp", "api", "http"):
            objects.append(f"{folder}/{name}.o")
            subprocess.run(["clang-19", "-O2", "-w", include, "-c", share / f"llhttp/{name}.c", "-o", objects[-1]], check=True)
        program = f"{folder}/heads"
        subprocess.run(["clang++-19", "-std=c++20", "-O2", include, f"-I{ROOT}", HERE / "heads.cpp", *objects, LIBRARY, "-lpthread", "-lm", "-o", program], check=True)
        return subprocess.run([program, *sys.argv[1:]]).returncode


if __name__ == "__main__":
    sys.exit(main())
