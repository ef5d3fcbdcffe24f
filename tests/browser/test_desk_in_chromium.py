"""The desk in a real browser: from upload to reconciliation, on a screen and on a phone, with and without script."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser.conftest import SHOTS
from tests.flows.jobs import declare, payee, payment, people, write_sheet
from tests.flows.oracle import CREATE

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]
SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(scope="module")
def jobs(place: Path) -> Path:
    folder = place / "jobs"
    for name in ("broken", "payments"):
        shutil.copytree(SAMPLES / name, folder / name, ignore=shutil.ignore_patterns("out"))
    first, second = people(2)
    for job, other in (("aurora", "20,00"), ("boreal", "21,00"), ("cedro", "22,00"), ("dourado", "23,00")):
        (folder / job).mkdir()
        write_sheet(folder / job / "payments.xlsx", [payment(first, "10,00"), payment(second, other)])
        declare(folder / job / "job.yaml", job=job)
    return folder


@pytest.fixture(autouse=True)
def paid_before(service) -> list[int]:
    """What the service has paid when a test begins."""
    return service.paid


def paid_since(service, before: list[int]) -> list[int]:
    return sorted((Counter(service.paid) - Counter(before)).elements())


def look(page, job: str, *files: Path) -> None:
    page.click(f"text={job}")
    if files:
        page.set_input_files("input[type=file]", [str(file) for file in files])
    page.click("main form button.main")
    page.wait_for_selector("#recognised")


def ended(page) -> str:
    page.wait_for_selector('[data-running="no"]', timeout=90_000)
    return page.inner_text("main")


def test_a_sheet_goes_from_upload_to_reconciliation(someone, shot, service):
    ana = someone("Ana Lima")
    shot(ana, "home")
    look(ana, "aurora-broken")
    shot(ana, "preview-problems")
    with ana.expect_download() as taken:
        ana.click("text=Baixar corrections.xlsx")
    assert taken.value.suggested_filename == "corrections.xlsx"
    ana.click(".brand")
    look(ana, "aurora-payments", SAMPLES / "payments" / "payments.xlsx")
    shot(ana, "look")
    ana.click("text=Iniciar a execução")
    ana.wait_for_selector("[data-live]")
    assert "espera aprovação" in ended(ana)
    shot(ana, "run-waits")
    assert service.posts == 0

    bia = someone("Bia Souza")
    shot(bia, "home-waits")
    bia.click(".waits a")
    shot(bia, "plan")
    bia.fill("input.amount", "1,00")
    bia.click("text=Aprovar este total")
    assert "nada foi registrado" in bia.inner_text('main [role="alert"]')
    bia.fill("input.amount", "245.846,89")
    bia.click("text=Aprovar este total")
    bia.wait_for_selector("[data-live]")
    shot(bia, "run-live")
    assert "Concluído." in ended(bia)
    shot(bia, "run-done")
    assert sum(service.paid) == 24584689
    with bia.expect_download() as taken:
        bia.click("text=summary.json")
    summary = json.loads(taken.value.path().read_text(encoding="utf-8"))
    assert summary["totals_cents"]["in"] == 24584689
    bia.click("text=English")
    bia.wait_for_selector("text=Where every centavo is")
    shot(bia, "run-done-en")
    bia.click("text=63 statements")
    shot(bia, "statements-en")
    bia.click("text=Português")
    bia.wait_for_selector("text=Demonstrativos")
    bia.click("header >> text=Pagamentos")
    shot(bia, "payments")
    bia.screenshot(path=str(SHOTS / "payments-top.png"))
    bia.click("main th a")
    bia.wait_for_selector("text=por dia")
    shot(bia, "payee")


class Road(NamedTuple):
    """One way through the desk, with what it pays."""

    job: str
    script: bool
    wide: int
    cents: list[int]


ON_A_SCREEN = Road("'dourado'", script=True, wide=1180, cents=[1000, 2300])
ON_A_PHONE = Road("'aurora'", script=False, wide=390, cents=[1000, 2000])


@pytest.mark.parametrize(
    "road",
    [
        pytest.param(ON_A_SCREEN, id="on a screen", marks=pytest.mark.journey),
        pytest.param(ON_A_PHONE, id="without script on a phone"),
    ],
)
def test_a_job_is_looked_at_started_approved_and_paid(someone, shot, service, paid_before, road):
    ana, bia = (someone(name, script=road.script, wide=road.wide) for name in ("Ana Lima", "Bia Souza"))
    look(ana, road.job)
    shot(ana, f"road-look-{road.wide}", script=road.script)
    ana.click("text=Iniciar a execução")
    ana.wait_for_selector("text=espera aprovação", timeout=90_000)
    bia.reload()
    bia.click(".waits a")
    shot(bia, f"road-plan-{road.wide}", script=road.script)
    bia.fill("input.amount", f"{sum(road.cents) // 100}")
    bia.click("text=Aprovar este total")
    bia.wait_for_selector("text=Concluído.", timeout=90_000)
    assert paid_since(service, paid_before) == road.cents


@pytest.mark.parametrize(("wide", "dark"), [(1180, False), (390, True)])
def test_a_job_is_made_of_a_sheet_and_its_files_are_changed(someone, shot, tmp_path, wide, dark):
    ana, (first, second) = someone("Ana Lima", wide=wide, dark=dark), people(2)
    sheet = write_sheet(tmp_path / "cachês.xlsx", [payment(first, "11,23"), payment(second, "5O,00")])
    ana.click("text=Novo job")
    shot(ana, f"new-job-{wide}")
    ana.set_input_files("input[type=file]", str(sheet))
    ana.click("main form button.main")
    ana.wait_for_selector("#answers")
    shot(ana, f"new-job-draft-{wide}")
    ana.fill("input[name=name]", f"caches-{wide}")
    ana.fill("input[name=payer_tax_id]", "12.ABC.345/01DE-35")
    ana.fill("input[name=payer_name]", "Selo Aurora")
    ana.fill("input[name=period]", "2026-10")
    ana.click("text=Criar o job")
    ana.wait_for_selector("text=Arquivos deste job")
    job = ana.url
    ana.click("main form button.main")
    ana.wait_for_selector("#recognised")
    ana.fill('input[value="5O,00"]', "57,31")
    shot(ana, f"preview-put-right-{wide}")
    ana.click("text=Corrigir estas células")
    ana.wait_for_selector("text=Nenhum problema")
    ana.goto(f"{job}/files")
    ana.click("summary:has-text('Favorecidos')")
    payees = write_sheet(tmp_path / "payees.xlsx", [payee(first), payee(second)])
    ana.set_input_files('input[name="file:payees"]', str(payees))
    shot(ana, f"job-files-{wide}")
    ana.click('form[action$="/tables/payees"] button')
    ana.wait_for_selector("text=O que mudaria")
    shot(ana, f"job-change-{wide}")
    assert ana.evaluate(CONTRAST) == []
    ana.click("text=Adotar")
    ana.wait_for_selector("text=Versões")


def test_a_statement_that_nobody_declared_becomes_a_job_by_what_came_in(someone, shot, tmp_path):
    ana, sheet = someone("Ana Lima"), tmp_path / "abrechnung.csv"
    lines = (
        "Titel;Kennung;Umsatz;Abzug;Rest",
        "Samba;BRAUR2600001;3,75;0,75;3,00",
        "Frevo;BRAUR2600002;2,20;0,44;1,76",
    )
    sheet.write_text("\n".join((*lines, "Summe;;5,95;1,19;4,76")), "utf-8")
    ana.click("text=Novo job")
    ana.set_input_files("input[type=file]", str(sheet))
    ana.click("main form button.main")
    ana.wait_for_selector("#answers")
    said = {
        "name": "abrechnung",
        "payer_tax_id": "12.ABC.345/01DE-35",
        "payer_name": "Selo Aurora",
        "period": "2026-10",
    }
    for field, text in (said | {"received-0": "EUR 9,99"}).items():
        ana.fill(f"input[name={field}]", text)
    ana.click("text=Criar o job")
    ana.wait_for_selector('main [role="alert"]')
    assert "Rest 4,76" in ana.inner_text("main"), "what its columns come to"
    shot(ana, "new-job-nothing-came-in")
    ana.fill("input[name=received-0]", "EUR 4,76")
    ana.click("text=Criar o job")
    ana.wait_for_selector("text=Arquivos deste job")
    shot(ana, "job-of-a-strange-statement")


@pytest.mark.parametrize(("wide", "dark"), [(1180, False), (390, True)])
def test_a_file_of_another_month_is_answered_for_and_the_next_month_has_its_form(someone, shot, tmp_path, wide, dark):
    ana, (first, second) = someone("Ana Lima", wide=wide, dark=dark), people(2)
    sheet = write_sheet(tmp_path / f"novembro {wide}.xlsx", [payment(first, "31,23"), payment(second, f"5{wide},00")])
    ana.click("text=dourado")
    ana.click("summary:has-text('Novo mês')")
    shot(ana, f"month-new-{wide}")
    assert ana.evaluate(CONTRAST) == []
    ana.set_input_files('form[action$="/preview"] input[type=file]', str(sheet))
    ana.click('form[action$="/preview"] button.main')
    ana.wait_for_selector("#month-1")
    assert not ana.query_selector('form[action$="/launch"]')
    shot(ana, f"month-question-{wide}")
    assert ana.evaluate(CONTRAST) == []
    ana.click("text=É isso")
    ana.wait_for_selector('form[action$="/launch"]')
    assert "novembro de 2026" in ana.inner_text("main")


def test_no_page_is_wider_than_a_small_phone_and_the_dark_is_dark(someone, shot):
    ana = someone("Ana Lima", wide=360, dark=True)
    shot(ana, "small-dark-home")
    look(ana, "aurora-broken")
    shot(ana, "small-dark-look")
    ana.goto(ana.url.split("/previews")[0] + "/doubts")
    shot(ana, "small-dark-doubts")
    ana.goto(ana.url.split("/doubts")[0] + "/payments")
    shot(ana, "small-dark-payments")
    assert ana.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 23, 21)"


def test_the_keyboard_alone_is_enough_to_reach_the_content_and_every_field_has_its_name(someone):
    bia = someone("Bia Souza")
    bia.keyboard.press("Tab")
    assert bia.evaluate("document.activeElement.className") == "skip"
    bia.keyboard.press("Enter")
    assert bia.evaluate("location.hash") == "#main"
    bia.goto(bia.url.split("#")[0] + "doubts")
    nameless = """[...document.querySelectorAll('input:not([type=hidden]), textarea, select')]
        .filter(field => !field.labels.length && !field.ariaLabel).length"""
    assert bia.evaluate(nameless) == 0


CONTRAST = """[...document.querySelectorAll('main *, header *, footer *')].flatMap(node => {
  const text = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
  if (!text || !node.checkVisibility() || node.closest('.hidden, .skip')) return [];
  const parts = colour => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  let ground = node;
  while (ground && parts(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
  const shine = colour => parts(colour).slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, place) => sum + value * [0.2126, 0.7152, 0.0722][place], 0);
  const [low, high] = [getComputedStyle(node).color, getComputedStyle(ground ?? document.body).backgroundColor]
    .map(shine).sort((one, other) => one - other);
  const ratio = (high + 0.05) / (low + 0.05);
  return ratio < 4.5 ? [`${node.tagName} ${node.textContent.trim().slice(0, 30)} ${ratio.toFixed(2)}`] : [];
})"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_word_stands_out_from_its_ground(someone, dark):
    ana = someone("Ana Lima", dark=dark)
    home = ana.url
    for page in ("", "runs", "payments", "doubts", "nothing-here"):
        ana.goto(home + page)
        assert ana.evaluate(CONTRAST) == []
    ana.goto(home)
    look(ana, "aurora-broken")
    assert ana.evaluate(CONTRAST) == []


