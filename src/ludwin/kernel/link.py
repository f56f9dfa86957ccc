"""From an object file to an image: every distance inside is written down, every address left for the loader.

Why it is here.  LLVM gives a relocatable object: sections, and a list of places whose contents depend on where the
sections come to lie.  A linker would do the rest, but few machines have one, and our case is small: one optimised
module, position-independent, that calls a handful of functions of the C library.  So the sections are laid out here,
code and constants first, tables of addresses behind them; a call out of the image becomes a call to a stub that jumps
through a slot.  Whatever is not understood is refused: code with a place left unfilled would run, and do anything.

References.  System V ABI, AMD64 supplement (relocation types); ELF for the Arm 64-bit Architecture (AAELF64).
"""

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from ludwin.kernel.image import ALLOWED, LoadedCode, address_of, data_offset

PAGE = 4096  # the loader's memory begins at a multiple of this

X86_64, AARCH64 = 62, 183  # e_machine
PROGBITS, SYMTAB, RELA, NOBITS, REL, UNWIND = 1, 2, 4, 8, 9, 0x70000001  # sh_type
WRITE, ALLOC, EXECUTE = 1, 2, 4  # sh_flags
HARMLESS = WRITE | ALLOC | EXECUTE | 0x10 | 0x20 | 0x40 | 0x200  # merge, strings, info link, group: nothing to do
FUNCTION, SECTION_SYMBOL, NO_TYPE, OBJECT = 2, 3, 0, 1  # st_info & 15
IGNORED = (".eh_frame", ".note")  # for debuggers and stack unwinding, of which there is none here


class CannotLink(ValueError):
    """An object holds something that an image cannot."""


