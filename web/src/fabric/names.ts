// Names of squares and edges.

import { between } from "../heat.ts";
import { some } from "../units.ts";
import type { Edge, FabricOfRun, Square } from "./data.ts";

/** The name of a square: that of its node, or of its first and last node. */
export const squareName = ({ name, last }: Square): string => (last === null ? name : between([name, last]));

/** The name of an edge, from source to destination. */
export function edgeName({ squares }: FabricOfRun, { from, to }: Edge): string {
  const [source, target] = [squares[from], squares[to]];
  const name = (square: Square | undefined): string => (square === undefined ? "" : squareName(square));
  return from === to ? `within ${name(source)}` : `${name(source)} → ${name(target)}`;
}

/** The number of ports of an edge, if that is not one. */
export const portsOf = ({ ports }: Edge): string => (ports === 1 ? "" : ` (${some(ports, "port")})`);
