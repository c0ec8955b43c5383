"""Writes what others read about the pages: oEmbed descriptions and a sitemap."""

from __future__ import annotations

import json

from glassbox.publish.shell import Build


def write(build: Build) -> None:
    """Writes one oEmbed description per figure."""
    for name, chapter in build.chapters.items():
        folder = build.site.out / "oembed" / name
        folder.mkdir(parents=True, exist_ok=True)
        for figure in chapter.program["figures"]:
            (folder / f"{figure['name']}.json").write_text(json.dumps(_oembed(build, name, figure["name"])))


def _oembed(build: Build, chapter: str, figure: str) -> dict[str, object]:
    address = f"{build.site.address}embed/{chapter}/{figure}.html"
    frame = (
        f'<iframe src="{address}" title="Glassbox: {figure}" width="720" height="520" loading="lazy" '
        'sandbox="allow-scripts allow-same-origin" style="border:0;width:100%"></iframe>'
    )
    return {
        "version": "1.0",
        "type": "rich",
        "provider_name": "Glassbox",
        "title": figure,
        "html": frame,
        "width": 720,
        "height": 520,
    }