class Section(NamedTuple):
    """A section header of ELF."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    item: int


class ImagePlace(NamedTuple):
    """A place in the image: in the fixed part or in the data, so many bytes from its beginning."""

    in_data: bool
    offset: int


class Relocation(NamedTuple):
    """A place to fill: with what (a place, or a name outside), how, and a number to add."""

    place: ImagePlace
    kind: int
    target: ImagePlace | str
    add: int


def link(obj: bytes, entry: str) -> tuple[dict[str, Any], bytes, bytes]:
    """Return entry, bases and imports for an image's index, its fixed part, and its data.

    The object must be of one module emitted with `reloc="pic", codemodel="small"` for Linux on x86-64 or aarch64,
    whatever machine this is. Raises CannotLink if it holds anything else.
    """
    try:
        return _Link(_Object(obj)).finish(entry)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise CannotLink(f"the object file is damaged: {error}") from None


class _Object:
    """An object file, read: its sections, symbols, and texts."""

    def __init__(self, obj: bytes):
        _demand(obj[:7] == b"\x7fELF\x02\x01\x01", "it is not a 64-bit little-endian ELF object")
        kind, self.machine = struct.unpack_from("<HH", obj, 16)
        _demand(kind == 1, "it is not relocatable")
        _demand(self.machine in (X86_64, AARCH64), f"it is for machine {self.machine}, neither x86-64 nor aarch64")
        self.bytes = obj
        (start,) = struct.unpack_from("<Q", obj, 0x28)
        size, count, names = struct.unpack_from("<HHH", obj, 0x3A)
        _demand(size == 64 and count > 0, "it has no table of sections")
        self.sections = [Section(*struct.unpack_from("<IIQQQQIIQQ", obj, start + 64 * i)) for i in range(count)]
        self.names = [self.text(self.sections[names], section.name) for section in self.sections]
        tables = [section for section in self.sections if section.kind == SYMTAB]
        _demand(len(tables) == 1, "it has not one table of symbols")
        content, strings = self.content(tables[0]), self.sections[tables[0].link]
        _demand(len(content) % 24 == 0, "its table of symbols is cut off")
        self.symbols = list(struct.iter_unpack("<IBBHQQ", content))  # name, info, other, section, value, size
        self.symbol_names = [self.text(strings, symbol[0]) for symbol in self.symbols]

    def content(self, section: Section) -> bytes:
        """Return the bytes of a section."""
        found = self.bytes[section.offset : section.offset + section.size]
        _demand(section.kind != NOBITS and len(found) == section.size, "a section reaches beyond its end")
        return found

    def text(self, table: Section, at: int) -> str:
        """Return a text of a table of texts."""
        content = self.content(table)
        end = content.find(b"\0", at)
        _demand(at < table.size and end >= 0, "a name is outside of its table")
        return content[at:end].decode("utf8")


class _Link:
    """The image under construction."""

    def __init__(self, obj: _Object):
        self.object = obj
        self.fixed, self.data = bytearray(), bytearray()
        self.places: dict[int, ImagePlace] = {}  # section -> where it begins
        self.slots: dict[ImagePlace | str, ImagePlace] = {}  # what a slot holds the address of -> the slot
        self.stubs: dict[str, ImagePlace] = {}  # function -> code that jumps to it
        self.bases: dict[int, int] = {}
        self.imports: dict[int, str] = {}

    def finish(self, entry: str) -> tuple[dict[str, Any], bytes, bytes]:
        # Step 1. Sections that are needed when the code runs, in the object's order.
        for number, section in enumerate(self.object.sections):
            if section.flags & ALLOC and section.size and not self.object.names[number].startswith(IGNORED):
                self.places[number] = self._add(number, section)
        # Step 2. Slots and stubs, behind all sections; then nothing moves any more.
        relocations = self._relocations()
        x86 = self.object.machine == X86_64
        through_slot = X86_SLOT if x86 else ARM_SLOT
        for relocation in relocations:
            if relocation.kind in through_slot:
                self._slot(relocation.target)
            elif isinstance(relocation.target, str) and relocation.kind != (X86_ADDRESS if x86 else ARM_ADDRESS):
                self._stub(relocation.target)
        # Step 3. Distances and addresses.
        for slot_of, slot in self.slots.items():
            self._address(slot, slot_of)
        for relocation in relocations:
            (self._fill_x86 if x86 else self._fill_arm)(relocation)
        for name, stub in self.stubs.items():
            (self._write_stub_x86 if x86 else self._write_stub_arm)(stub, self.slots[name])
        index = {
            "entry": self._entry(entry),
            "bases": [[place, to] for place, to in sorted(self.bases.items())],
            "imports": [[place, name] for place, name in sorted(self.imports.items())],
        }
        return index, bytes(self.fixed), bytes(self.data)

    # Laying out.

    def _add(self, number: int, section: Section) -> ImagePlace:
        name = self.object.names[number]
        _demand(not section.flags & ~HARMLESS, f"section {name} has flags {section.flags:#x}")
        writable = bool(section.flags & WRITE)
        # Data is filled by the loader and then protected, which suits tables of addresses and no other variable.
        _demand(not writable or name.startswith(".data.rel.ro"), f"section {name} is for variables, which code changes")
        _demand(not (writable and section.flags & EXECUTE), f"section {name} is writable and executable")
        _demand(section.kind == PROGBITS, f"section {name} is of kind {section.kind:#x}")
        align = max(section.align, 1)
        _demand(align <= PAGE and align & (align - 1) == 0, f"section {name} must lie at a multiple of {align}")
        part = self.data if writable else self.fixed
        part += bytes(-len(part) % align)
        place = ImagePlace(writable, len(part))
        part += self.object.content(section)
        return place

    def _relocations(self) -> list[Relocation]:
        found = []
        for section in self.object.sections:
            if section.kind not in (REL, RELA) or section.info not in self.places:
                continue
            _demand(section.kind == RELA, "it has relocations without addends")
            content = self.object.content(section)
            _demand(len(content) % 24 == 0, "its table of relocations is cut off")
            begin, size = self.places[section.info], self.object.sections[section.info].size
            for offset, info, add in struct.iter_unpack("<QQq", content):
                _demand(offset < size, "a relocation is outside of its section")
                if info & 0xFFFFFFFF == 0:
                    continue  # R_*_NONE
                place = ImagePlace(begin.in_data, begin.offset + offset)
                found.append(Relocation(place, info & 0xFFFFFFFF, self._target(info >> 32), add))
        return found

    def _target(self, number: int) -> ImagePlace | str:
        """Return what a symbol means: a place in the image, or a function of the C library by name."""
        _, info, _, section, value, _ = self.object.symbols[number]
        name = self.object.symbol_names[number]
        if section == 0:
            _demand(name in ALLOWED, f"compiled code calls {name or 'nothing'}, which an image may not")
            return name
        _demand(section in self.places, f"symbol {name or number} is in no section that is kept")
        _demand(info & 15 in (NO_TYPE, OBJECT, FUNCTION, SECTION_SYMBOL), f"symbol {name} is of kind {info & 15}")
        begin = self.places[section]
        _demand(value <= self.object.sections[section].size, f"symbol {name} is outside of its section")
        return ImagePlace(begin.in_data, begin.offset + value)

    def _slot(self, target: ImagePlace | str) -> ImagePlace:
        if target not in self.slots:
            self.data += bytes(-len(self.data) % 8)
            self.slots[target] = ImagePlace(True, len(self.data))
            self.data += bytes(8)
        return self.slots[target]

    def _stub(self, name: str) -> None:
        if name not in self.stubs:
            self._slot(name)
            self.fixed += bytes(-len(self.fixed) % 16)
            self.stubs[name] = ImagePlace(False, len(self.fixed))
            self.fixed += bytes(16)

    def _entry(self, name: str) -> int:
        for number, symbol in enumerate(self.object.symbols):
            if self.object.symbol_names[number] == name and symbol[3] in self.places:
                section = self.object.sections[symbol[3]]
                _demand(bool(section.flags & EXECUTE) and symbol[1] & 15 == FUNCTION, f"{name} is no function")
                _demand(symbol[4] < section.size, f"{name} is outside of its section")
                found = self._flat(self.places[symbol[3]]) + int(symbol[4])
                _demand(self.object.machine == X86_64 or found % 4 == 0, f"{name} is between two instructions")
                return found
        raise CannotLink(f"the object file cannot be used: it has no function {name}")

    # Filling in.

    def _flat(self, place: ImagePlace) -> int:
        """Return where a place is in memory, counted from the image's beginning."""
        return place.offset + (data_offset(len(self.fixed)) if place.in_data else 0)

    def _meant(self, relocation: Relocation) -> int:
        """Return where a relocation's target is; for a function outside, its stub."""
        target = relocation.target
        return self._flat(self.stubs[target] if isinstance(target, str) else target)

    def _put(self, place: ImagePlace, form: str, value: int) -> None:
        part = self.data if place.in_data else self.fixed
        size = 8 * struct.calcsize(form)
        _demand(-(1 << (size - 1)) <= value < 1 << (size - 1), "a distance is too long")
        struct.pack_into(form, part, place.offset, value)

    def _address(self, place: ImagePlace, target: ImagePlace | str, add: int = 0) -> None:
        """Leave an address to the loader."""
        _demand(place.in_data, "there is an address in the middle of code or constants")
        where = self._flat(place)
        _demand(where % 8 == 0 and place.offset + 8 <= len(self.data), "an address is not at a multiple of 8")
        _demand(where not in self.bases and where not in self.imports, "an address is given twice")
        self._put(place, "<q", 0)
        if isinstance(target, str):
            _demand(add == 0, f"there is an address in the middle of {target}")
            self.imports[where] = target
        else:
            limit = len(self.data if target.in_data else self.fixed)
            _demand(0 <= target.offset + add <= limit, "an address is outside of the image")
            self.bases[where] = self._flat(target) + add

    def _fill_x86(self, relocation: Relocation) -> None:
        place, kind, target, add = relocation
        here = self._flat(place)
        if kind == X86_ADDRESS:
            self._address(place, target, add)
        elif kind in X86_SLOT:
            self._put(place, "<i", self._flat(self.slots[target]) + add - here)
        elif kind in X86_DISTANCE:
            self._put(place, X86_DISTANCE[kind], self._meant(relocation) + add - here)
        else:
            raise CannotLink(f"the object file cannot be used: x86-64 relocation {kind} is unknown")

    def _write_stub_x86(self, stub: ImagePlace, slot: ImagePlace) -> None:
        code = b"\xff\x25" + struct.pack("<i", self._flat(slot) - self._flat(stub) - 6)  # jmp [rip + …]
        self.fixed[stub.offset : stub.offset + 16] = code.ljust(16, b"\xcc")

    def _fill_arm(self, relocation: Relocation) -> None:
        place, kind, target, add = relocation
        here = self._flat(place)
        if kind == ARM_ADDRESS:
            self._address(place, target, add)
        elif kind in ARM_DISTANCE:
            self._put(place, ARM_DISTANCE[kind], self._meant(relocation) + add - here)
        elif kind in ARM_BITS:
            _demand(kind not in ARM_SLOT or add == 0, "there is an offset to a slot")
            to = self._flat(self.slots[target]) if kind in ARM_SLOT else self._meant(relocation) + add
            self._instruct(place, ARM_BITS[kind], to)
        else:
            raise CannotLink(f"the object file cannot be used: aarch64 relocation {kind} is unknown")

    def _instruct(self, place: ImagePlace, change: Callable[[int, int, int], int], to: int) -> None:
        """Write a distance into the bits of an instruction that are left for it."""
        _demand(not place.in_data and place.offset % 4 == 0, "there is an instruction where none can be")
        (word,) = struct.unpack_from("<I", self.fixed, place.offset)
        struct.pack_into("<I", self.fixed, place.offset, change(word, self._flat(place), to))

    def _write_stub_arm(self, stub: ImagePlace, slot: ImagePlace) -> None:
        here, to = self._flat(stub), self._flat(slot)
        # adrp x16, slot; ldr x16, [x16, slot]; br x16; and brk, which is never reached
        words = _page(0x90000010, here, to), _low(8)(0xF9400210, here + 4, to), 0xD61F0200, 0xD4200000
        self.fixed[stub.offset : stub.offset + 16] = struct.pack("<4I", *words)


