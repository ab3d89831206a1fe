"""``repaired_jar`` makes a broker's jar whose channel closes a unit that came back."""

import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def repaired_jar(lib: Path, original: Path, jar: Path) -> Path:
    """Write *jar*, the classes of the load balancer in *original* with the repair; *lib* has its other jars."""
    classes, path = jar.with_suffix(".classes"), f"{lib}/*"
    sources = [str(HERE / name) for name in ("ReturnedUnit.java", "Repair.java")]
    subprocess.run(["javac", "-nowarn", "-proc:none", "-cp", path, "-d", str(classes), *sources], check=True)
    command = ["java", "-cp", f"{classes}:{path}", "Repair", str(original), str(jar), str(classes)]
    subprocess.run(command, check=True)
    return jar
