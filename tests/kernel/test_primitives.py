"""The words of rules mean the same in Python and in machine code."""

import math
import random
import struct

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ludwin import load, primitives
from ludwin.kernel.names import Floats, Ints
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import add, clear_lsb, draw, lsb, mix, mul, popcount, power, shl, shr, stream, uniform

LOWEST, HIGHEST = -(2**63), 2**63 - 1
EXTREMES = (
    0,
    1,
    -1,
    2,
    -2,
    63,
    64,
    65,
    2**31,
    -(2**31),
    2**32,
    2**62,
    -(2**62),
    HIGHEST,
    HIGHEST - 1,
    LOWEST,
    LOWEST + 1,
    0x5555555555555555,
)
SHIFTS = (*range(201), -1, -2, -63, -64, -65, -200, HIGHEST, LOWEST)

words = st.integers(LOWEST, HIGHEST) | st.sampled_from(EXTREMES)


# Kernel text: this is compiled as it stands, once, for any game.
def whole_numbers(args: Ints, out: Ints):
    x = args[0]
    y = args[1]
    out[0] = shl(x, y)
    out[1] = shr(x, y)
    out[2] = add(x, y)
    out[3] = mul(x, y)
    out[4] = popcount(x)
    out[5] = lsb(x)
    out[6] = clear_lsb(x)
    out[7] = mix(x, y)
    return 0


def draws(rng: Ints, n: int, out: Ints, reals: Floats):
    out[0] = draw(rng, n)
    reals[0] = uniform(rng)
    return 0


def powers(x: float, y: float, out: Floats):
    out[0] = power(x, y)
    out[1] = power(x, 2.0)  # LLVM knows pow(x, 2.0) = x * x, which rounds otherwise
    out[2] = power(x, 0.5)
    out[3] = power(x, -1.0)
    out[4] = power(x, 1.0)
    out[5] = power(x, 0.0)
    out[6] = power(x, 3.0)
    out[7] = power(x, 1.0 / 3.0)
    out[8] = power(2.0, y)
    out[9] = power(10.0, y)
    out[10] = power(x, 2)
    return 0


WHOLE_NUMBERS, DRAWS, POWERS = Kernel("whole_numbers", whole_numbers), Kernel("draws", draws), Kernel("powers", powers)


@pytest.fixture(scope="module", params=["checked", "fast"])
def compiled(request):
    """Return the compiled twin of one of the kernels above."""
    return lambda kernel: specialise(load("nim"), kernel, request.param)


def twin(run, x, y):
    args, out = run.ints(2), run.ints(8)
    args[0], args[1] = x, y
    run(args, out)
    return out.tolist()


def python_words(x, y):
    return [shl(x, y), shr(x, y), add(x, y), mul(x, y), popcount(x), lsb(x), clear_lsb(x), mix(x, y)]


def test_bits_and_wrapped_arithmetic_are_twins_at_the_extremes(compiled):
    run = compiled(WHOLE_NUMBERS)
    for x in EXTREMES:
        for y in (*EXTREMES, *SHIFTS):
            assert twin(run, x, y) == python_words(x, y), (x, y)


def test_bits_and_wrapped_arithmetic_are_twins_at_random(compiled):
    run, rng = compiled(WHOLE_NUMBERS), random.Random(0)
    for _ in range(2000):
        x, y = rng.getrandbits(64) + LOWEST, rng.getrandbits(rng.choice((6, 20, 64))) + LOWEST * rng.getrandbits(1)
        y = min(y, HIGHEST)
        assert twin(run, x, y) == python_words(x, y), (x, y)


@given(x=words, y=words)
@settings(deadline=None)
def test_plain_words_are_arithmetic_modulo_two_to_the_64(x, y):
    # Oracle: Python's own integers, reduced at the end.
    def congruent(value, true):
        return LOWEST <= value <= HIGHEST and (value - true) % 2**64 == 0

    assert congruent(shl(x, y), x * 2 ** (y % 64))
    assert congruent(shr(x, y), x % 2**64 // 2 ** (y % 64))
    assert congruent(add(x, y), x + y)
    assert congruent(mul(x, y), x * y)
    bits = [i for i in range(64) if x >> i & 1]
    assert popcount(x) == len(bits)
    assert lsb(x) == (bits[0] if bits else 64)
    assert congruent(clear_lsb(x), sum(1 << i for i in bits[1:]))
    assert 0 <= mix(x, y) < 2**63


def same_bits(left, right):
    return struct.pack("<d", left) == struct.pack("<d", right)


@pytest.mark.parametrize("mode", ["checked", "fast"])
@given(x=st.floats(1e-60, 1e60), y=st.floats(-4, 4))
@example(x=4.974187602077502, y=2.0)  # here the C library's pow(x, 2) and x * x differ
@settings(deadline=None, max_examples=300)
def test_power_is_one_text_to_the_last_bit_and_within_one_of_the_librarys(mode, x, y):
    run = specialise(load("nim"), POWERS, mode)
    out = run.floats(11)
    run(x, y, out)
    exponents = [
        (x, y),
        (x, 2.0),
        (x, 0.5),
        (x, -1.0),
        (x, 1.0),
        (x, 0.0),
        (x, 3.0),
        (x, 1.0 / 3.0),
        (2.0, y),
        (10.0, y),
        (x, 2),
    ]
    for value, (base, exponent) in zip(out, exponents, strict=True):
        library = math.pow(base, exponent)
        assert value in (library, math.nextafter(library, 0.0), math.nextafter(library, math.inf)), (base, exponent)
        assert same_bits(value, power(base, exponent)), (base, exponent)


def test_some_squares_tell_pow_from_multiplication():
    # The test above only means something if the shortcut would show.
    rng = random.Random(0)
    assert any(math.pow(x, 2.0) != x * x for x in (rng.uniform(1, 10) for _ in range(20_000)))


# The generator. Published outputs of splitmix64 for the seed 1234567 (Rosetta Code, "Pseudo-random
# numbers/Splitmix64"; S. Vigna's splitmix64.c gives the same). Our state is the seed itself.
SPLITMIX = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)


