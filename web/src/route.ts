// The address of what is shown: `#place?name=value&...`, so that a view can be shared and bookmarked.

/** The parts of an address. */
export interface Route {
  /** A view or a panel. */
  place: string;
  words: URLSearchParams;
}

/** The decoded name of a place; empty if its encoding is invalid. */
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

/** A whole number in an address, 0 if there is none. */
export function wholeNumber(text: string | null): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Milliseconds without a change before the address is written: browsers refuse addresses that change too often. */
const STILL = 300;
let pending: ReturnType<typeof setTimeout> | undefined;
addEventListener("hashchange", () => clearTimeout(pending));

/** Writes settings of a view into the address, without a new entry in the history; null values are left out. */
export function keep(place: string, words: Record<string, string | null>): void {
  const kept = new URLSearchParams();
  Object.entries(words).forEach(([name, value]) => value !== null && kept.set(name, value));
  const text = kept.toString();
  clearTimeout(pending);
  pending = setTimeout(() => history.replaceState(null, "", `#${place}${text === "" ? "" : `?${text}`}`), STILL);
}

/** Calls `go` when the address is changed to this place with settings. */
export function onArrival(place: string, go: (words: URLSearchParams) => void): void {
  addEventListener("hashchange", () => {
    const now = route();
    if (now.place === place && now.words.size > 0) {
      go(now.words);
    }
  });
}
