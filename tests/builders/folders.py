"""Folders of files, and modules in files that are no part of a package."""

from importlib.util import module_from_spec, spec_from_file_location


def write_files(folder, files):
    """Write *files*, content by path as text or bytes, with the folders that they need; return the folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def load_script(path):
    """Import the file *path*, with what it imports; return the module."""
    spec = spec_from_file_location(path.stem, path)
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    return script
