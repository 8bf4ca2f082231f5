// What a page does wrong towards people who use a screen reader or keys, or tell few colours apart: by axe-core.

import axe from "axe-core";

/** Complaints about what is shown now. */
export async function accessibility(page) {
  const violations = await page.evaluate(async (source) => {
    if (!("axe" in globalThis)) {
      // A script of the page's own: its policy allows no others.
      const script = document.createElement("script");
      script.textContent = source;
      document.head.append(script);
    }
    const { violations: found } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")} (${nodes.length})`);
  }, axe.source);
  return violations;
}
