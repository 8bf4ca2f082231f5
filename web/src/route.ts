// The address of what is shown: `#place?name=value&...`, so that a view can be sent to somebody and gone back to.

/** What an address says. */
export interface Route {
  /** A view or a panel. */
  place: string;
  words: URLSearchParams;
}

/** The address now. */
export function route(): Route {
  const [place = "", words = ""] = location.hash.slice(1).split("?");
  return { place: decodeURIComponent(place), words: new URLSearchParams(words) };
}

/** Writes settings of a view into the address, without a new entry in the history; those without a value are left out. */
export function keep(place: string, words: Record<string, string | null>): void {
  const kept = new URLSearchParams();
  Object.entries(words).forEach(([name, value]) => value !== null && kept.set(name, value));
  const text = kept.toString();
  history.replaceState(null, "", `#${place}${text === "" ? "" : `?${text}`}`);
}
