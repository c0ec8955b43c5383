/* In marimo: lets links of the prose and what is pressed in a picture set a figure's controls (see notebook.py).
   A figure says in data-follows by which number marimo knows each of its controls. */
(() => {
  const figures = () => [...document.querySelectorAll("figure.glassbox[data-follows]")];
  const follows = (figure) => JSON.parse(figure.dataset.follows);

  /* A control's value as marimo's own element holds it; undefined for one that it does not have. */
  function held(element, wire) {
    const kind = element.localName;
    const data = (name) => JSON.parse(element.getAttribute(`data-${name}`) ?? "null");
    if (kind === "marimo-slider") {
      const steps = data("steps");
      if (!steps?.length) return Math.min(Math.max(Number(wire), data("start")), data("stop"));
      const at = steps.indexOf(Number(wire));
      return at < 0 ? undefined : at;
    }
    if (kind === "marimo-number" || kind === "marimo-button") return Number(wire);
    if (kind === "marimo-switch" || kind === "marimo-checkbox") return ["true", "1", "on"].includes(String(wire));
    if (kind === "marimo-dropdown") return data("options").includes(wire) ? [wire] : undefined;
    return String(wire);
  }

  /* Sets the control that marimo knows by a number: its looks, and what the notebook computes with. */
  function set(number, wire) {
    const element = document.querySelector(`marimo-ui-element[object-id="${CSS.escape(number)}"]`)?.firstElementChild;
    const value = element && held(element, wire);
    if (value === undefined || Number.isNaN(value)) return;
    const detail = { value, element };
    element.dispatchEvent(new CustomEvent("marimo-value-update", { composed: true, detail }));
    element.dispatchEvent(new CustomEvent("marimo-value-input", { bubbles: true, composed: true, detail }));
  }

  function open(address) {
    const wanted = [...new URL(address, location.href).searchParams];
    const figure = figures().find((f) => wanted.some(([name]) => name in follows(f)));
    if (!figure) return false;
    for (const [name, wire] of wanted) if (name in follows(figure)) set(follows(figure)[name], wire);
    figure.scrollIntoView({ block: "nearest", behavior: "smooth" });
    return true;
  }

  function press(cell) {
    const figure = cell.closest("figure.glassbox[data-follows]");
    for (const [short, wire] of Object.entries(JSON.parse(cell.dataset.set))) {
      const name = Object.keys(follows(figure)).find((n) => n.endsWith(`_${short}`));
      if (name) set(follows(figure)[name], wire);
    }
  }

  addEventListener(
    "click",
    (event) => {
      const target = event.composedPath()[0];
      const cell = target.closest?.("figure.glassbox[data-follows] [data-set]");
      if (cell) return press(cell);
      const link = target.closest?.('a[href^="?"]');
      if (link && open(link.getAttribute("href"))) {
        event.preventDefault();
        event.stopPropagation();
      }
      return undefined;
    },
    true,
  );
})();
