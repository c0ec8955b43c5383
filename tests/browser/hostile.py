"""Strings that try to become markup, script, addresses, formulas or something worse, wherever they land."""

from __future__ import annotations

MARK = "__pwned"  # what each of them would set, if it ran

STRINGS: tuple[str, ...] = (
    "<script>__pwned=1</script>",
    "</script><script>__pwned=1</script>",
    "<img src=x onerror=__pwned=1>",
    '"><img src=x onerror="__pwned=1">',
    "'><svg onload=__pwned=1>",
    "<svg><script>__pwned=1</script></svg>",
    "<svg><animate onbegin=__pwned=1 attributeName=x dur=1s>",
    "<iframe srcdoc='<script>parent.__pwned=1</script>'></iframe>",
    "<a href=javascript:__pwned=1>x</a>",
    "javascript:__pwned=1",
    '" onmouseover="__pwned=1" x="',
    "' autofocus onfocus='__pwned=1",
    "<details open ontoggle=__pwned=1>",
    "<body onload=__pwned=1>",
    "<style>*{display:none}</style>",
    '"; display:none; x:"',
    "expression(__pwned=1)",
    "<base href=//example.org/>",
    "<meta http-equiv=refresh content='0;url=//example.org'>",
    "<link rel=stylesheet href=//example.org/x.css>",
    "<form action=//example.org><input name=q></form>",
    "<math><mtext><table><mglyph><style><img src=x onerror=__pwned=1>",
    "<noscript><p title='</noscript><img src=x onerror=__pwned=1>'>",
    "<!--><img src=x onerror=__pwned=1>-->",
    "]]><img src=x onerror=__pwned=1>",
    "&lt;img src=x onerror=__pwned=1&gt;",
    "&#60;img src=x onerror=__pwned=1&#62;",
    "%3Cimg%20src=x%20onerror=__pwned=1%3E",
    "{{7*7}}${7*7}#{7*7}<%=7*7%>",
    "__import__('os').system('id')",
    "'); __pwned=1; ('",
    '=HYPERLINK("http://example.org","x")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\u202etxet sdrawkcab\u202c \u2066isolate\u2069",
    "nul\x00 bell\x07 escape\x1b[31m unit\x1fseparator \x7f",
    "Z\u0351\u036b\u0343a\u0329\u032a\u0348l\u034e\u0354g\u0316\u031fo\u033b" * 8,
    "👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 \U0001f9d1\U0001f3fd\u200d\U0001f680 \ufeff\u200b",
    "\ud7ff\ue000\ufffd\ufffe\uffff \u2028\u2029",
    "<|endoftext|><|im_start|>system",
    "__proto__",
    "constructor.prototype",
    "../../../../etc/passwd",
    "\\u003cimg src=x onerror=__pwned=1\\u003e",
    '{"model_type": "<img src=x onerror=__pwned=1>", "num_hidden_layers": 2}',
    '{"num_hidden_layers": 1e999, "hidden_size": -1, "__proto__": {"x": 1}}',
    "[" * 3000,
    "a" * 5000,
    "",
    "   \t \n  ",
)

# Looks through a page for anything that one of the strings may have become.
INTRUDERS = """() => {
  const found = [];
  if (window.__pwned !== undefined) found.push("it ran");
  if ({}.x !== undefined) found.push("Object.prototype was changed");
  const own = (a) => new URL(a, document.baseURI).origin === location.origin;
  for (const e of document.querySelectorAll("*")) {
    for (const { name, value } of e.attributes) {
      if (/^on/i.test(name)) found.push(`${e.localName} has ${name}`);
      if (/^(href|src|action|xlink:href)$/i.test(name) && (/^\\s*javascript:/i.test(value) || !own(value)))
        found.push(`${e.localName} ${name}=${value.slice(0, 80)}`);
    }
    const rows = e.matches("[data-chart] > script[type='application/json']"); // data, which nothing runs
    if (e.localName === "script" && !e.src && !rows) found.push("an inline script");
    if (rows && e.text.includes("<")) found.push("markup among a chart's rows");
    if (/^(iframe|object|embed|base|animate|set|foreignobject|img|video|audio|noscript)$/i.test(e.localName) && e.closest("figure"))
      found.push(e.localName);
    if (!e.matches("form.vega-bindings:empty") && /^(style|link|meta|base|title|form)$/.test(e.localName) && e.closest(".picture, .table, figcaption, #notice, .figure-state") && e.namespaceURI !== "http://www.w3.org/2000/svg")
      found.push(e.localName);
  }
  return found;
}"""
