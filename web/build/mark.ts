// The mark of the sources: FNV-1a over the path and content of every file from which the page is built.
//
// A test in Rust computes it again and so detects a template that was not rebuilt, also without Node.
// It guards against mistakes, not against manipulation.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Folders that are not part of the page. */
const LEFT_OUT = new Set(["node_modules", "tests"]);

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** Relative paths of all files, with `/` between their parts, in the order of their bytes. */
function paths(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  const below = entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return LEFT_OUT.has(entry.name) ? [] : paths(path);
    }
    return [path];
  });
  return below.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}

/** Sixteen hexadecimal digits. */
export function sourceMark(): string {
  let mark = OFFSET;
  const take = (bytes: Buffer): void => {
    for (const byte of bytes) {
      mark = BigInt.asUintN(64, (mark ^ BigInt(byte)) * PRIME);
    }
  };
  for (const path of paths("")) {
    take(Buffer.from(`${path}\0`));
    take(readFileSync(join(ROOT, path)));
    take(Buffer.from("\0"));
  }
  return mark.toString(16).padStart(16, "0");
}
