"""A reader's own model in Chromium: picked, read in the page, shown in every figure, kept, forgotten, refused."""

import hashlib
import re
import shutil
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.model.checkpoint import files

PAGE = "own_model.html"
READ_MS = 120_000
DROP = """([name, content]) => {
  const moved = new DataTransfer();
  moved.items.add(new File([content], name));
  for (const type of ["dragenter", "dragover", "drop"])
    document.querySelector(".own-model").dispatchEvent(new DragEvent(type, { dataTransfer: moved, bubbles: true, cancelable: true }));
}"""
STOP_AT = """(share) => {
  const amount = document.querySelector(".own-amount");
  const bar = document.querySelector(".own-progress progress");
  new MutationObserver((_, watch) => {
    if (!amount.textContent || bar.value < share) return;
    watch.disconnect();
    window.halfway = bar.value;
    [...document.querySelectorAll(".own-actions button")].find((b) => b.textContent === "Stop").click();
  }).observe(amount, { childList: true });
}"""
NAME, LAYERS, WEIGHTS = "shaped-135m", 30, 269_062_899  # bytes of its one file of weights


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A Llama of seven layers in three shards, with its tokenizer and a file that does not matter."""
    folder = tmp_path_factory.mktemp("readers") / "tiny-llama"
    folder.mkdir()
    files.llama(folder, "BF16", shards=3, num_hidden_layers=7, vocab_size=272, max_position_embeddings=512)
    files.tokenizer(folder)
    (folder / "README.md").write_text("# a model")
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A checkpoint in the shape of SmolLM2-135M; its name is told by its config, its folder has another."""
    folder = tmp_path_factory.mktemp("large") / "model"
    folder.mkdir()
    files.shaped_135m(folder, NAME)
    yield folder
    shutil.rmtree(folder)


def drop(page, folder):
    """Drops a folder as a hand does: the browser itself opens it, nothing of it passes through the test."""
    target = place(page)
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    where = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **where, "data": data})
    session.detach()


def place(page):
    return page.locator(".own-model")


def said(page, pattern):
    expect(place(page).locator(".own-say")).to_contain_text(re.compile(pattern), timeout=READ_MS)


def sentence(page, figure, pattern):
    page.locator(f"#{figure}").scroll_into_view_if_needed()
    expect(page.locator(f"#{figure} .sentence")).to_contain_text(re.compile(pattern), timeout=READ_MS)


def press(page, text):
    place(page).get_by_role("button", name=re.compile(text)).click()


def test_a_readers_model_from_its_folder_to_being_forgotten(page, server, checkpoint, tmp_path):
    page.set_default_timeout(READ_MS)
    page.goto(server.address + PAGE)
    expect(place(page)).to_have_attribute("data-state", "ours", timeout=READ_MS)
    expect(place(page).locator(".own-hint")).to_contain_text("nothing is sent anywhere", timeout=READ_MS)
    expect(place(page).get_by_role("button", name="Choose a folder")).to_be_visible(timeout=READ_MS)
    page.locator("[data-pick=folder]").set_input_files(checkpoint)
    said(page, r"The figures show tiny-llama, read on this device\.$")
    expect(place(page).locator(".own-hint")).to_contain_text(re.compile(r"memory has come to \d+ MB"))

    sentence(page, "parts", r"^tiny-llama has [\d,]+ learned numbers in 7 layers")
    sentence(page, "guesses", r"After “She opened the wooden chest of” tiny-llama finds")
    assert page.locator("#looks_layer, [name=looks_layer]").first.get_attribute("max") == "7"
    sentence(page, "looks", r"Of 21 heads of tiny-llama")
    last = page.locator("#looks [role=gridcell]").last
    last.focus()
    page.keyboard.press("Enter")
    sentence(page, "looks", r"in layer 7, head 3")
    sentence(page, "room", r"A token of tiny-llama leaves 168 bytes behind")
    page.locator("#pace").get_by_role("button", name="Let it write").click()
    sentence(page, "pace", r"tiny-llama (read \d+ tokens in .* and has written 64|ended its text)")

    press(page, "Keep it in this browser")
    expect(place(page).get_by_role("button", name="Forget tiny-llama")).to_be_visible(timeout=READ_MS)
    page.locator("#pace .whose button").click()  # ours, a press away
    said(page, r"^The figures show our model\.$")
    expect(page.locator(".whose")).to_have_count(0, timeout=READ_MS)
    sentence(page, "parts", r"^Our model has")
    assert page.locator("[name=looks_layer]").first.get_attribute("max") == "4"

    page.reload()
    press(page, r"Read tiny-llama \(.*kept here\)")
    said(page, r"The figures show tiny-llama")
    sentence(page, "depth", r"tiny-llama")
    press(page, "Forget tiny-llama")
    expect(place(page).get_by_role("button", name="tiny-llama")).to_have_count(0, timeout=READ_MS)
    assert (
        page.evaluate(
            "navigator.storage.getDirectory().then((d) => d.getDirectoryHandle('own-model')).catch((e) => e.name)"
        )
        == "NotFoundError"
    )

    page.evaluate(DROP, ["notes.txt", "hello"])
    said(page, r"there is no config\.json")
    page.evaluate(DROP, ["config.json", "{"])
    said(page, r"Your model cannot be shown: config\.json: its text is not the JSON")
    sentence(page, "parts", r"^Our model has")

    large = tmp_path / "large"
    large.mkdir()
    files.llama(large, vocab_size=1_000_000)
    page.evaluate(STOP_AT, 0)
    page.locator("[data-pick=folder]").set_input_files(large)
    said(page, r"large was not read to its end; the figures show our model")
    assert page.evaluate("window.halfway")
    place(page).get_by_role("button", name="Choose files").focus()
    with page.expect_file_chooser() as chooser:
        # Catching the dialog and pressing a key reach the page by different ways, and the key may come first: on a
        # busy page the dialog then opens uncaught. An answer from the page says that it is caught from now on.
        page.evaluate("0")
        page.keyboard.press("Enter")
    chooser.value.set_files(sorted(checkpoint.glob("*.json")))
    said(page, r"the shard model-00001-of-00003\.safetensors is missing")


