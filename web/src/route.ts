// The address of what is shown: `#place?name=value&...`, so that a view can be sent to somebody and gone back to.

/** What an address says. */
export interface Route {
  /** A view or a panel. */
  place: string;
  words: URLSearchParams;
}

/** A place as it was meant; one that no page wrote leads nowhere. */
function decoded(place: string): string {
  try {
    return decodeURIComponent(place);
  } catch {
    return "";
  }
}

/** The address now. */
export function route(): Route {
  const [place = "", words = ""] = location.hash.slice(1).split("?");
  return { place: decoded(place), words: new URLSearchParams(words) };
}

/** A whole number in an address, 0 where there is none. */
export function wholeNumber(text: string | null): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Browsers refuse addresses that change too often: one is written once it has been still for so many milliseconds. */
const STILL = 300;
let pending: ReturnType<typeof setTimeout> | undefined;
addEventListener("hashchange", () => clearTimeout(pending));

/** Writes settings of a view into the address, without a new entry in the history; those without a value are left out. */
export function keep(place: string, words: Record<string, string | null>): void {
  const kept = new URLSearchParams();
  Object.entries(words).forEach(([name, value]) => value !== null && kept.set(name, value));
  const text = kept.toString();
  clearTimeout(pending);
  pending = setTimeout(() => history.replaceState(null, "", `#${place}${text === "" ? "" : `?${text}`}`), STILL);
}

/** Goes where an address leads that somebody put into the place of the one before. */
export function onArrival(place: string, go: (words: URLSearchParams) => void): void {
  addEventListener("hashchange", () => {
    const now = route();
    if (now.place === place && now.words.size > 0) {
      go(now.words);
    }
  });
}
