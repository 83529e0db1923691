"""Open Table Device Protocol (OTDP), the open protocol of docs/protocol.md."""