def test_a_total_that_was_refused_is_told_beside_its_field(someone, service, paid_before):
    ana = someone("Ana Lima")
    look(ana, "'cedro'")
    ana.click("text=Iniciar a execução")
    ana.wait_for_selector("[data-live]")
    ended(ana)
    bia = someone("Bia Souza")
    bia.click(".waits a")
    bia.fill("input.amount", "1,00")
    bia.click("text=Aprovar este total")
    field = bia.wait_for_selector("input.amount[aria-invalid=true]")
    told = bia.query_selector("#" + field.get_attribute("aria-describedby").split()[-1])
    assert "nada foi registrado" in told.inner_text()
    assert told.is_visible()
    assert field.evaluate("field => field === document.activeElement")
    bia.fill("textarea[name=why]", "a test")
    bia.click("text=Rejeitar o plano")
    bia.wait_for_selector("text=Rejeitado por")
    assert paid_since(service, paid_before) == []


def test_a_submission_in_doubt_is_resolved_with_a_report_found_by_hand(someone, shot, service, paid_before):
    ana, bia = someone("Ana Lima"), someone("Bia Souza")
    look(ana, "'boreal'")
    ana.click("text=Iniciar a execução")
    ana.wait_for_selector("[data-live]")
    ended(ana)
    service.plant(CREATE, "reset", when="before")
    bia.reload()
    bia.click(".waits a")
    bia.fill("input.amount", "31,00")
    bia.click("text=Aprovar este total")
    bia.wait_for_selector("[data-live]")
    assert "dúvida" in ended(bia)
    caio = someone("Caio Prado")
    shot(caio, "home-doubt")
    caio.click(".waits a >> nth=0")
    shot(caio, "doubts")
    caio.fill("input[name=report]", "no-such-report")
    caio.click("text=É este relatório")
    assert "o serviço não mostra o relatório" in caio.inner_text('main [role="alert"]')
    assert paid_since(service, paid_before) == []


