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
