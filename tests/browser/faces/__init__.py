"""One small face over three browser engines, so that one journey is written once and walked in each.

Chromium and Firefox are Playwright's, WebKit (Safari's engine) is Selenium's. What they cannot do:

| engine | cannot | so |
|---|---|---|
| Firefox | tell of a download | files are read from the folder that they are saved to |
| Firefox | be told that the reader wants the dark theme, or has a touch screen | press the theme button |
| WebKit | be told the theme, touch, or that it has no script | press the theme button |
| WebKit | let a page write the clipboard | what the page offers instead is read |
| Firefox, WebKit | send keys into a frame where nothing was pressed | press the slider first, as a reader does |
| WebKit | tell of a console message | ``overheard`` lets the site's first script write them down |
| WebKit | start without what an earlier test kept | each module has a session of its own |

Every engine is fenced: Chromium by its resolver and routes, the others by a proxy that refuses (``Fence``).
"""

from __future__ import annotations

from tests.browser.faces.face import Box, Face, NotSeenError
from tests.browser.faces.fence import Fence, overheard
from tests.browser.faces.played import Played, firefox
from tests.browser.faces.webkit import WebKit

__all__ = ["Box", "Face", "Fence", "NotSeenError", "Played", "WebKit", "firefox", "overheard"]
