"""Spack's recipe: a repository's packages/streamcheck/package.py. The steps are those of docs/user/install.md."""
import os

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class Streamcheck(CMakePackage):
    """Correctness checker and race detector for asynchronous CUDA."""

    # There is no public release, and so no URL: `spack dev-build -d CHECKOUT streamcheck@main` builds a checkout.
    license("Apache-2.0", checked_by="streamcheck")

    version("main")

    requires("platform=linux target=x86_64:")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("npm", type="build")
    depends_on("cuda@13.5:", type="build")
    depends_on("elfutils")
    depends_on("zstd libs=shared,static")
    depends_on("lz4 libs=shared,static")
    depends_on("uthash", type="build")

    generator("ninja")
    build_targets = ["tool"]

    def cmake_args(self):
        # D3 is no package of Spack's.
        which("npm", required=True)("install", "--no-save", "--prefix", self.build_directory, "d3@5.16.0")
        return [
            self.define("SC_TESTS", False),
            self.define("SC_D3_DIR", os.path.join(self.build_directory, "node_modules")),
        ]