# How aarch64 instructions hold a distance: (instruction, its place, target) -> instruction.


def _branch(word: int, here: int, to: int) -> int:
    distance = to - here
    _demand(distance % 4 == 0 and -(1 << 27) <= distance < 1 << 27, "a call is too far")
    return word & ~0x3FFFFFF | distance >> 2 & 0x3FFFFFF


def _page(word: int, here: int, to: int) -> int:
    pages = (to >> 12) - (here >> 12)  # true in memory, too, since the image begins at a page
    _demand(-(1 << 20) <= pages < 1 << 20, "a page is too far")
    return word & ~0x60FFFFE0 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5


def _low(size: int) -> Callable[[int, int, int], int]:
    """Return how the low twelve bits go into an instruction that counts in items of a size."""

    def change(word: int, here: int, to: int) -> int:
        low = to & 0xFFF
        _demand(low % size == 0, f"{size} bytes are not at a multiple of {size}")
        return word & ~0x3FFC00 | low // size << 10

    return change


X86_ADDRESS = 1
X86_SLOT = {9, 41, 42}  # GOTPCREL, GOTPCRELX, REX_GOTPCRELX
X86_DISTANCE = {2: "<i", 4: "<i", 24: "<q"}  # PC32, PLT32, PC64
ARM_ADDRESS = 257
ARM_SLOT = {311, 312}  # ADR_GOT_PAGE, LD64_GOT_LO12_NC
ARM_DISTANCE = {260: "<q", 261: "<i"}  # PREL64, PREL32
ARM_BITS: dict[int, Callable[[int, int, int], int]] = {
    275: _page,  # ADR_PREL_PG_HI21
    277: _low(1),  # ADD_ABS_LO12_NC
    278: _low(1),  # LDST8_ABS_LO12_NC
    282: _branch,  # JUMP26
    283: _branch,  # CALL26
    284: _low(2),  # LDST16_ABS_LO12_NC
    285: _low(4),
    286: _low(8),
    299: _low(16),
    311: _page,
    312: _low(8),
}


