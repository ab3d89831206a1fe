"""``Layout`` packs a state into words for C: where each slot lies, and the code that packs, opens and squeezes it."""

from collections.abc import Iterator

from oneowner.checkers.engines.compile.program import Place

WORD = 64
"""Bits of a word."""


def bits(place: Place) -> int:
    """Return how many bits a slot needs."""
    return (place.size - 1).bit_length()


class Layout:
    """
    The place of every slot: a byte of the open form ``s``, and some bits of the packed form ``p``.

    Eight slots of about the same width make a group. Their bytes lie side by side, and each has its bits at the same
    place of another byte of one packed word, so that a shift and a mask open the whole group. Slots that can only
    have one value are nowhere.
    """

    def __init__(self, places: tuple[Place, ...]) -> None:
        order = sorted((slot for slot, place in enumerate(places) if bits(place)), key=lambda slot: -bits(places[slot]))
        self.index = {slot: at for at, slot in enumerate(order)}
        """The byte of each slot in the open form."""
        self.groups: list[tuple[int, int, int]] = []
        """Of every group: the word, the first bit in each of its bytes, the number of bits there."""
        self.words = 0
        used: list[int] = []
        for first in range(0, len(order), 8):
            width = bits(places[order[first]])
            word = next((word for word, taken in enumerate(used) if taken + width <= 8), len(used))
            used += [0] * (word + 1 - len(used))
            self.groups.append((word, used[word], width))
            used[word] += width
        self.words = max(len(used), 1)
        self.widths = {slot: bits(places[slot]) for slot in order}
        """The number of bits of each slot; the slots of a group all get as many as the first needs."""

    @property
    def size(self) -> int:
        """The number of bits that a state needs, which can be fewer than those of its words."""
        return sum(self.widths.values())

    def bits(self, slot: int) -> tuple[int, int, int]:
        """Return the word, the first bit and the number of bits of a slot."""
        group, byte = divmod(self.index[slot], 8)
        word, first, width = self.groups[group]
        return word, 8 * byte + first, width


def packing(layout: Layout) -> Iterator[str]:
    shifts = [(word, first, ((1 << width) - 1) * 0x0101010101010101) for word, first, width in layout.groups]
    yield "static inline void pack(const uint8_t *s, uint64_t *p)\n{\n    memset(p, 0, WORDS * sizeof *p);\n"
    for group, (word, first, _) in enumerate(shifts):
        yield f"    p[{word}] |= eight(s + {8 * group}) << {first};\n"
    yield "}\n\nstatic inline void unpack(const uint64_t *p, uint8_t *s)\n{\n"
    for group, (word, first, mask) in enumerate(shifts):
        yield f"    put_eight(s + {8 * group}, p[{word}] >> {first} & {mask:#x}ull);\n"
    yield "}\n\n"
    yield "static inline void squeeze(const uint64_t *p, uint64_t *key) /* for states of at most 128 bits */\n{\n"
    yield "    unsigned __int128 whole = 0;\n"
    for slot in layout.index if layout.size <= 2 * WORD else ():
        word, first, width = layout.bits(slot)
        yield f"    whole = whole << {layout.widths[slot]} | (p[{word}] >> {first} & {(1 << width) - 1});\n"
    yield "    key[0] = whole, key[1] = whole >> 64;\n}\n\n"


BYTES = """\
/* Eight bytes as one number, the first of them lowest. */
static inline uint64_t ordered(uint64_t x) { return *(const uint8_t *)&(uint16_t){1} ? x : __builtin_bswap64(x); }
static inline uint64_t eight(const uint8_t *s) { uint64_t x; memcpy(&x, s, 8); return ordered(x); }
static inline void put_eight(uint8_t *s, uint64_t x) { x = ordered(x); memcpy(s, &x, 8); }

"""
