// Functions of the page without a browser: values of settings as numbers, sweeps, targets, and where they are met; paths of messages,
// lines of drawings, by themselves and tier by tier, ranks at barriers, and variants.
//
// node tests/units.mjs

import { createServer } from "vite";

const complaints = [];

/** Compares results, as JSON. */
function equal(what, found, expected) {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value));
  if (one !== other) {
    complaints.push(`${what}: ${one}, not ${other}`);
  }
}

function quantities({ quantity, numericAxis, axisTitle, position }) {
  const near = (text, value, dimension) => {
    const found = quantity(text);
    if (found?.dimension !== dimension || !(Math.abs(found.value - value) <= 1e-12 * Math.abs(value))) {
      complaints.push(`${text} is ${JSON.stringify(found)}`);
    }
  };
  near("50Gbps", 50e9, "rate");
  near("1.6Tbps", 1.6e12, "rate");
  near("1MiB", 2 ** 20, "size");
  near("64 KiB", 2 ** 16, "size");
  near("8KB", 8000, "size");
  near("4", 4, "number");
  near("-2", -2, "number");
  near("0.2", 0.2, "number");
  near("1e-4", 1e-4, "number");
  near("55us", 55e-6, "time");
  near("2s", 2, "time");
  near("10%", 0.1, "share");
  for (const text of ["", "–", "none", "ecmp", "4 / 8", "3x", "50 gigabits", "Gbps", "{incast: {size: 512KiB}}", "1.2.3", "toString", "4toString"]) {
    equal(`quantity of “${text}”`, quantity(text), null);
  }
  const axis = (...texts) => numericAxis(texts);
  equal("order of values", axis("1MiB", "64KiB", "512KiB", "64KiB").values.map(({ text }) => text), ["64KiB", "512KiB", "1MiB"]);
  equal("too few values", axis("1", "2", "1"), null);
  equal("a value that is no number", axis("1", "2", "3", "none"), null);
  equal("a missing value", axis("1", "2", "3", "–"), null);
  equal("several dimensions", axis("1us", "2us", "3KiB"), null);
  equal("a number beside times", axis("1", "2us", "3us"), null);
  equal("a zero beside times", axis("0", "2us", "3us").values.length, 3);
  equal("two texts for a number", axis("1ms", "1000us", "3us"), null);
  equal("logarithmic beyond a factor of 8", [axis("1", "2", "8").log, axis("1", "2", "8.1").log, axis("0", "2", "80").log, axis("-1", "2", "80").log], [false, true, false, false]);
  equal("title with a unit", axisTitle("rate", axis("50Gbps", "100Gbps", "200Gbps")), "rate (Gbps)");
  equal("title with several units", axisTitle("size", axis("64KiB", "512KiB", "1MiB")), "size (logarithmic)");
  equal("title with both", axisTitle("delay", axis("1us", "2us", "9us")), "delay (us, logarithmic)");
  equal("title with neither", axisTitle("hosts", axis("4", "8", "16")), "hosts");
  const wide = axis("1", "10", "100");
  equal("positions", wide.values.map((value) => position(wide, value)), [0, 1, 2]);
}

function sweeps({ sweepOf }) {
  const time = (mean) => ({ runs: 1, mean, low: mean, high: mean });
  const found = (settings, groups, times = groups.map((_, nth) => [time(nth + 1)])) => sweepOf({ settings, groups, bars: ["ecmp"], times });
  const means = (sweep) => sweep?.curves.map(({ fixed, times }) => [fixed, times.map(([one]) => one?.mean ?? null)]);
  const plain = found(["fabric.leaf_spine.fabric_rate"], ["400Gbps", "50Gbps", "100Gbps"]);
  equal("a sweep of one setting", [plain?.name, plain?.path, means(plain)], ["fabric_rate", "fabric.leaf_spine.fabric_rate", [["", [2, 3, 1]]]]);
  const beside = found(["a.size", "b.order"], ["1KiB / fifo", "1KiB / voq", "2KiB / fifo", "4KiB / fifo", "4KiB / voq"]);
  equal("a curve for each combination", means(beside), [["order fifo", [1, 3, 4]], ["order voq", [2, null, 5]]]);
  equal("two values are further combinations", found(["a.size", "b.hosts"], ["1 / 4", "2 / 4", "3 / 4", "1 / 8"])?.curves.length, 2);
  equal("two numeric settings", found(["a", "b"], ["1 / 4", "2 / 5", "3 / 6"]), null);
  equal("no numeric setting", found(["a"], ["x", "y", "z"]), null);
  equal("a setting that changes with another one", found(["a", "b"], ["1 / x", "2 / y", "3 / z"]), null);
  equal("names that leave out settings", found(["a", "b", "c", "d"], ["1 / x / y / …", "2 / x / y / …", "3 / x / y / …"]), null);
  equal("a value with a slash", found(["a", "b"], ["1 / x", "2 / x / y", "3 / x"]), null);
  equal("times of two values only", found(["a"], ["1", "2", "3"], [[time(1)], [null], [time(3)]]), null);
}

