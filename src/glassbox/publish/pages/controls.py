"""Turns marimo's controls into plain data and native HTML inputs, with the same labels, order and values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from glassbox.figures.markup import Markup, el

Json = dict[str, Any]


MAX_TYPED = 25_000  # characters of a field that sets no limit: what a browser lays out without a pause


def describe(name: str, control: Any) -> Json:
    """Describes a marimo control as plain data (see ``glassbox.page.controls``).

    Raises:
        ValueError: The kind of control has no native counterpart here.
    """
    kind = type(control).__name__
    if kind not in _DESCRIBERS:
        raise ValueError(f"{name} is a mo.ui.{kind}, and a page can show {', '.join(sorted(_DESCRIBERS))}")
    if not control._args.label:
        raise ValueError(f"{name} has no label, and a reader would see the variable's name; write label=…")
    label = str(control._args.label)
    return {"name": name, "label": label, **_DESCRIBERS[kind](control)}


def _slider(control: Any) -> Json:
    args = control._component_args
    spec = {"kind": "slider", "value": control.value}
    if args["steps"]:
        return {**spec, "steps": list(args["steps"])}
    return {**spec, "start": args["start"], "stop": args["stop"], "step": args["step"] or 1}


def _number(control: Any) -> Json:
    args = control._component_args
    if args["start"] is None or args["stop"] is None:
        raise ValueError("a number needs a start and a stop, as mo.ui.number(0, 10)")
    step = args["step"] or 1
    return {
        "kind": "number",
        "value": control.value,
        "start": args["start"],
        "stop": args["stop"],
        "step": step,
    }


def _choice(kind: str) -> Callable[[Any], Json]:
    def spec(control: Any) -> Json:
        options = dict(control.options)
        chosen = next((k for k, v in options.items() if v == control.value), None)
        if chosen is None:
            raise ValueError("a choice needs a default; write value=… with one of its options")
        return {"kind": kind, "value": chosen, "options": options}

    return spec


def _switch(control: Any) -> Json:
    return {"kind": "switch", "value": bool(control.value)}


def _text(control: Any) -> Json:
    args = control._component_args
    rows = args.get("rows", 1) if type(control).__name__ == "text_area" else 1
    return {"kind": "text", "value": control.value, "rows": rows, "max": args["max-length"]}


def _button(control: Any) -> Json:
    return {"kind": "button", "value": int(control.value or 0)}


def _file(control: Any) -> Json:
    args = control._component_args
    if args["multiple"]:
        raise ValueError("a page takes one file at a time; leave multiple out")
    return {"kind": "file", "value": "", "accept": list(args["filetypes"])}


_DESCRIBERS: dict[str, Callable[[Any], Json]] = {
    "slider": _slider,
    "number": _number,
    "dropdown": _choice("select"),
    "radio": _choice("radio"),
    "switch": _switch,
    "checkbox": _switch,
    "text": _text,
    "text_area": _text,
    "button": _button,
    "file": _file,
}


def positions(control: Json) -> list[Any] | None:
    """All wire values a control can take, or ``None`` where they are not finite (text, buttons, files)."""
    kind = control["kind"]
    if kind == "switch":
        return [False, True]
    if kind in ("select", "radio"):
        return list(control["options"])
    if kind in ("slider", "number"):
        if "steps" in control:
            return list(control["steps"])
        count = round((control["stop"] - control["start"]) / control["step"])
        decimals = max(_decimals(control["start"]), _decimals(control["step"]))
        values = [round(control["start"] + n * control["step"], decimals) for n in range(count + 1)]
        return [int(v) for v in values] if decimals == 0 else values
    return None


def _decimals(number: float) -> int:
    return len(f"{number:.10f}".rstrip("0").split(".")[1])


def markup(control: Json) -> Markup:
    """The native input of a control. It is disabled until the page script takes it over."""
    name, kind = control["name"], control["kind"]
    label = el("label", control["label"], for_=f"c-{name}")
    hooks = {"class_": f"control {kind}", "data_control": name, "data_kind": kind}
    common = {"id": f"c-{name}", "name": name, "disabled": True}
    if kind == "radio":
        buttons = [
            el(
                "label",
                el("input", type="radio", name=name, value=o, checked=o == control["value"], disabled=True),
                o,
            )
            for o in control["options"]
        ]
        return el("fieldset", el("legend", control["label"]), buttons, **hooks)
    if kind == "button":
        return el("p", el("button", control["label"], type="button", value=0, **common), **hooks)
    if kind == "switch":
        box = el("input", type="checkbox", role="switch", checked=control["value"], **common)
        return el("p", box, label, **hooks)
    if kind == "file":
        return el("p", label, el("input", type="file", accept=",".join(control["accept"]), **common), **hooks)
    if kind == "select":
        options = [el("option", o, value=o, selected=o == control["value"]) for o in control["options"]]
        return el("p", label, el("select", options, **common), **hooks)
    if kind == "text":
        rest = {
            "maxlength": control["max"] or MAX_TYPED,
            "spellcheck": "false",
            "autocomplete": "off",
            **common,
        }
        if control["rows"] > 1:
            return el("p", label, el("textarea", control["value"], rows=control["rows"], **rest), **hooks)
        return el("p", label, el("input", type="text", value=control["value"], **rest), **hooks)
    return el("p", label, _numeric(control, common), **hooks)


def _numeric(control: Json, common: Json) -> list[Markup]:
    """A range or number input; irregular steps become positions 0, 1, 2 … with the values beside them."""
    if control["kind"] == "number":
        bounds = {"min": control["start"], "max": control["stop"], "step": control["step"]}
        return [el("input", type="number", inputmode="decimal", value=control["value"], **bounds, **common)]
    if steps := control.get("steps"):
        place, bounds = steps.index(control["value"]), {"min": 0, "max": len(steps) - 1, "step": 1}
        common = {**common, "data_steps": json.dumps(steps)}
    else:
        place, bounds = (
            control["value"],
            {"min": control["start"], "max": control["stop"], "step": control["step"]},
        )
    shown = f"{float(control['value']):,.10g}"
    slider = el("input", type="range", value=place, aria_valuetext=shown, **bounds, **common)
    return [slider, el("output", shown, for_=f"c-{control['name']}", aria_live="off")]
