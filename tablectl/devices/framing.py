"""Frames on a line of bytes: COBS between zeros, with a CRC-32 behind the body. No I/O here.

COBS leaves no zero inside a frame, so a reader that lost its place finds it again at the next zero, and a damaged
byte costs one frame or two. The zero in front of a frame ends whatever noise came before it.
"""

import zlib

from cobs import cobs

from tablectl.errors import WireError

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
        self._why = ""
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take more bytes; return the bodies of the frames that they complete."""
        *pieces, rest = (self._rest + data).split(_END)
        # One byte over the limit is kept, so that what never ends stays small and is still known to be too long.
        self._rest = rest[: _STUFFED + 1]
        return [body for piece in pieces if piece and (body := self._body(piece))]

    def _body(self, piece: bytes) -> bytes | None:
        try:
            return _body(piece)
        except WireError as error:
            self.bad += 1
            self._why = str(error)
            return None

    @property
    def fault(self) -> str:
        """Return, for whoever builds a device, what is wrong with the last piece that was no frame."""
        if not self.bad:
            return "no zero ended a frame"
        return f"{self.bad} pieces between zeros are no frames, the last because {self._why}"


def _body(piece: bytes) -> bytes:
    """Return what a frame holds. COBS accepts much that is damaged, the CRC does not.

    Raises:
        WireError: it is no frame, and why.
    """
    if len(piece) > _STUFFED:
        raise WireError(f"it is longer than {LONGEST} bytes")
    try:
        held: bytes = cobs.decode(piece)
    except cobs.DecodeError as error:
        raise WireError(f"it is no COBS ({error})") from error
    if len(held) <= _CRC:
        raise WireError(f"it holds {len(held)} bytes, and {_CRC} are the CRC alone")
    body, crc = held[:-_CRC], held[-_CRC:]
    if crc != zlib.crc32(body).to_bytes(_CRC, "big"):
        raise WireError(f"it ends in CRC {crc.hex()}, and over its body that is {zlib.crc32(body):08x}")
    return body