def whose(page, figure, pattern):
    page.locator(f"#{figure}").scroll_into_view_if_needed()
    expect(page.locator(f"#{figure} .whose")).to_have_text(re.compile(pattern), timeout=READ_MS)


CONTROL = "[data-control={}] :is(input, select)"


def test_a_model_of_135_million_numbers_goes_through_the_chapters_without_a_network(
    browse, server, large, watch
):
    """Dropped, stopped half-way, dropped again, kept, taken along by its name, forgotten; figures say whose they show."""
    watch.expect("Failed to load resource|ERR_CONNECTION|ERR_FAILED|ERR_INTERNET")
    context = browse(service_workers="allow")
    page = context.new_page()
    page.set_default_timeout(READ_MS)
    page.goto(f"{server.address}attention.html?heads_open=layer 30, head 9&model={NAME}#heads")
    said(page, f"made with {NAME}, which this browser does not keep")
    whose(page, "heads", f"^{NAME} is what this link was made with; the picture is of our model")
    page.wait_for_selector('html[data-kept~="runtime"]', state="attached")
    context.set_offline(True)
    page.evaluate(STOP_AT, 0.5)
    drop(page, large)
    said(page, "model was not read to its end; the figures show our model")
    assert 0.5 <= page.evaluate("window.halfway") < 1
    sentence(page, "next_word", "After “The patient has” the model finds")
    drop(page, large)
    said(page, rf"The figures show {NAME}, read on this device\.$")
    hint = place(page).locator(".own-hint").text_content()
    peak = int(re.search(r"memory has come to (\d+) MB for it, of at most 4 GB", hint)[1])
    wide = 2 * WEIGHTS / 1e6  # MB, in 32 bits
    assert wide < peak < wide + 200  # and Python itself; what the stopped reading took was given back
    whose(page, "heads", f"^{NAME} Show ours$")
    sentence(page, "heads", f"^Layer {LAYERS}, head 9 of {NAME}")
    assert page.locator(CONTROL.format("heads_open")).locator("option").count() == LAYERS * 9
    whose(page, "next_word", f"^{NAME}")
    sentence(page, "next_word", rf"After “The patient has” {NAME} finds .* 49,152 of 49,152 tokens")
    whose(page, "tiled", "^Our model all the same. Tiles give the same result")
    page.locator("#scaling").scroll_into_view_if_needed()
    expect(page.locator("#scaling .whose")).to_have_count(0)
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    page.locator("#heads [data-tool=link]").click()
    expect(page.locator("#heads .said")).to_contain_text("Copied")
    assert page.evaluate("window.copied").endswith(
        f"attention.html?model={NAME}&heads_open=layer+30%2C+head+9#heads"
    )
    press(page, r"Keep it in this browser \(271 MB\)")
    expect(place(page).get_by_role("button", name=f"Forget {NAME}")).to_be_visible()

    page.locator("nav.turn .next").click()
    page.wait_for_url(f"**/kv_cache.html?model={NAME}")
    said(page, f"The figures show {NAME}")
    sentence(page, "memory", rf"^At 8,000 tokens {NAME} keeps 184\.32 MB .* 432 users fit")
    whose(page, "memory", f"^{NAME}")
    page.locator(CONTROL.format("memory_model")).select_option("Llama 3 8B")
    expect(page.locator("#memory .whose")).to_have_count(0)

    page.locator("nav.turn .next").click()
    page.wait_for_url(f"**/machine.html?model={NAME}")
    said(page, f"The figures show {NAME}")
    sentence(page, "machine", f"{NAME} gives")
    whose(page, "machine", f"^{NAME}")
    layers = page.locator("#machine .mc-guess")
    expect(layers).to_have_count(LAYERS)
    expect(page.locator("#machine .mc-top [role=columnheader]").last).to_have_text("would say")
    page.set_viewport_size({"width": 390, "height": 844})
    cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
    assert page.locator("#machine .mc-two > .mc-chip").evaluate_all(cut) == []  # “layer 2” is not layer 25
    page.locator("#machine .whose button").click()
    said(page, r"^The figures show our model\.$")
    expect(page.locator(".whose")).to_have_count(0)
    sentence(page, "machine", "“pain”")
    press(page, f"Forget {NAME}")
    said(page, f"{NAME} is forgotten")


