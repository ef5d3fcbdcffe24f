// Comfort only: every page works without it. Refreshes what is on its way, and speaks of a file that is too long before
// it is sent.
"use strict";

const EVERY_MS = 2000;

function refresh(live) {
  setTimeout(async () => {
    if (document.hidden) return refresh(live);
    try {
      const answer = await fetch(live.dataset.live, { credentials: "same-origin", redirect: "error" });
      if (answer.status === 401) return location.reload();
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
        const focused = live.contains(document.activeElement) && document.activeElement !== document.body;
        if (!focused && fresh.innerHTML.trim() !== live.innerHTML.trim()) {
          const before = status();
          live.replaceChildren(...fresh.childNodes);
          // A region that is there before its words change is one that screen readers read out.
          if (status() !== before) document.querySelector("[data-say]").textContent = status();
        }
      }
    } catch {
      // The server is away for a moment; the next turn asks again.
    }
    if (live.querySelector('[data-running="yes"]')) refresh(live);
  }, EVERY_MS);
}

function status() {
  return document.querySelector("[data-live] .status")?.textContent.trim() ?? "";
}

const live = document.querySelector("[data-live]");
if (live && live.querySelector('[data-running="yes"]')) refresh(live);

if (document.querySelector("[data-reload]")) setTimeout(() => location.reload(), 1000);

// A page of decisions is shown anew when what waits has changed, and says so where somebody has begun to write. It looks
// for ten minutes: a page that nobody uses must not keep its session alive.
const FOLLOW_MS = 10000;
const MOST_LOOKS = 60;

function follow(note, looks) {
  if (looks === 0) return;
  setTimeout(async () => {
    if (document.hidden) return follow(note, looks);
    try {
      const answer = await fetch(note.dataset.follow, { credentials: "same-origin", redirect: "error" });
      if (answer.status === 401) return location.reload();
      if (answer.ok && (await answer.text()) !== note.dataset.stamp) {
        const begun = [...document.querySelectorAll("main input, main textarea")].some(
          (field) => field.type !== "hidden" && (field.value !== field.defaultValue || field.checked !== field.defaultChecked),
        );
        if (!begun) return location.reload();
        note.hidden = false;
        return;
      }
    } catch {
      // The server is away for a moment; the next turn asks again.
    }
    follow(note, looks - 1);
  }, FOLLOW_MS);
}

const followed = document.querySelector("[data-follow]");
if (followed) follow(followed, MOST_LOOKS);

for (const upload of document.querySelectorAll("form[data-upload]")) {
  upload.addEventListener("submit", (event) => {
    let bytes = 0;
    for (const input of upload.querySelectorAll('input[type="file"]')) for (const file of input.files) bytes += file.size;
    const problem = upload.querySelector("[data-problem]");
    problem.hidden = bytes <= Number(upload.dataset.limit);
    if (!problem.hidden) {
      problem.textContent = upload.dataset.tooLarge;
      event.preventDefault();
    }
  });
}
