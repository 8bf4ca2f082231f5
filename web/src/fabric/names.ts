// What squares and edges are called.

import { between } from "../heat.ts";
import { some } from "../units.ts";
import type { Edge, FabricOfRun, Square } from "./data.ts";

/** The name of a square: of its node, or of the first and last one. */
export const squareName = ({ name, last }: Square): string => (last === null ? name : between([name, last]));

/** The name of an edge, from whom to whom. */
export function edgeName({ squares }: FabricOfRun, { from, to }: Edge): string {
  const [source, target] = [squares[from], squares[to]];
  const name = (square: Square | undefined): string => (square === undefined ? "" : squareName(square));
  return from === to ? `within ${name(source)}` : `${name(source)} → ${name(target)}`;
}

/** How many ports an edge has, where that is not one. */
export const portsOf = ({ ports }: Edge): string => (ports === 1 ? "" : ` (${some(ports, "port")})`);
