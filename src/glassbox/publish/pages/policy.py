"""What pages may load and run: their Content-Security-Policy."""

from __future__ import annotations

from urllib.parse import urlsplit

# What the pages may load and run. Scripts are files of the site, never inline. Inline style *attributes*
# carry the geometry that figures compute (style="--share:37%"), hence 'unsafe-inline' for styles alone.
# Python's compiled core runs in a worker; 'wasm-unsafe-eval' is for browsers that hand the policy on to it.
CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "frame-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
    )
)


def page(models: str) -> str:
    """The policy of a chapter's page.

    Args:
        models: The origin of another server that models may be loaded from, or nothing.
    """
    return CSP.replace("connect-src 'self'", f"connect-src 'self' {models}") if models else CSP


def embed(address: str) -> str:
    """The policy of a figure's own page, which also runs in frames that have no origin.

    In a frame with ``sandbox="allow-scripts"`` alone WebKit lets 'self' match nothing: no style, no script.
    So scripts, styles and fonts name the site's origin beside it; where the build does not know the address,
    any origin of the web (site/hosting/README.md says what that loosens and what it does not).

    Args:
        address: The site's public address, or nothing.
    """
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else "http: https:"
    rules = CSP.split("; ")
    widened = ("script-src", "style-src", "font-src")
    return "; ".join(r.replace("'self'", f"'self' {origin}") if r.startswith(widened) else r for r in rules)
