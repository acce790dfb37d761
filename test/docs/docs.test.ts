import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { allPages, anchorsOf, documentationPages, readText, regionOf, root } from './pages.ts'

const pages = documentationPages()
const blocks = pages.flatMap(({ path: page, text }) =>
  [...text.matchAll(/^```tsx? title="(\S+)"\n(.*?)^```$/gms)].map(([, source = '', code = '']) => ({
    page,
    source,
    code,
  })),
)

describe('the documentation', () => {
  test.each(blocks)('$page shows $source as it is', ({ source, code }) => {
    const [file = '', region] = source.split('#')
    const text = readText(file)
    expect(code).toBe(region === undefined ? text : regionOf(text, region))
  })

  test('says how to install every package that its examples import', () => {
    const installed = new Set(['agentserver', 'zod', 'ai'])
    const missing = blocks.flatMap(({ page, code }) => {
      const text = pages.find(({ path: name }) => name === page)?.text ?? ''
      const commands = (text.match(/npm install [^\n`]*/g) ?? []).join(' ')
      return importedPackages(code)
        .filter(
          (name) => !installed.has(name) && !new RegExp(` ${name}(?:@[\\d^~]\\S*)?(?: |$)`).test(commands),
        )
        .map((name) => `${page}: ${name}`)
    })
    expect(missing).toEqual([])
  })

  test('names the file of every TypeScript block', () => {
    expect(blocks.length).toBeGreaterThan(0)
    const counted = pages.flatMap(({ text }) => text.match(/^ *```(tsx?|typescript)\b/gm) ?? [])
    expect(counted).toHaveLength(blocks.length)
  })

  test('has a README of 8 to 11 kB', () => {
    const { length } = Buffer.from(readText('README.md'))
    expect(length).toBeGreaterThan(8000)
    expect(length).toBeLessThan(11_000)
  })

  test('links to files and headings that exist', () => {
    const everyPage = allPages()
    const anchors = new Map(everyPage.map((page) => [page.path, anchorsOf(page)]))
    const broken = everyPage.flatMap((page) =>
      linksOf(page.prose)
        .filter((link) => !isValid(page.path, link, anchors))
        .map((link) => `${page.path}: ${link}`),
    )
    expect(broken).toEqual([])
  })
})

/** The relative links and pictures of a page. */
function linksOf(prose: string): string[] {
  const text = prose.replaceAll(/`[^`\n]*`(?!\])/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)|(?:href|src|srcset)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))
}

function isValid(page: string, link: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
  if (!existsSync(new URL(target, root))) return false
  return anchor === undefined || (anchors.get(target)?.has(anchor) ?? false)
}

/** The packages, without Node's own, that a module imports. */
function importedPackages(code: string): string[] {
  const specifiers = [...code.matchAll(/\b(?:from|import) '([^'.][^']*)'/g)].map(([, name = '']) => name)
  const packages = specifiers.filter((name) => !name.startsWith('node:'))
  return [...new Set(packages.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')))]
}
