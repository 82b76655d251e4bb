"""Building: CMake and Ninja, and the Python environment with its pinned requirements."""