def test_draw_and_uniform_are_splitmix64():
    for word in (lambda rng: draw(rng, 2**64), lambda rng: int(uniform(rng) * 2**53)):
        rng = [1234567]
        got = [word(rng) for _ in SPLITMIX]
        assert got in (list(SPLITMIX), [z >> 11 for z in SPLITMIX])


def test_compiled_draw_and_uniform_are_splitmix64(compiled):
    run = compiled(DRAWS)
    rng, out, reals = run.ints(1), run.ints(1), run.floats(1)
    rng[0] = 1234567
    for first, second in zip(SPLITMIX[::2], (*SPLITMIX[1::2], None), strict=True):
        run(rng, 2**62, out, reals)
        assert out[0] == first >> 2
        assert second is None or reals[0] == (second >> 11) / 2**53


def test_draws_are_twins(compiled):
    run = compiled(DRAWS)
    rng, out, reals = run.ints(1), run.ints(1), run.floats(1)
    for seed in EXTREMES:
        for n in (1, 2, 3, 6, 52, 1000, 2**31, 2**32 + 1, 2**53 + 1, 2**62, HIGHEST):
            rng[0], plain = seed, [seed]
            for _ in range(3):
                run(rng, n, out, reals)
                number, real = draw(plain, n), uniform(plain)
                assert (rng.tolist(), out[0], reals[0]) == (plain, number, real), (seed, n)
                assert 0 <= number < n and 0.0 <= real < 1.0


@pytest.mark.parametrize("n", [0, -6])
def test_nothing_is_drawn_from_nothing(n):
    with pytest.raises(ValueError, match=f"at least 1, got {n}"):  # so `check` finds it; compiled code does not look
        draw([0], n)


# Uniformity. With true uniformity, chi-square exceeds these bounds once in a million experiments
# (upper quantiles of the chi-square distribution at 1e-6); the seeds are fixed, so it never flickers.
CHI_SQUARE = {1: 23.93, 2: 27.63, 5: 35.89, 6: 38.26, 35: 89.95, 51: 114.08}


def chi_square(values, cells):
    expected = len(values) / cells
    counts = [0] * cells
    for value in values:
        counts[value] += 1
    return sum((count - expected) ** 2 / expected for count in counts)


@pytest.mark.parametrize("n", [2, 3, 6, 7, 52])
def test_draw_is_uniform(n):
    rng = [20_140_607]
    assert chi_square([draw(rng, n) for _ in range(1000 * n)], n) < CHI_SQUARE[n - 1]


def test_successive_draws_are_independent():
    rng = [0]
    pairs = [6 * draw(rng, 6) + draw(rng, 6) for _ in range(36_000)]
    assert chi_square(pairs, 36) < CHI_SQUARE[35]


@pytest.mark.parametrize(
    "first",
    [lambda k: k, lambda k: stream(7, k), lambda k: stream(k, 7)],
    ids=["seeds", "games of a seed", "seeds of a game"],
)
def test_first_draws_of_neighbouring_streams_are_uniform_and_independent(first):
    assert chi_square([draw([first(k)], 6) for k in range(36_000)], 6) < CHI_SQUARE[5]
    pairs = [6 * draw([first(k)], 6) + draw([first(k + 1)], 6) for k in range(0, 72_000, 2)]
    assert chi_square(pairs, 36) < CHI_SQUARE[35]


def test_mix_tells_positions_apart():
    # Among 2**15 random keys of 63 bits the chance of any collision is about 2**29 / 2**63: none is expected.
    keys = {
        mix(mix(mix(0, a), b), c)
        for a in range(64)
        for b in range(-32, 32)
        for c in (-1, 0, 1, 2, 3, 2**62, HIGHEST, LOWEST)
    }
    assert len(keys) == 64 * 64 * 8


def test_every_word_has_a_compiled_twin():
    from ludwin.kernel.compiler.words import WORDS

    public = {
        name
        for name, value in vars(primitives).items()
        if not name.startswith("_") and getattr(value, "__module__", "ludwin.primitives") == "ludwin.primitives"
    }
    public -= {
        "math",
        "struct",
        "MutableSequence",
        "stream",
        "CHANCE",
    }  # streams are made elsewhere, CHANCE is a number
    assert public <= set(WORDS)
