#!/usr/bin/env python3
"""Checks an audit log of Aura without Aura, by docs/audit-log.md alone.

  verify_audit.py log RECORDS HEADS [HEADS...] [--public-key HEX]
  verify_audit.py proof PROOF [--public-key HEX]

RECORDS is what `aura memory audit list --json` printed, HEADS what `aura memory audit heads --json` printed, now or earlier; PROOF what `aura memory
audit prove SEQ` printed. `-` is the standard input. Ends with 0 when everything holds, 1 with the first thing that does not, 2 for a file that is none.
"""

import hashlib
import hmac
import json
import re
import sys

OPS = "read write delete purge export import backup restore key_change label send recovered".split()
KINDS = (
    "trace traces node graph person span rule pause call settings ledger audit key memory notification telemetry connection draft folder".split()
)


class Refuted(Exception):
    """Something does not hold."""


class Unreadable(Exception):
    """A file is not what it has to be."""


# Ed25519, RFC 8032, section 5.1: verification only.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if x2 == 0:
        return None if sign else 0
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - x2) % P != 0:
        return None
    return P - x if x & 1 != sign else x


def point(data):
    """The point in extended coordinates, or None where the 32 bytes are not the canonical encoding of one."""
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if y >= P:
        return None
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def add(a, b):
    m, n = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(factor, a):
    total = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = add(total, a)
        a = add(a, a)
        factor >>= 1
    return total


def same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (recover_x(BASE_Y, 0), BASE_Y, 1, recover_x(BASE_Y, 0) * BASE_Y % P)
NEUTRAL = (0, 1, 1, 0)


def is_signed(public_key, text, signature):
    key, r = point(public_key), point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= L:
        return False
    if same(times(8, key), NEUTRAL) or same(times(8, r), NEUTRAL):
        return False
    hashed = hashlib.sha512(signature[:32] + public_key + text).digest()
    return same(times(s, BASE), add(r, times(int.from_bytes(hashed, "little") % L, key)))


# Reading. What is not as documented is no record, no head, no proof.


def digits(value, count):
    if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{%d}" % count, value):
        raise Unreadable("%d lower-case hexadecimal digits are wanted" % count)
    return bytes.fromhex(value)


def members(value, needed, optional=()):
    if not isinstance(value, dict) or not set(needed) <= set(value) <= set(needed) | set(optional):
        raise Unreadable("an object with %s is wanted" % ", ".join(needed))
    return value


