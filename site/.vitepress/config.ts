// The site is the Markdown of this repository, as it is: pages keep their places, and links between them are checked.
//
// A link to a file that is no page (code, a scenario, a licence) leads to the repository.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type DefaultTheme, type Plugin } from 'vitepress'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

const repository = /^repository = "(.+)"$/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))?.[1]

/** Files of the repository that are pages beside those in folders. */
const atTheTop = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']

/** Sections of the sidebar: a title, and a folder or a list of pages. */
const sections: [string, string | string[]][] = [
  ['Start', ['README.md', 'docs/getting-started.md', 'docs/python.md', 'docs/modelled.md', 'docs/validation.md', 'docs/performance.md']],
  ['Concepts', 'docs/concepts'],
  ['Guides', 'docs/guides'],
  ['Scenarios', ['docs/reference/scenario.md']],
  ['Policies', 'docs/policies'],
  ['Congestion control', 'docs/congestion'],
  ['At the edge', 'docs/edge'],
  ['Workloads', 'docs/workloads'],
  ['On machines', 'field'],
  ['Papers', 'papers'],
  ['Decisions', 'docs/decisions'],
  ['Code', atTheTop.slice(1)],
]

function pages(below: string): string[] {
  const entries = readdirSync(join(root, below), { withFileTypes: true })
  const found = entries.flatMap((entry) => {
    const path = `${below}/${entry.name}`
    if (entry.isDirectory()) return pages(path)
    return path.endsWith('.md') ? [path] : []
  })
  // The overview of a folder comes first.
  return found.sort((a, b) => Number(b.endsWith('README.md')) - Number(a.endsWith('README.md')) || a.localeCompare(b))
}

function link(page: string): string {
  return '/' + page.replace(/README\.md$/, '').replace(/\.md$/, '')
}

function title(page: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? page
  return heading.replaceAll('`', '')
}

function sidebar(): DefaultTheme.SidebarItem[] {
  return sections.map(([text, where]) => {
    const items = typeof where === 'string' ? pages(where) : where
    return { text, collapsed: false, items: items.map((page) => ({ text: title(page), link: link(page) })) }
  })
}

/** The same link, or one to the repository where it leads to a file or folder that is no page. */
function followed(href: string, page: string): string {
  if (/^[a-z]+:|^#/.test(href)) return href
  const path = decodeURI(href.split('#')[0])
  const file = resolve(dirname(join(root, page)), path)
  const isPage = path.endsWith('.md')
  if (isPage || !existsSync(file)) return href
  const kind = statSync(file).isDirectory() ? 'tree' : 'blob'
  return `${repository}/${kind}/main/${relative(root, file)}`
}

/** Resolves the packages of pages as if they lay here. */
const packagesOfPages: Plugin = {
  name: 'packages of pages',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/^vue(\/|$)/.test(id) || !importer?.startsWith(root) || importer.includes('node_modules')) return null
    return this.resolve(id, fileURLToPath(import.meta.url), { ...options, skipSelf: true })
  },
}

export default defineConfig({
  title: 'netloom',
  description: 'A packet-level simulator and laboratory for the networks that AI training runs on',
  lang: 'en',
  srcDir: root,
  srcExclude: ['!(docs|papers|field|README.md|ARCHITECTURE.md|CONTRIBUTING.md|CHANGELOG.md)/**', 'crates/**', 'target/**'],
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  outDir: join(root, 'target/site'),
  cacheDir: join(root, 'target/site-cache'),
  cleanUrls: false,
  lastUpdated: false,
  // Pages lie outside of this folder, so what they are compiled to would not find its way back.
  vite: { plugins: [packagesOfPages] },
  themeConfig: {
    sidebar: sidebar(),
    nav: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Reference', link: '/docs/reference/scenario' },
      { text: 'Validation', link: '/docs/validation' },
    ],
    search: { provider: 'local' },
    outline: [2, 3],
  },
  markdown: {
    config: (markdown) => {
      const before = markdown.core.ruler
      before.push('links to the repository', (state) => {
        for (const token of state.tokens.flatMap((block) => block.children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null
          if (href !== null) token.attrSet('href', followed(href, state.env.relativePath))
        }
      })
    },
  },
})
