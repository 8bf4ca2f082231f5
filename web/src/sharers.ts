// Whose packets left a port while a message waited there, in words.

import type { MessageData, SharerData, WaitData } from "./explained_data.ts";
import { pairOf } from "./message_names.ts";
import { percent, some } from "./units.ts";

/** Explains the names of those ahead. */
export const SHARERS = "Other messages of this pair have the same sender and the same receiver; shares are of the bytes that left.";

/** A share in whole percent, as far as that says something. */
export const rounded = (share: number): string => (share < 0.01 ? percent(share) : `${Math.round(100 * share)} %`);

function sharerName({ pair, traffic }: SharerData, own: string): string {
  const name = pair === null ? "its own packets" : pair === own ? "other messages of this pair" : pair;
  return traffic === null ? name : `${name} (${traffic})`;
}

/** Those whose packets left during a wait, with their shares; of the last ones only the number is known. */
export function aheadOf({ ahead, more }: WaitData, { message }: MessageData): string {
  const named = ahead.map((sharer) => `${sharerName(sharer, pairOf(message))} ${rounded(sharer.share)}`);
  const rest = 1 - ahead.reduce((sum, { share }) => sum + share, 0);
  return [...named, ...(more > 0 ? [`${some(more, "more pair")} of hosts ${rounded(Math.max(rest, 0))}`] : [])].join(", ");
}
