import { existsSync, readFileSync, readdirSync } from 'node:fs'

/** The directory of the repository. */
export const root = new URL('../../', import.meta.url)

/** A Markdown page of the repository. */
export interface Page {
  /** Path relative to the repository. */
  readonly path: string
  readonly text: string
  /** The text without its fenced code blocks. */
  readonly prose: string
}

export function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

/** README.md and the pages below docs/ that are for users. */
export function documentationPages(): Page[] {
  const forUsers = docsPaths().filter((path) => !path.startsWith('docs/decisions/'))
  return ['README.md', ...forUsers].map((path) => readPage(path))
}

/** The documentation and the other Markdown files at the root, such as CONTRIBUTING.md. */
export function allPages(): Page[] {
  const atRoot = readdirSync(root).filter((name) => name.endsWith('.md'))
  return [...atRoot, ...docsPaths()].map((path) => readPage(path))
}

function docsPaths(): string[] {
  const docs = new URL('docs/', root)
  if (!existsSync(docs)) return []
  return readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .toSorted()
}

function readPage(path: string): Page {
  const text = readText(path)
  return { path, text, prose: text.replaceAll(/^( *)(`{3,})[^\n]*\n.*?^\1\2$/gms, '') }
}

/** The anchors of a page, as GitHub makes them from its headings. */
export function anchorsOf({ prose }: Page): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = anchorOf(heading)
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** The anchor of a heading that occurs once. */
export function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

/** A part of a source file between `// #region <name>` and `// #endregion`. */
export function regionOf(source: string, name: string): string | undefined {
  const lines = source.split('\n')
  const start = lines.indexOf(`// #region ${name}`)
  const end = lines.indexOf('// #endregion', start)
  return start === -1 || end === -1 ? undefined : `${lines.slice(start + 1, end).join('\n')}\n`
}