def number(value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unreadable("a whole number is wanted")
    return value


def checked_record(record):
    members(record, ["seq", "at_ms", "op", "commitment"], ["revealed"])
    if number(record["seq"]) < 1 or record["op"] not in OPS:
        raise Unreadable("no record: its number or what was done")
    number(record["at_ms"])
    digits(record["commitment"], 64)
    if record.get("revealed") is not None:
        meaning = members(record["revealed"], ["meaning", "blind"])["meaning"]
        digits(record["revealed"]["blind"], 64)
        members(meaning, ["kind"], ["id", "count"])
        if meaning["kind"] not in KINDS:
            raise Unreadable("no record: what it was done to")
        if "id" in meaning and not re.fullmatch("[A-Za-z0-9_.:@-]{1,64}", meaning["id"]):
            raise Unreadable("no record: the id of what it was done to")
        if "count" in meaning and number(meaning["count"]) < 0:
            raise Unreadable("no record: how many rows it touched")
    return record


def checked_head(head):
    members(head, ["day", "size", "root", "chain", "signature", "public_key"])
    if not isinstance(head["day"], str) or not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", head["day"]):
        raise Unreadable("no head: its day")
    if number(head["size"]) < 0:
        raise Unreadable("no head: its size")
    for name, count in [("root", 64), ("chain", 64), ("signature", 128), ("public_key", 64)]:
        digits(head[name], count)
    return head


def strict(text):
    """JSON in which no member stands twice."""

    def once(pairs):
        if len({name for name, _ in pairs}) != len(pairs):
            raise Unreadable("a member stands twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once)
    except ValueError as error:
        raise Unreadable("no JSON: %s" % error) from None


def read(path):
    try:
        if path == "-":
            return sys.stdin.read()
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from None


def lines(path):
    found = []
    for count, line in enumerate(read(path).splitlines(), 1):
        if line.strip():
            try:
                found.append(strict(line))
            except Unreadable as error:
                raise Unreadable("line %d of %s: %s" % (count, path, error)) from None
    return found


# What has to hold.


def check_signature(head, public_key):
    text = "aura.audit.head.v1\n%s\n%d\n%s\n%s\n" % (head["day"], head["size"], head["root"], head["chain"])
    key = digits(head["public_key"], 64)
    what = "the head of %s over %d records" % (head["day"], head["size"])
    if public_key is not None and key != public_key:
        raise Refuted("%s is signed with another key" % what)
    if not is_signed(key, text.encode(), digits(head["signature"], 128)):
        raise Refuted("%s is not signed by the key that it names" % what)


def leaf_hash(record):
    leaf = "aura.audit.v1\n%d\n%d\n%s\n%s\n" % (record["seq"], record["at_ms"], record["op"], record["commitment"])
    return hashlib.sha256(b"\0" + leaf.encode()).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def check_meaning(record):
    if record.get("revealed") is None:
        return
    meaning = json.dumps(record["revealed"]["meaning"], sort_keys=True, separators=(",", ":")).encode()
    blind = digits(record["revealed"]["blind"], 64)
    if hmac.new(blind, meaning, hashlib.sha256).hexdigest() != record["commitment"]:
        raise Refuted("record %d: its meaning is not the one that it commits to" % record["seq"])


class Tree:
    """The roots of the greatest complete parts, from the left: enough for the root of every size on the way."""

    def __init__(self):
        self.size, self.peaks = 0, []

    def push(self, leaf):
        part, size = leaf, self.size
        while size & 1:
            part = node_hash(self.peaks.pop(), part)
            size >>= 1
        self.peaks.append(part)
        self.size += 1

    def root(self):
        if not self.peaks:
            return hashlib.sha256(b"").digest()
        part = self.peaks[-1]
        for left in reversed(self.peaks[:-1]):
            part = node_hash(left, part)
        return part


def verify_log(records, heads, public_key):
    by_size = {}
    for head in heads:
        check_signature(head, public_key)
        by_size.setdefault(head["size"], []).append(head)
    tree, before, agreed = Tree(), None, 0

    def heads_here():
        for head in by_size.pop(tree.size, []):
            if tree.root() != digits(head["root"], 64):
                raise Refuted(
                    "records %d to %d are not those that the head of %s stands for" % (agreed + 1, tree.size, head["day"])
                )
            yield head

    held = len(list(heads_here()))
    for record in sorted(records, key=lambda record: record["seq"]):
        if record["seq"] != tree.size + 1:
            raise Refuted("record %d is missing or stands twice" % (tree.size + 1))
        if before is not None and record["at_ms"] < before:
            raise Refuted("record %d is older than the one before it" % record["seq"])
        check_meaning(record)
        before = record["at_ms"]
        tree.push(leaf_hash(record))
        here = len(list(heads_here()))
        if here:
            agreed, held = tree.size, held + here
    if by_size:
        head = by_size[min(by_size)][0]
        raise Refuted("the log was cut off: the head of %s stands for %d records, there are %d" % (head["day"], head["size"], tree.size))
    erased = sum(record.get("revealed") is None for record in records)
    return "sound: %d records, %d of them without their meaning; %d heads agree; %d records behind the newest head" % (
        tree.size,
        erased,
        held,
        tree.size - agreed,
    )


def verify_proof(proof, public_key):
    record, head = proof["record"], proof["head"]
    check_signature(head, public_key)
    check_meaning(record)
    refuted = Refuted("record %d is not in the log that the head of %s stands for" % (record["seq"], head["day"]))
    at, last = record["seq"] - 1, head["size"] - 1
    if at > last:
        raise refuted
    found = leaf_hash(record)
    # RFC 9162, section 2.1.3.2.
    for beside in proof["path"]:
        if last == 0:
            raise refuted
        beside = digits(beside, 64)
        if at & 1 or at == last:
            found = node_hash(beside, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, beside)
        at, last = at >> 1, last >> 1
    if last != 0 or found != digits(head["root"], 64):
        raise refuted
    return "holds: record %d is one of the %d of %s, signed with %s" % (record["seq"], head["size"], head["day"], head["public_key"])


def main(arguments):
    public_key = None
    if "--public-key" in arguments:
        place = arguments.index("--public-key")
        public_key = digits(" ".join(arguments[place + 1 : place + 2]), 64)
        del arguments[place : place + 2]
    if len(arguments) >= 3 and arguments[0] == "log":
        numbered = [record for record in lines(arguments[1]) if not (isinstance(record, dict) and record.get("waiting"))]
        unique = {json.dumps(record, sort_keys=True): record for record in numbered}
        records = [checked_record(record) for record in unique.values()]
        heads = [checked_head(head) for path in arguments[2:] for head in lines(path)]
        return verify_log(records, heads, public_key)
    if len(arguments) == 2 and arguments[0] == "proof":
        proof = members(strict(read(arguments[1])), ["record", "path", "head"])
        if not isinstance(proof["path"], list):
            raise Unreadable("no proof: its path")
        checked_record(proof["record"])
        checked_head(proof["head"])
        return verify_proof(proof, public_key)
    raise Unreadable(__doc__.strip())


if __name__ == "__main__":
    try:
        print(main(sys.argv[1:]))
    except Refuted as error:
        print("refuted: %s" % error)
        sys.exit(1)
    except Unreadable as error:
        print("verify_audit: %s" % error, file=sys.stderr)
        sys.exit(2)
