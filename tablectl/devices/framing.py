"""Frames on a line of bytes: COBS between zeros, with a CRC-32 behind the body. No I/O here.

COBS leaves no zero inside a frame, so a reader that lost its place finds it again at the next zero, and a damaged
byte costs one frame or two. The zero in front of a frame ends whatever noise came before it.
"""

import zlib

from cobs import cobs

LONGEST = 512
"""Bytes of a frame, with its two zeros."""
LONGEST_BODY = 504
"""Bytes of a body that always fits: ``LONGEST`` less zeros, CRC and the most that COBS adds."""
_CRC = 4
_END = b"\x00"
_STUFFED = LONGEST - 2


def frame(body: bytes) -> bytes:
    """Write one frame: ``00``, COBS of body and CRC-32 (most significant byte first), ``00``.

    Raises:
        ValueError: the body is longer than LONGEST_BODY.
    """
    if len(body) > LONGEST_BODY:
        raise ValueError(f"a body of {len(body)} bytes fits no frame: at most {LONGEST_BODY}")
    stuffed: bytes = cobs.encode(body + zlib.crc32(body).to_bytes(_CRC, "big"))
    return _END + stuffed + _END


class Deframer:
    """Finds the frames in bytes that arrive in any pieces. bad: pieces between zeros that were no frame."""

    def __init__(self) -> None:
        self.bad = 0
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take more bytes; return the bodies of the frames that they complete."""
        *pieces, rest = (self._rest + data).split(_END)
        # One byte over the limit is kept, so that what never ends stays small and is still known to be too long.
        self._rest = rest[: _STUFFED + 1]
        bodies = [_body(piece) for piece in pieces if piece]
        self.bad += bodies.count(None)
        return [body for body in bodies if body is not None]


def _body(piece: bytes) -> bytes | None:
    """Return what a frame holds, None if it is no frame: COBS accepts much that is damaged, the CRC does not."""
    if len(piece) > _STUFFED:
        return None
    try:
        held = cobs.decode(piece)
    except cobs.DecodeError:
        return None
    body, crc = held[:-_CRC], held[-_CRC:]
    return body if body and crc == zlib.crc32(body).to_bytes(_CRC, "big") else None
