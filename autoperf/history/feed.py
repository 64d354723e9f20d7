"""The Atom feed of a history (RFC 4287): an entry for each night in which changes became certain, the newest first."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

ATOM = "http://www.w3.org/2005/Atom"
MAX_ENTRIES = 40
XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def feed_text(title: str, updated: str, nights: Mapping[str, Sequence[str]], url: str, key: str) -> str:
    """The feed of sentences by night (the date of a run, ISO 8601), whose newest one is `updated`.

    `url` is that of the site, with a slash at its end, or nothing: links are relative to the feed then. `key` names the
    history, so that ids stay the same from night to night, and differ between histories.
    """
    feed = ET.Element("feed", xmlns=ATOM)
    _add(feed, "title", title)
    _add(feed, "id", _id(key))
    _add(feed, "updated", updated)
    ET.SubElement(feed, "link", href=f"{url}index.html")
    ET.SubElement(feed, "link", href=f"{url}feed.xml", rel="self")
    _add(ET.SubElement(feed, "author"), "name", "autoperf")
    for night in sorted(nights, reverse=True)[:MAX_ENTRIES]:
        first, *others = nights[night]
        entry = ET.SubElement(feed, "entry")
        _add(entry, "title", f"{first} and {len(others)} more" if others else first)
        _add(entry, "id", _id(f"{key} {night}"))
        _add(entry, "updated", night)
        ET.SubElement(entry, "link", href=f"{url}index.html")
        _add(entry, "content", "\n".join(nights[night]), type="text")
    return f"{XML_HEAD}{ET.tostring(feed, encoding='unicode')}\n"


def _add(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, tag, attributes).text = text


def _id(name: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, f"autoperf history {name}").urn
