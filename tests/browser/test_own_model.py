"""A reader's own model in Chromium: picked, read in the page, shown in every figure, kept, forgotten, refused."""

import re

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
STOP_AT_ONCE = """() => {
  const amount = document.querySelector(".own-amount");
  new MutationObserver((_, watch) => {
    if (!amount.textContent) return;
    watch.disconnect();
    window.halfway = amount.textContent;
    [...document.querySelectorAll(".own-actions button")].find((b) => b.textContent === "Stop").click();
  }).observe(amount, { childList: true });
}"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A Llama of seven layers in three shards, with its tokenizer and a file that does not matter."""
    folder = tmp_path_factory.mktemp("readers") / "tiny-llama"
    folder.mkdir()
    files.llama(folder, "BF16", shards=3, num_hidden_layers=7, vocab_size=272, max_position_embeddings=512)
    files.tokenizer(folder)
    (folder / "README.md").write_text("# a model")
    return folder


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
    expect(page.locator(".whose")).to_have_count(7, timeout=READ_MS)

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
    page.locator("#rest .whose button").click()  # ours, a press away
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
    page.evaluate(STOP_AT_ONCE)
    page.locator("[data-pick=folder]").set_input_files(large)
    said(page, r"large was not read to its end; the figures show our model")
    assert page.evaluate("window.halfway")
    place(page).get_by_role("button", name="Choose files").focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(sorted(checkpoint.glob("*.json")))
    said(page, r"the shard model-00001-of-00003\.safetensors is missing")


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
