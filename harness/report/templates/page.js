// The page's one script: compute p again from the printed table, narrow the table of tasks, copy commands, open what a link or
// a printer needs.
// The page is complete without it.
(function () {
  "use strict";
  var find = function (selector) { return document.querySelector(selector); };

  function gcd(a, b) { return b ? gcd(b, a % b) : a; }

  // Exact one-sided sign-flip test over tasks: the share of all choices of signs that reach the observed sum.
  function signFlip(scores) {
    scores = scores.filter(Boolean);
    var observed = scores.reduce(function (a, b) { return a + b; }, 0);
    var counts = new Map([[0, 1n]]);
    scores.forEach(function (score) {
      var size = Math.abs(score), next = new Map();
      counts.forEach(function (count, sum) {
        next.set(sum + size, (next.get(sum + size) || 0n) + count);
        next.set(sum - size, (next.get(sum - size) || 0n) + count);
      });
      counts = next;
    });
    var reached = 0n;
    counts.forEach(function (count, sum) { if (sum >= observed) reached += count; });
    return Number(reached) / Math.pow(2, scores.length);
  }

  // [sum of variant - baseline, number of complete pairs] of one task on one gate, from its two rows of 1, 0 and -.
  function difference(baseline, variant) {
    var total = 0, pairs = 0;
    for (var k = 0; k < baseline.length; k++) {
      if (baseline[k] !== "-" && variant[k] !== "-") { pairs++; total += variant[k] - baseline[k]; }
    }
    return [total, pairs];
  }

  var button = find("#recompute");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var rows = find("#raw").textContent.trim().split("\n").slice(1).map(function (line) {
        return line.trim().split(/\s+/).slice(-6);
      });
      var told = ["tests", "style", "review"].map(function (gate, column) {
        var tasks = rows.map(function (row) { return difference(row[column], row[column + 3]); })
          .filter(function (task) { return task[1]; });
        var common = tasks.reduce(function (all, task) { return all / gcd(all, task[1]) * task[1]; }, 1);
        var p = signFlip(tasks.map(function (task) { return task[0] * common / task[1]; }));
        var recorded = Number(button.dataset[gate]);
        var same = Math.abs(p - recorded) <= 1e-12;
        return gate + " " + p.toPrecision(4) + (same ? " (same as the record)" : " (DIFFERS from the record: " + recorded + ")");
      });
      find("#recomputed").textContent = "Computed here, now: " + told.join(", ") + ".";
    });
  }

  var pick = find("#pick");
  if (pick) {
    var tasks = document.querySelectorAll("#tasks tbody tr:not(.gh)");
    pick.hidden = false;
    pick.addEventListener("input", function () {
      var name = find("#pickname").value.trim().toLowerCase(), gate = find("#pickgate").value, shown = 0;
      tasks.forEach(function (row) {
        var same = gate && row.querySelectorAll(".c")[gate].classList.contains("eq");
        row.hidden = same || row.querySelector("th").textContent.toLowerCase().indexOf(name) < 0;
        shown += !row.hidden;
      });
      document.querySelectorAll("#tasks tbody").forEach(function (group) {
        group.hidden = !group.querySelector("tr:not(.gh):not([hidden])");
      });
      find("#picked").textContent = shown + " of " + tasks.length + " tasks";
    });
  }

  document.querySelectorAll("[data-copy]").forEach(function (copy) {
    copy.hidden = !navigator.clipboard;
    copy.addEventListener("click", function () {
      navigator.clipboard.writeText(find(copy.dataset.copy).textContent).then(function () { copy.textContent = "Copied"; });
    });
  });

  // A link into a closed part opens it; printing opens everything.
  function openTarget() {
    var part = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  }
  addEventListener("hashchange", openTarget);
  openTarget();
  var before = [];
  addEventListener("beforeprint", function () {
    before = [];
    document.querySelectorAll("details").forEach(function (part) { before.push([part, part.open]); part.open = true; });
  });
  addEventListener("afterprint", function () { before.forEach(function (pair) { pair[0].open = pair[1]; }); });
})();
