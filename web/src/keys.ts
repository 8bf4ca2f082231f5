// Letters as keys of a panel: they act while the panel is shown, unless an input has the focus, and never with a modifier key.

const INPUTS = "input, select, textarea, [contenteditable]";

/** Whether a key is meant for the page, not for an input or the browser. */
function isForPage(event: KeyboardEvent): boolean {
  const isTyping = event.target instanceof HTMLElement && event.target.closest(INPUTS) !== null;
  return !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
}

/** Calls the function of a letter, which is written in lower case, when its key is pressed while `box` is shown. */
export function onLetters(box: HTMLElement, acts: Record<string, () => void>): void {
  addEventListener("keydown", (event) => {
    const act = Object.entries(acts).find(([letter]) => letter === event.key.toLowerCase())?.[1];
    if (act !== undefined && isForPage(event) && box.offsetParent !== null) {
      event.preventDefault();
      act();
    }
  });
}