def test_an_address_shows_size_and_hash_before_anything_is_loaded(browse, server, checkpoint, watch):
    context = browse()
    page = context.new_page()
    names = sorted(p.name for p in checkpoint.iterdir())
    sums = {n: hashlib.sha256((checkpoint / n).read_bytes()).hexdigest() for n in names}
    served = {n: (checkpoint / n).read_bytes() for n in names}
    served["SHA256SUMS"] = "".join(f"{sums[n]}  {n}\n" for n in names).encode()
    asked = []

    def answer(route):
        name = route.request.url.rsplit("/", 1)[1]
        asked.append((route.request.method, name))
        if name in served:
            length = {"content-length": str(len(served[name]))}
            return route.fulfill(body=served[name] if route.request.method == "GET" else b"", headers=length)
        return route.fulfill(status=404)

    context.route("**/models/**", answer)
    page.goto(f"{server.address}own_model.html?model_from=models/tiny-llama&live=0")
    found = place(page).locator(".own-found")
    expect(found).to_contain_text(f"tiny-llama at {urlsplit(server.address).netloc}: {len(names) - 1} files")
    expect(found).to_contain_text(
        f"SHA-256 of their list: {hashlib.sha256(served['SHA256SUMS']).hexdigest()}."
    )
    assert [name for method, name in asked if method == "GET"] == ["SHA256SUMS"]
    served["model-00002-of-00003.safetensors"] += b" "
    place(page).get_by_role("button", name=re.compile("^Load it")).click()
    expect(found).to_have_text(
        "tiny-llama cannot be used: model-00002-of-00003.safetensors is not the file that SHA256SUMS names."
    )
    served["model-00002-of-00003.safetensors"] = served["model-00002-of-00003.safetensors"][:-1]
    place(page).get_by_role("button", name="Look").click()
    place(page).get_by_role("button", name=re.compile("^Load it")).click()
    expect(found).to_have_text("tiny-llama is loaded, and every file is the one that the list names.")
    expect(place(page)).to_have_attribute("data-state", "reading")
    watch.expect("404|Content Security Policy|violates")
    for typed, said_ in {
        "models/none": "SHA256SUMS is missing there (404)",
        "ftp://example.org/a": "an address begins with https://, not with ftp:",
        "https://models.example.org/smol": "models.example.org could not be asked: this site must be built to allow it",
    }.items():
        served.pop("SHA256SUMS", None)
        place(page).get_by_label("Address of the model’s folder").fill(typed)
        page.keyboard.press("Enter")
        expect(found).to_contain_text(said_)


def test_a_model_beyond_the_pages_memory_is_refused_with_numbers(browse, server, tmp_path):
    folder = tmp_path / "wide"
    folder.mkdir()
    files.llama(folder)
    page = browse().new_page()
    page.set_default_timeout(READ_MS)
    page.add_init_script("Object.defineProperty(navigator, 'deviceMemory', { get: () => 0.00002 })")
    page.goto(server.address + PAGE)
    page.locator("[data-pick=folder]").set_input_files(folder)
    said(
        page,
        r"wide cannot be shown: this model has 0 million numbers, which take .* GB of memory; there is room for",
    )
    expect(page.locator(".whose")).to_have_count(0, timeout=READ_MS)
