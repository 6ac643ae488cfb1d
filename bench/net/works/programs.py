"""Builds the programs of the works; null where a peer can't be had on this machine."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent
METEOR = Path(os.environ["METEOR"])


def succeeds(*command, cwd=None):
    command = [str(c) for c in command]
    return shutil.which(command[0]) is not None and subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def meteor(folder, source):
    program = folder / f"meteor-{Path(source).stem}"
    if subprocess.run([METEOR, "build", "-O2", SOURCES / source, "-o", program]).returncode:
        sys.exit(2)
    return program


def cxx(folder, source, *flags):
    compiler = next(c for c in ("clang++-19", "clang++", "g++") if shutil.which(c))
    program = folder / f"cxx-{Path(source).stem}"
    return program if succeeds(compiler, "-O2", "-std=c++20", "-o", program, SOURCES / source, *flags) else None


def go(folder, source):
    program = folder / f"go-{Path(source).stem}"
    return program if shutil.which("go") and succeeds("go", "build", "-o", program, SOURCES / source) else None


def tokio(name):
    """Needs Rust, and Tokio in cargo's cache or a network. What was built lies in the build folder for the next time."""
    if not shutil.which("cargo"):
        return None
    target = METEOR.resolve().parent.parent / "bench-net"
    shutil.copytree(SOURCES / "tokio", target, dirs_exist_ok=True)
    for more in (["--offline"], []):
        if succeeds("cargo", "build", "--release", "--bin", name, *more, cwd=target):
            return target / "target/release" / name
    return None


def bun():
    """On the path, or where `./x bench http` has put it."""
    fetched = METEOR.resolve().parent.parent / "bench-http/npm/node_modules/@oven/bun-linux-x64/bin/bun"
    program = shutil.which("bun") or str(fetched)
    return program if succeeds(program, "--version") else None
