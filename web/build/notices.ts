// The complete licences of the libraries that are bundled into the page, as these licences require.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The libraries bundled into the page; the build tools add none of their own code. */
const EMBEDDED = ["echarts", "zrender", "tslib"];
const FILES = ["LICENSE", "LICENSE.txt", "NOTICE"];

function read(name: string, file: string): string | undefined {
  const path = fileURLToPath(new URL(`../node_modules/${name}/${file}`, import.meta.url));
  return existsSync(path) ? readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim() : undefined;
}

function notice(name: string): string {
  const { version, license } = JSON.parse(read(name, "package.json") ?? "{}");
  const texts = FILES.map((file) => read(name, file)).filter((text) => text !== undefined);
  if (texts.length === 0) {
    throw new Error(`no licence was found of: ${name}`);
  }
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}

/** All of them, as text. */
export function notices(): string {
  const text = EMBEDDED.map(notice).join(`\n\n${"-".repeat(80)}\n\n`);
  if (text.toLowerCase().includes("</script")) {
    throw new Error("a licence would end its element");
  }
  return `\n${text}\n`;
}
