import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** What the pages need to know about the repository that they are read from. */
export interface Repository {
  /** The checkout. */
  readonly source: string
  /** Where a file that is no page of the site is shown, for example `https://github.com/o/n/blob/main`. */
  readonly blobs: string
}

/** A Markdown file that is a page of the site. */
export interface SitePage {
  /** Path in the repository. */
  readonly file: string
  readonly title: string
}

export interface Section {
  readonly title: string
  readonly pages: readonly SitePage[]
}

/**
 * The pages of a checkout in the order of its llms.txt, then the decisions, which are not in it. A page of `docs/`
 * that is in neither would not be in the sidebar: an error.
 */
export function sectionsOf(source: string): Section[] {
  const page = (file: string): SitePage => ({ file, title: titleOf(path.join(source, file)) })
  const listed = readFileSync(path.join(source, 'llms.txt'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((text) => ({
      title: /^.*/.exec(text)?.[0] ?? '',
      files: [...text.matchAll(/\]\((docs\/[^)]+\.md)\)/g)].map(([, file = '']) => file),
    }))
  const files = docsOf(source)
  const decisions = files.filter((file) => file.startsWith('docs/decisions/'))
  const sections = [...listed, { title: 'Decisions', files: decisions }]
  const forgotten = files.filter((file) => !sections.some((section) => section.files.includes(file)))
  if (forgotten.length > 0) throw new Error(`llms.txt does not list ${forgotten.join(', ')}`)
  return sections
    .filter((section) => section.files.length > 0)
    .map((section) => ({ title: section.title, pages: section.files.map(page) }))
}

function docsOf(source: string): string[] {
  return readdirSync(path.join(source, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? path.basename(file, '.md')
}

/** The Markdown file of the site that a file of the repository becomes, without a slash before it. */
export function siteFileOf(file: string): string | undefined {
  if (file === 'README.md') return 'index.md'
  if (!file.startsWith('docs/') || !file.endsWith('.md')) return undefined
  return file.slice('docs/'.length).replace(/(?<=^|\/)README\.md$/, 'index.md')
}

/** The path of a page on the site, for example `/guides/tools`. */
export function routeOf({ file }: SitePage): string {
  return `/${siteFileOf(file) ?? ''}`.replace(/(index)?\.md$/, '')
}

export interface LinkTarget {
  /** The file or directory in the repository. */
  readonly file: string
  /** With its `#`, or empty. */
  readonly anchor: string
}

/** The target of a relative link in a file of the repository; undefined if there is none, as with `https:` or `#`. */
export function targetOf(source: string, from: string, href: string): LinkTarget | undefined {
  const [, name = '', anchor = ''] = /^([^#?]+)(#.*)?$/.exec(href) ?? []
  if (name === '' || /^([a-z]+:|\/)/i.test(name)) return undefined
  const file = path.posix.join(path.posix.dirname(from), name)
  return existsSync(path.join(source, file)) ? { file, anchor } : undefined
}
