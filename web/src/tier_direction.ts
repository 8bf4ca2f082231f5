// Whether ports lead away from the hosts or towards them.

import { squareOf } from "./fabric/containing.ts";
import type { FabricOfRun } from "./fabric/data.ts";

/** The link that distinguishes parallel ones, behind a node. */
export const LINK = / \([^()]*\)$/;

/** Whether a port leads away from the hosts or towards them. */
export function directionOf(fabric: FabricOfRun | undefined, [from, to]: [string, string]): string {
  const [source, target] = [from, to.replace(LINK, "")].map((node) => (fabric === undefined ? undefined : squareOf(fabric, node)?.tier));
  if (source === undefined || target === undefined) {
    return "";
  }
  return source === target ? " within a tier" : source < target ? " away from hosts" : " towards hosts";
}
