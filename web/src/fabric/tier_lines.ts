// The lines of a drawing tier by tier: a group for each pair of kinds of nodes and each direction, in the order of
// crates/report/src/panels/tier_ports.rs: upwards from the hosts, within a tier, downwards.

import { nodeKind } from "../path_order.ts";
import type { Edge, FabricOfRun, Square } from "./data.ts";
import { edgeName } from "./names.ts";

/** The lines of one kind of node towards another one. */
export interface TierLines {
  /** The kinds; where others have the same kinds, also the direction and one of the lines. */
  title: string;
  /** Numbers of edges, in the order of the nodes. */
  edges: number[];
  /** After how many lines the next square follows, if all squares have as many; else 1. */
  period: number;
  ports: number;
}

/** Most groups; names of other fabrics say nothing about the kinds of their nodes. */
const MOST_GROUPS = 24;

type KindOf = (square: Square) => string;

/** The kind of the nodes of a square by their names; both kinds if the first and the last node differ. */
function kindByName({ name, last }: Square): string {
  const [first, other] = [name, last ?? name].map(nodeKind);
  return first === other ? (first ?? "") : `${first} and ${other}`;
}

const kindByTier = ({ tier }: Square): string => (tier === 0 ? "host" : `switch of tier ${tier}`);

/** A direction: 0 upwards, 1 within a tier, 2 downwards; and the order among those of the same direction. */
type Rank = [number, number];

const DIRECTIONS = ["away from hosts", "within a tier", "towards hosts"];

function rankOf(from: Square, to: Square): Rank {
  if (from.tier === to.tier) {
    return [1, from.tier];
  }
  return from.tier < to.tier ? [0, from.tier] : [2, -from.tier];
}

/** A group before it has its title. */
interface Group {
  rank: Rank;
  from: string;
  to: string;
  edges: number[];
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The order of groups: by direction, then by distance from the hosts, then by kinds. */
const byRank = (one: Group, other: Group): number =>
  one.rank[0] - other.rank[0] || one.rank[1] - other.rank[1] || compare(one.from, other.from) || compare(one.to, other.to);

function grouped({ squares, edges }: FabricOfRun, kindOf: KindOf): Group[] {
  const found = new Map<string, Group>();
  edges.forEach((edge, number) => {
    const [source, target] = [squares[edge.from], squares[edge.to]];
    if (source === undefined || target === undefined) {
      return;
    }
    const [rank, from, to] = [rankOf(source, target), kindOf(source), kindOf(target)];
    const key = [...rank, from, to].join("\t");
    const group = found.get(key) ?? { rank, from, to, edges: [] };
    group.edges.push(number);
    found.set(key, group);
  });
  return [...found.values()].sort(byRank);
}

/** The number of lines of a square, if all squares of the group have as many. */
function periodOf(edges: Edge[]): number {
  const next = edges.findIndex(({ from }) => from !== edges[0]?.from);
  const isRegular = next > 0 && edges.length % next === 0 && edges.every(({ from }, nth) => from === edges[nth - (nth % next)]?.from);
  return isRegular ? next : 1;
}

/** The kinds of a group; where others have the same kinds, with the direction and one of its lines. */
function titleOf(fabric: FabricOfRun, groups: Group[], { rank, from, to, edges }: Group): string {
  const kinds = `${from} → ${to}`;
  const [first] = edges.flatMap((number) => fabric.edges[number] ?? []);
  if (first === undefined || groups.filter((other) => other.from === from && other.to === to).length < 2) {
    return kinds;
  }
  return `${kinds} ${DIRECTIONS[rank[0]] ?? ""} (such as ${edgeName(fabric, first)})`;
}

/** The lines of a fabric by the kinds of the nodes at their ends. */
export function tierLines(fabric: FabricOfRun): TierLines[] {
  const byName = grouped(fabric, kindByName);
  const groups = byName.length > MOST_GROUPS ? grouped(fabric, kindByTier) : byName;
  const edgeAt = (number: number): Edge[] => fabric.edges.slice(number, number + 1);
  // The first port of an edge stands for its order among those of the same square.
  const order = (number: number): number[] => edgeAt(number).flatMap(({ from, port }) => [from, port]);
  const inOrder = (one: number, other: number): number => {
    const [[from = 0, port = 0], [otherFrom = 0, otherPort = 0]] = [order(one), order(other)];
    return from - otherFrom || port - otherPort;
  };
  return groups.map((group) => {
    const edges = [...group.edges].sort(inOrder);
    const found = edges.flatMap(edgeAt);
    const ports = found.reduce((sum, edge) => sum + edge.ports, 0);
    return { title: titleOf(fabric, groups, { ...group, edges }), edges, period: periodOf(found), ports };
  });
}
