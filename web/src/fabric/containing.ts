// The edge of a drawing that a port is in, also where a square of the drawing represents several nodes.

import { edgeName } from "./names.ts";
import type { FabricOfRun, Square } from "./data.ts";

/** The letters of a name, with `#` for each number; and its numbers. */
const letters = (name: string): string => name.replace(/[0-9]+/g, "#");
const numbers = (name: string): number[] => (name.match(/[0-9]+/g) ?? []).map(Number);

/** Whether the numbers of one name come before those of another one, or are the same. */
function isUpTo(one: number[], other: number[]): boolean {
  const differs = one.findIndex((number, nth) => number !== other[nth]);
  return differs < 0 || (one[differs] ?? 0) < (other[differs] ?? 0);
}

/** Whether a node is in a square, whose nodes have consecutive numbers. */
function isIn({ name, last }: Square, node: string): boolean {
  if (last === null || name === node || last === node) {
    return name === node || last === node;
  }
  const isAlike = letters(name) === letters(node) && letters(last) === letters(node);
  return isAlike && isUpTo(numbers(name), numbers(node)) && isUpTo(numbers(node), numbers(last));
}

/** The square of a node. */
export const squareOf = ({ squares }: FabricOfRun, node: string): Square | undefined => squares.find((square) => isIn(square, node));

/** The name of the edge with a port from one node to another, null if the drawing has none. */
export function edgeContaining(fabric: FabricOfRun, from: string, to: string): string | null {
  const [source, target] = [from, to].map((node) => fabric.squares.findIndex((square) => isIn(square, node)));
  const edge = fabric.edges.find((one) => one.from === source && one.to === target);
  return edge === undefined ? null : edgeName(fabric, edge);
}
