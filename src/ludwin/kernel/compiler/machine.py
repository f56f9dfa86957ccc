"""LLVM: from the text of a module to optimised machine code.

Why it is here.  This is the only file that imports llvmlite for rules and searches, and only when something must be
compiled.  Everything but the door is internal, so one run of the optimiser sees all.  One level of processor for
all (x86-64-v2, or any aarch64), so that a cache can be shared by the machines of a cluster; no operation is fused,
reordered or left to fast arithmetic.
"""

from functools import lru_cache
from typing import Any

LEVELS = {"x86_64": "x86-64-v2", "aarch64": "generic", "arm64": "generic"}


@lru_cache(maxsize=None)
def machine(triple: str | None = None) -> Any:
    """Return LLVM's description of the processor to compile for: this one, or that of another triple."""
    import llvmlite.binding as llvm

    if triple is None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        triple = llvm.get_process_triple()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    cpu = LEVELS.get(triple.partition("-")[0], "")
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features="", opt=3, reloc="pic", codemodel="small")


def optimised(text: str, triple: str | None = None) -> Any:
    """Return the module behind a text, optimised once as a whole."""
    import llvmlite.binding as llvm

    made = machine(triple)
    module = llvm.parse_assembly(text)
    module.triple = made.triple
    module.data_layout = str(made.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    # Loops over moves are short: vectorised ones cost max^n on Li's nim 23 %, and gain nothing anywhere
    # (docs/results/compiler.md).
    options.loop_vectorization = False
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(made, options)
    builder.getModulePassManager().run(module, builder)
    return module


def object_code(text: str, triple: str | None = None) -> bytes:
    """Return the object file of a module."""
    found: bytes = machine(triple).emit_object(optimised(text, triple))
    return found


def assembly(text: str, triple: str | None = None) -> str:
    """Return the optimised machine code as people read it."""
    found: str = machine(triple).emit_assembly(optimised(text, triple))
    return found
