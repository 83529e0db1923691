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
        self._spoilt = b""
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take more bytes; return the bodies of the frames that they complete."""
        *pieces, rest = (self._rest + data).split(_END)
        # One byte over the limit is kept, so that what never ends stays small and is still known to be too long.
        self._rest = rest[: _STUFFED + 1]
        return [body for piece in pieces if piece and (body := self._body(piece))]

    def _body(self, piece: bytes) -> bytes | None:
        body = _body(piece)
        if body is None:
            self.bad += 1
            self._spoilt = piece
        return body

    @property
    def fault(self) -> str:
        """Return, for whoever builds a device, what is wrong with the last piece that was no frame."""
        if not self.bad:
            return "no zero ended a frame"
        return f"{self.bad} pieces between zeros are no frames, the last because {_fault(self._spoilt)}"


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


def _fault(piece: bytes) -> str:
    """Say why a piece is no frame."""
    if len(piece) > _STUFFED:
        return f"it is longer than {LONGEST} bytes"
    try:
        held = cobs.decode(piece)
    except cobs.DecodeError as error:
        return f"it is no COBS ({error})"
    if len(held) <= _CRC:
        return f"it holds {len(held)} bytes, and {_CRC} are the CRC alone"
    body, crc = held[:-_CRC], held[-_CRC:]
    return f"it ends in CRC {crc.hex()}, and over its body that is {zlib.crc32(body):08x}"
