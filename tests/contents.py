"""What was built has all that it should, and nothing else: `python -m contents dist`."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parent.parent


def kept() -> set[str]:
    """Return the files of the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return {name for name in run.stdout.split("\0") if name and (ROOT / name).exists()}


def of_wheel(path: Path) -> set[str]:
    """Return the files of a wheel, without its metadata."""
    return {name for name in ZipFile(path).namelist() if ".dist-info/" not in name}


def of_sdist(path: Path) -> set[str]:
    """Return the files of an sdist, without the folder that they are in."""
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def complaints(wheel: set[str], sdist: set[str], files: set[str]) -> list[str]:
    """Compare both with the repository: a wheel is the library, an sdist all but the pipeline."""
    library = {name.removeprefix("src/") for name in files if name.startswith("src/")}
    source = {name for name in files if not name.startswith(".ci/")} | {"PKG-INFO"}
    pairs = {"the wheel": (wheel, library), "the sdist": (sdist, source)}
    return [
        f"{archive} {verb} {name}"
        for archive, (found, wanted) in pairs.items()
        for verb, names in (("lacks", wanted - found), ("should not have", found - wanted))
        for name in sorted(names)
    ]


def main(folder: Path) -> str:
    """Return what is wrong, or nothing."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    for path in (wheel, sdist):
        sys.stdout.write(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB\n")
    return "\n".join(complaints(of_wheel(wheel), of_sdist(sdist), kept()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) or 0)