def _demand(condition: bool, reason: str) -> None:
    if not condition:
        raise CannotLink(f"the object file cannot be used: {reason}")


# Where the own loader does not know the machine, LLVM's does the same.


def load_object(obj: bytes, entry: str, index: dict[str, Any]) -> LoadedCode:
    """Let LLVM put an object file of this machine into memory; return what `ludwin.kernel.image.load` would.

    `index` needs signature, rows, result and checked. Which functions the object calls is examined here only if it is
    an ELF file; elsewhere that is the compiler's duty.
    """
    import llvmlite.binding as llvm

    if obj[:4] == b"\x7fELF":
        _examine_calls(_Object(obj))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in sorted(ALLOWED):
        try:
            llvm.add_symbol(name, address_of(name))
        except OSError:  # then LLVM complains if it is needed
            continue
    machine = llvm.Target.from_default_triple().create_target_machine(reloc="pic", codemodel="small")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(obj))
    engine.finalize_object()
    address = engine.get_function_address(entry)
    _demand(bool(address), f"it has no function {entry}")
    return LoadedCode(index, address, engine)


def _examine_calls(obj: _Object) -> None:
    for (_, _, _, section, _, _), name in zip(obj.symbols, obj.symbol_names, strict=True):
        _demand(section != 0 or not name or name in ALLOWED, f"compiled code calls {name}, which an image may not")
