"""Writing folders so that what is the same keeps its time, and nothing is built twice."""


def sync(home, wanted):
    """Makes `home` hold exactly `wanted` (name to bytes); what is the same keeps its time."""
    for path in sorted(home.rglob("*"), reverse=True) if home.exists() else ():
        name = path.relative_to(home).as_posix()
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif name not in wanted:
            path.unlink()
    for name, data in wanted.items():
        path = home / name
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