function thresholds({ brackets, verdict, nearest, targetsBetween }) {
  const rates = ["50Gbps", "100Gbps", "200Gbps", "400Gbps"];
  const samples = (...times) => times.map((ms, nth) => ({ text: rates[nth], time: ms === null ? null : ms / 1000 }));
  const says = (times, ms = 10) => verdict("ecmp", samples(...times), ms / 1000);
  equal("a falling time", says([30, 20, 9, 8]), "ecmp meets 10 ms from 200Gbps on; the threshold lies between 100Gbps and 200Gbps");
  equal("a rising time", says([8, 9, 20, 30]), "ecmp meets 10 ms up to 100Gbps; the threshold lies between 100Gbps and 200Gbps");
  equal("exactly the target", says([30, 20, 10, 8]), "ecmp meets 10 ms from 200Gbps on; the threshold lies between 100Gbps and 200Gbps");
  equal("everywhere", says([9, 9, 10, 8]), "ecmp meets 10 ms at every value");
  equal("nowhere", says([11, 12, 13, 14]), "ecmp never meets 10 ms");
  equal("several times", says([11, 9, 13, 8]), "ecmp crosses 10 ms 3 times: between 50Gbps and 100Gbps (then meets it), between 100Gbps and 200Gbps (then exceeds it), between 200Gbps and 400Gbps (then meets it)");
  equal("a value without a time", says([30, null, 9, 8]), "ecmp meets 10 ms from 200Gbps on; the threshold lies between 50Gbps and 200Gbps; no time at 100Gbps");
  equal("no times", says([null, null]), "ecmp has no completion time here");
  equal("one time", says([9]), "ecmp meets 10 ms at every value");
  equal("brackets", brackets(samples(11, 9, 9, 13), 0.01), [{ below: "50Gbps", above: "100Gbps", begins: true }, { below: "200Gbps", above: "400Gbps", begins: false }]);
  equal("no brackets", [brackets([], 1), brackets(samples(1), 1)], [[], []]);
  for (const [shortest, longest] of [[0.007, 0.0357], [0.01, 0.01], [1e-3, 1.001e-3], [2e-6, 5], [1e-9, 8e-9], [3, 24.1], [0.97, 8.8]]) {
    const { times, start } = targetsBetween(shortest, longest);
    const what = `targets from ${shortest} to ${longest}`;
    equal(`${what} increase`, times.every((time, nth) => nth === 0 || time > times[nth - 1]), true);
    equal(`${what} include both ends`, times[0] <= shortest && times.at(-1) >= longest, true);
    equal(`${what} are not far beyond`, times[0] > 0.95 * shortest && times.at(-1) < 1.05 * longest, true);
    equal(`${what} are few`, times.length <= 1000, true);
    const near = Math.min(1.05 * shortest, times.at(-1));
    equal(`${what} begin near the best`, Math.abs(times[start] - near) <= 0.02 * shortest && times[start] >= shortest, true);
    equal(`${what} are found again`, times.every((time, nth) => nearest(times, Number(String(time))) === nth), true);
  }
}

function strips({ gridOf }) {
  equal("lines of a strip begin with a node", gridOf(256, 320, 8).columns % 8, 0);
  equal("a small strip", gridOf(12, 320), { columns: 12, lines: 1, side: 14 });
  for (const count of [1, 7, 16, 512, 1024]) {
    for (const width of [60, 280, 400, 1300]) {
      for (const period of [1, 4, 7, 24, 64]) {
        const { columns, lines, side } = gridOf(count, width, period);
        const what = `strip of ${count} cells in ${width} px, a node for each ${period}`;
        equal(`${what} has all cells`, columns * lines >= count && columns * (lines - 1) < count, true);
        equal(`${what} fits`, columns * (side + 1) + 1 <= width && side >= 4, true);
      }
    }
  }
}

