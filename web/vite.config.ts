// Builds one file from page, styles, code, notices, and a mark that identifies its sources.

import { defineConfig } from "vite";
import type { Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

import { sourceMark } from "./build/mark.ts";
import { notices } from "./build/notices.ts";

function head(): Plugin {
  return {
    name: "netloom-head",
    transformIndexHtml: () => [
      { tag: "meta", attrs: { name: "netloom-source", content: sourceMark() }, injectTo: "head" },
      { tag: "script", attrs: { type: "text/plain", id: "netloom-notices" }, children: notices(), injectTo: "body" },
    ],
  };
}

export default defineConfig({
  plugins: [head(), viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: "es2022",
    outDir: "../crates/report/template",
    emptyOutDir: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: "report.html" },
  },
});
