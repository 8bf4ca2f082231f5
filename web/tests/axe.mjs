// Accessibility checks of a page by axe-core: screen readers, keyboard, contrast of colours.

import axe from "axe-core";

/** Violations in the current state of the page. */
export async function accessibility(page) {
  const violations = await page.evaluate(async (source) => {
    if (!("axe" in globalThis)) {
      // Injected as a script of the page itself: its policy allows no others.
      const script = document.createElement("script");
      script.textContent = source;
      document.head.append(script);
    }
    const { violations: found } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")} (${nodes.length})`);
  }, axe.source);
  return violations;
}