def test_a_file_beyond_the_limit_is_told_before_it_is_sent(someone, tmp_path, shot):
    large = tmp_path / "payments.xlsx"
    with large.open("wb") as stream:
        stream.truncate(200_000_000)
    ana = someone("Ana Lima")
    ana.click("'aurora'")
    ana.set_input_files("input[type=file]", str(large))
    ana.click("main form button.main")
    assert "limite é de 100 MB" in ana.inner_text("[data-problem]")
    shot(ana, "too-large")


def test_a_file_beyond_the_limit_is_told_after_it_was_sent_too(someone, tmp_path, place):
    large = tmp_path / "payments.xlsx"
    with large.open("wb") as stream:
        stream.truncate(200_000_000)
    ana = someone("Ana Lima", script=False)
    ana.click("'aurora'")
    ana.set_input_files("input[type=file]", str(large))
    ana.click("main form button.main")
    ana.wait_for_selector("text=O arquivo é grande demais: o limite é de 100 MB. Nada foi guardado.")
    kept = [path.stat().st_size for path in (place / "home" / "uploads").rglob("*") if path.is_file()]
    assert max(kept, default=0) < 1_000_000


def test_the_page_of_doubts_follows_what_changes_and_spares_what_somebody_writes(someone, place):
    caio, dora = someone("Caio Prado"), someone("Caio Prado")
    for page in (caio, dora):
        page.clock.install()
        page.goto(page.url.rsplit("/", 1)[0] + "/doubts")
    dora.fill('form[action="/sending/hold"] [name=why]', "a first look")
    other = someone("Caio Prado")
    other.goto(other.url.rsplit("/", 1)[0] + "/doubts")
    other.fill('form[action="/sending/hold"] [name=why]', "the bank is closed")
    other.click('form[action="/sending/hold"] button')
    for page in (caio, dora):
        page.clock.run_for(11_000)
    caio.wait_for_selector("text=the bank is closed")
    dora.wait_for_selector("text=Algo aqui mudou")
    assert dora.input_value('form[action="/sending/hold"] [name=why]') == "a first look"
    other.click('form[action="/sending/release"] button')