/** The parts of a message are in the order of its path, whatever the order of its causes. */
function paths({ pathParts, nodeKind }) {
  equal("kinds of nodes", ["leaf0.host13", "spine4", "pod1-edge2", "core0.3", "server7.gpu1", "12"].map(nodeKind), ["host", "spine", "edge", "core", "gpu", "12"]);
  const causes = ["queues spine → leaf", "transmission", "turn at the NIC", "queues leaf → spine", "reordering", "queues elsewhere"];
  const wait = (port, wait, nic = false) => ({ port, wait, nic });
  const waits = [wait("leaf0.host1 → leaf0", 3, true), wait("leaf0 → spine1", 2), wait("spine1 → leaf4 (leaf4-spine1.3)", 4), wait("leaf4 → leaf4.host0", 0)];
  const message = { time: 14, causes: [[0, 4], [1, 1], [2, 3], [3, 2], [4, 3], [5, 1]], waits };
  const found = pathParts({ causes }, message).map(({ cause, time, port }) => [cause, time, port]);
  equal("the path of a message", found, [
    ["turn at the NIC", 3, null],
    ["queues leaf → spine", 2, "leaf0 → spine1"],
    ["queues spine → leaf", 4, "spine1 → leaf4 (leaf4-spine1.3)"],
    ["queues elsewhere", 1, null],
    ["transmission", 1, null],
    ["reordering", 3, null],
  ]);
}

/** A port is in the line of a drawing whose squares have its nodes. */
function lines({ edgeContaining }) {
  const square = (name, last = null) => ({ name, last });
  const squares = [square("server0.gpu2", "server1.gpu3"), square("rail0", "rail3"), square("spine9")];
  const fabric = { squares, edges: [{ from: 0, to: 1 }, { from: 1, to: 2 }] };
  equal("a node between two of several numbers", edgeContaining(fabric, "server1.gpu0", "rail2"), "server0.gpu2 – server1.gpu3 → rail0 – 3");
  equal("a node alone", edgeContaining(fabric, "rail3", "spine9"), "rail0 – 3 → spine9");
  equal("a node before the first", edgeContaining(fabric, "server0.gpu1", "rail2"), null);
  equal("a node of another kind", edgeContaining(fabric, "server1.nic0", "rail2"), null);
}

/** Lines of a drawing are grouped by direction and kinds: upwards, within a tier, downwards. */
function tiers({ tierLines }) {
  const named = (tier, ...names) => names.map((name) => ({ name, last: null, tier }));
  const both = (links, base = 0) => links.flatMap(([from, to], nth) => [{ from, to, port: base + 2 * nth, ports: 1 }, { from: to, to: from, port: base + 2 * nth + 1, ports: 1 }]);
  const squares = [...named(0, "server0.gpu0", "server0.gpu1", "server1.gpu0", "server1.gpu1"), ...named(1, "server0.switch", "server1.switch", "rail0", "rail1"), ...named(2, "spine0")];
  const links = [[0, 6], [0, 4], [1, 7], [1, 4], [2, 6], [2, 5], [3, 7], [3, 5], [6, 8], [7, 8]];
  const fabric = { squares, edges: both(links).reverse() };
  const found = tierLines(fabric);
  equal("tiers of a rail", found.map(({ title }) => title), ["gpu → rail", "gpu → switch", "rail → spine", "spine → rail", "rail → gpu", "switch → gpu"]);
  equal("every line is in one tier", found.flatMap(({ edges }) => edges).sort((one, other) => one - other), fabric.edges.map((_, nth) => nth));
  equal("lines are in the order of the nodes", found[0].edges.map((number) => fabric.edges[number].from), [0, 1, 2, 3]);
  equal("lines of a square", [found[0].period, found[5].period], [1, 2]);
  const groups = { squares: named(1, "router0", "router1", "router2"), edges: both([[0, 1], [1, 2]]) };
  equal("a group of routers", tierLines(groups).map(({ title, ports }) => [title, ports]), [["router → router", 4]]);
  const levels = { squares: [...named(0, "host0"), ...named(1, "switch0"), ...named(2, "switch1"), ...named(3, "switch2")], edges: both([[0, 1], [1, 2], [2, 3]]) };
  equal("tiers of the same kinds", tierLines(levels).map(({ title }) => title).slice(1, 4), [
    "switch → switch away from hosts (such as switch0 → switch1)",
    "switch → switch away from hosts (such as switch1 → switch2)",
    "switch → switch towards hosts (such as switch2 → switch1)",
  ]);
  const letters = Array.from({ length: 30 }, (_, nth) => String.fromCharCode(97 + (nth % 26)).repeat(1 + Math.floor(nth / 26)));
  const mixed = { squares: [...named(0, ...letters.slice(1)), ...named(1, letters[0])], edges: both(letters.slice(1).map((_, nth) => [nth, 29])) };
  equal("names that say no kinds", tierLines(mixed).map(({ title }) => title), ["host → switch of tier 1", "switch of tier 1 → host"]);
  const joined = { squares: [{ name: "server0.switch", last: "rail3", tier: 1 }, ...named(2, "spine0")], edges: both([[0, 1]]) };
  equal("a square of two kinds", tierLines(joined)[0].title, "switch and rail → spine");
}

