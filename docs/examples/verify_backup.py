#!/usr/bin/env python3
"""Checks a backup of Aura's without Aura, and takes it apart. Written from docs/memory/backup.md; needs Python 3.9 and nothing else.

  verify_backup.py BACKUP KEYFILE [--to DIR]

KEYFILE holds the 32 bytes that the backup was sealed with (`--backup-key-file`). Prints each file with its length; with --to it is written below DIR, which must
not be there. Ends with 1 and one sentence when something is not as the page says. A backup with a passphrase is not opened: argon2id is not in Python.
"""

import base64
import hashlib
import hmac
import json
import os
import struct
import sys

MAGIC = b"aura backup v1\n"
SINGLE = {"aura.db", "workflows.db", "models/chosen", "demo", "home.toml", "policy.toml"}
FOLDERS = {"audit", "errors", "outbox", "traces/raw", "workflows"}


class Unsound(Exception):
    pass


# --- XChaCha20-Poly1305 ---------------------------------------------------------------------------------------------


def rounds(state):
    x = list(state)

    def quarter(a, b, c, d):
        x[a] = (x[a] + x[b]) & 0xFFFFFFFF
        x[d] ^= x[a]
        x[d] = (x[d] << 16 | x[d] >> 16) & 0xFFFFFFFF
        x[c] = (x[c] + x[d]) & 0xFFFFFFFF
        x[b] ^= x[c]
        x[b] = (x[b] << 12 | x[b] >> 20) & 0xFFFFFFFF
        x[a] = (x[a] + x[b]) & 0xFFFFFFFF
        x[d] ^= x[a]
        x[d] = (x[d] << 8 | x[d] >> 24) & 0xFFFFFFFF
        x[c] = (x[c] + x[d]) & 0xFFFFFFFF
        x[b] ^= x[c]
        x[b] = (x[b] << 7 | x[b] >> 25) & 0xFFFFFFFF

    for _ in range(10):
        quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15)
        quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14)
    return x


CONSTANTS = struct.unpack("<4L", b"expand 32-byte k")


def block(key, counter, nonce):
    state = (*CONSTANTS, *key, counter, *nonce)
    return struct.pack("<16L", *((a + b) & 0xFFFFFFFF for a, b in zip(rounds(state), state)))


def poly1305(key, message):
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\x01", "little")) * r % ((1 << 130) - 5)
    return ((total + int.from_bytes(key[16:], "little")) & ((1 << 128) - 1)).to_bytes(16, "little")


def unseal(key, about, sealed):
    """What was sealed; None: with another key, about something else, or changed since."""
    if len(sealed) < 40:
        return None
    nonce, ciphertext, tag = sealed[:24], sealed[24:-16], sealed[-16:]
    mixed = rounds((*CONSTANTS, *struct.unpack("<8L", key), *struct.unpack("<4L", nonce[:16])))
    words = (*mixed[:4], *mixed[12:])
    short = (0, *struct.unpack("<2L", nonce[16:]))
    pad = lambda part: part + bytes(-len(part) % 16)
    authenticated = pad(about) + pad(ciphertext) + struct.pack("<2Q", len(about), len(ciphertext))
    if not hmac.compare_digest(poly1305(block(words, 0, short)[:32], authenticated), tag):
        return None
    stream = b"".join(block(words, n + 1, short) for n in range((len(ciphertext) + 63) // 64))
    length = len(ciphertext)
    return (int.from_bytes(ciphertext, "big") ^ int.from_bytes(stream[:length], "big")).to_bytes(length, "big")


# --- the backup -----------------------------------------------------------------------------------------------------


def derive(key, use):
    return hmac.new(key, use.encode(), hashlib.sha256).digest()


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, length, what):
        part = self.data[self.at : self.at + length]
        if len(part) != length:
            raise Unsound(f"it is cut short within {what}")
        self.at += length
        return part

    def number(self, length, what):
        return int.from_bytes(self.take(length, what), "big")

    def is_at_end(self):
        return self.at == len(self.data)


def folder_keys(box, opening):
    """The data key, by the one seal of the box."""
    if box.get("version") != 1 or len(box.get("seals", [])) != 1:
        raise Unsound("its key box is none of a backup")
    seal = box["seals"][0]
    place = json.dumps(seal["place"], separators=(",", ":"), ensure_ascii=False)
    keys = unseal(opening, b"aura key box v1 " + place.encode(), base64.b64decode(seal["sealed"]))
    if keys is None or len(keys) != 64:
        raise Unsound(f"this key does not open it; it was made for {place}")
    return keys[:32]


def chunks(reader, data_key):
    key, n = derive(data_key, "backup v1"), 0
    id = reader.take(32, "its id").decode("ascii")
    while True:
        sealed = reader.take(reader.number(4, f"the length of chunk {n}"), f"chunk {n}")
        last = reader.is_at_end()
        opened = unseal(key, f"aura backup v1 {id} {n} {'true' if last else 'false'}".encode(), sealed)
        if opened is None:
            raise Unsound(f"chunk {n} was changed, or stands in another place, or what follows it is missing")
        yield opened
        if last:
            return
        n += 1


def files(stream):
    reader = Reader(stream)
    while not reader.is_at_end():
        name = reader.take(reader.number(2, "a name's length"), "a name").decode()
        folder, _, file = name.rpartition("/")
        if name not in SINGLE and not (folder in FOLDERS and file and not file.startswith(".")):
            raise Unsound(f"{name!r} is no name of Aura's")
        yield name, reader.take(reader.number(8, f"the length of {name}"), name)


def main():
    arguments = sys.argv[1:]
    to = arguments[3] if len(arguments) == 4 and arguments[2] == "--to" else None
    if len(arguments) not in (2, 4) or (len(arguments) == 4 and to is None):
        sys.exit(__doc__)
    with open(arguments[0], "rb") as backup, open(arguments[1], "rb") as key:
        reader, opening = Reader(backup.read()), key.read()
    try:
        if len(opening) != 32:
            raise Unsound(f"{arguments[1]} has {len(opening)} bytes, not 32")
        if reader.data[:15] != MAGIC:
            raise Unsound("it is no backup of this format")
        reader.take(15, "its first line")
        length = reader.number(8, "the length of its key box")
        if length > 16 * 1024:
            raise Unsound("its key box is too long")
        data_key = folder_keys(json.loads(reader.take(length, "its key box")), opening)
        found = list(files(b"".join(chunks(reader, data_key))))
    except (Unsound, ValueError, KeyError) as error:
        print(f"refuted: {error}")
        sys.exit(1)
    if to:
        os.mkdir(to, 0o700)
    for name, content in found:
        print(f"{len(content):>12}  {name}")
        if to:
            path = os.path.join(to, name)
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(content)
    print(f"sound: {len(found)} files, {sum(len(content) for _, content in found)} bytes")


main()
