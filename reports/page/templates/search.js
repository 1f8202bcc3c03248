// Searches the headings, findings, captions and table rows of the page, and marks the current section in the contents.
// The page is complete without it.
(() => {
  "use strict";
  const most = 40, width = 120; // places, and characters of each
  const box = document.querySelector(".search"), input = document.getElementById("search"), list = document.getElementById("found");
  const plain = text => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const words = e => e.textContent.replace(/\s+/g, " ").trim();
  let index = null;

  function build() {
    index = [];
    const add = (e, text, of) => index.push({ element: e, text, of, plain: plain(text + " " + of) });
    for (const e of document.querySelectorAll("main h2, main h3, .finding, .detail, figcaption, .definitions dt, .definitions dd"))
      add(e, words(e), "");
    for (const row of document.querySelectorAll("main tbody tr")) {
      const title = row.closest(".table, details")?.querySelector("h3, summary");
      add(row, [...row.cells].map(words).filter(Boolean).join(" · "), title ? words(title) : "");
    }
  }

  // around returns the part of a text where the first of the terms is.
  function around(text, terms) {
    if (text.length <= width) return text;
    const at = Math.max(0, ...terms.slice(0, 1).map(t => plain(text).indexOf(t)));
    const from = Math.max(0, Math.min(at - width / 3, text.length - width));
    return (from > 0 ? "…" : "") + text.slice(from, from + width) + (from + width < text.length ? "…" : "");
  }

  function open(e) {
    for (let d = e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    for (const old of document.querySelectorAll(".hit")) old.classList.remove("hit");
    e.classList.add("hit");
    e.scrollIntoView({ block: "center" });
    if (!e.hasAttribute("tabindex")) e.setAttribute("tabindex", "-1");
    e.focus({ preventScroll: true });
  }

  function search() {
    const terms = plain(input.value).split(/\s+/).filter(Boolean);
    list.replaceChildren();
    if (!terms.length) return;
    if (!index) build();
    const hits = index.filter(x => terms.every(t => x.plain.includes(t)));
    const count = document.createElement("p");
    count.textContent = hits.length === 0 ? "Nothing found on this page." :
      hits.length > most ? `The first ${most} of ${hits.length} places` : hits.length === 1 ? "1 place" : `${hits.length} places`;
    list.append(count);
    for (const hit of hits.slice(0, most)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = around(hit.text, terms);
      if (hit.of) {
        const of = document.createElement("small");
        of.textContent = hit.of;
        button.append(of);
      }
      button.addEventListener("click", () => open(hit.element));
      list.append(button);
    }
  }

  box.hidden = false;
  input.addEventListener("input", search);
  input.addEventListener("keydown", e => {
    if (e.key === "Enter") list.querySelector("button")?.click();
    if (e.key === "Escape") { input.value = ""; search(); }
  });
  document.addEventListener("keydown", e => {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, textarea, select")) return;
    e.preventDefault();
    input.focus();
    input.select();
  });

  const links = new Map([...document.querySelectorAll(".contents a")].map(a => [a.getAttribute("href").slice(1), a]));
  const places = [...links.keys()].map(id => document.getElementById(id)).filter(Boolean);
  let current = null;
  function mark() {
    let at = places[0];
    for (const p of places) if (p.getBoundingClientRect().top < innerHeight / 3 && p.offsetParent) at = p;
    if (!at || at === current) return;
    current = at;
    for (const a of links.values()) a.removeAttribute("aria-current");
    for (const li of document.querySelectorAll(".contents > .open")) li.classList.remove("open");
    const link = links.get(at.id);
    link.setAttribute("aria-current", "location");
    link.closest(".contents > li").classList.add("open");
    const nav = document.querySelector("nav");
    if (nav.scrollHeight > nav.clientHeight) link.scrollIntoView({ block: "nearest" });
  }
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
  mark();
  addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details")) d.open = true; });
})();