/** Ranks at the barriers of a step and at its end: the last of them is named unless others arrive with it. */
function arrivals({ arrivalsOf, lastOf }) {
  const span = (rank, activity, start, length, phase = null) => ({ rank, activity, phase, bucket: null, start, length });
  const steps = (...lengths) => lengths.map((length, rank) => span(rank, "step", 0, length));
  const barrier = (phase, end, ...starts) => starts.map((start, rank) => span(rank, "barrier", start, end === null ? null : end - start, phase));
  const found = (...spans) => arrivalsOf(spans.flat()).map((one) => [one.title, one.ranks.map(({ rank, time }) => [rank, time]), lastOf(one)?.rank ?? null]);
  equal("two barriers before a common end", found(steps(90, 90, 90), barrier(1, 70, 70, 60, 50), barrier(1, 30, 20, 30, 20)), [
    ["barrier 1", [[0, 20], [2, 20], [1, 30]], 1],
    ["barrier 2", [[2, 50], [1, 60], [0, 70]], 0],
  ]);
  equal("a step without barriers", found(steps(90, 80, null)), [["end of the step", [[1, 80], [0, 90]], 0]]);
  equal("a barrier, and ranks that end at different times", found(steps(90, 80), barrier(1, 30, 20, 30)).map(([title]) => title), ["barrier", "end of the step"]);
  equal("ranks that end together", found(steps(90, 90)), [["end of the step", [[0, 90], [1, 90]], null]]);
  equal("a barrier that was not left", found(steps(null, null), barrier(1, null, 20, 30)), [["barrier", [[0, 20], [1, 30]], 1]]);
  equal("no spans", found([]), []);
}

/** Runs of a variant share a colour; the baseline and the best variant come first. */
function variants({ colourByVariant, comparedFirst, variantOf }) {
  const compared = [1, 2].map((variant) => ({ variant, speedup: { ratio: variant } }));
  const answer = { baseline: 1, variants: [{ runs: [0, 1] }, { runs: [2, 3] }, { runs: [4, 5] }], verdicts: [{ compared }] };
  const report = { runs: Array(7).fill({}), answer };
  colourByVariant(report);
  equal("variants of runs", [0, 1, 2, 3, 4, 5, 6].map((run) => variantOf(run).variant), [0, 0, 1, 1, 2, 2, 3]);
  equal("the runs compared first", comparedFirst(report, [0, 1, 2, 3, 4, 5, 6]).slice(0, 2), [2, 4]);
}

const server = await createServer({ root: new URL("..", import.meta.url).pathname, configFile: false, logLevel: "error", server: { middlewareMode: true, hmr: false, watch: null }, optimizeDeps: { noDiscovery: true }, appType: "custom" });
try {
  quantities(await server.ssrLoadModule("/src/numeric_axis.ts"));
  sweeps(await server.ssrLoadModule("/src/sweep.ts"));
  strips(await server.ssrLoadModule("/src/strip.ts"));
  thresholds(await server.ssrLoadModule("/src/threshold.ts"));
  paths(await server.ssrLoadModule("/src/path_order.ts"));
  lines(await server.ssrLoadModule("/src/fabric/containing.ts"));
  tiers(await server.ssrLoadModule("/src/fabric/tier_lines.ts"));
  arrivals(await server.ssrLoadModule("/src/jobs/arrivals.ts"));
  variants(await server.ssrLoadModule("/src/variants.ts"));
} finally {
  await server.close();
}
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exit(1);
}
console.log("units: values, sweeps, strips, thresholds, paths, lines, tiers, arrivals and variants are as expected");
