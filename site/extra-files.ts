import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { siteFileOf, targetOf } from './pages.ts'
import type { Repository, Section } from './pages.ts'

export interface Site extends Repository {
  /** The directory of the built site. */
  readonly out: string
  /** The address of this version of the site, with a slash at its end. */
  readonly url: string
  readonly sections: readonly Section[]
}

/** Writes what language models and programs read: each page as Markdown, llms.txt, llms-full.txt and openapi.json. */
export function writeTexts(site: Site): void {
  const pages = ['README.md', ...site.sections.flatMap(({ pages }) => pages.map(({ file }) => file))]
  const texts = pages.map((file) => ({
    file,
    name: siteFileOf(file) ?? file,
    text: absoluteText(site, file),
  }))
  for (const { name, text } of texts) write(site.out, name, text)
  write(site.out, 'llms.txt', absoluteText(site, 'llms.txt'))
  const forUsers = texts.filter(({ file }) => !file.startsWith('docs/decisions/'))
  write(
    site.out,
    'llms-full.txt',
    forUsers.map(({ name, text }) => `Source: ${site.url}${name}\n\n${text}`).join('\n\n'),
  )
  for (const [from, name] of COPIES) copyFileSync(path.join(site.source, from), path.join(site.out, name))
}

const COPIES = [
  ['docs/reference/openapi.json', 'openapi.json'],
  ['src/console/icon.svg', 'icon.svg'],
] as const

/** A Markdown file whose links to the repository are absolute: a reader may have only this text. */
function absoluteText({ source, blobs, url }: Site, file: string): string {
  const text = readFileSync(path.join(source, file), 'utf8')
  return text.replaceAll(/(?<=\]\()[^()\s]+(?=\))/g, (href) => {
    const target = targetOf(source, file, href)
    if (!target) return href
    const page = siteFileOf(target.file)
    return `${page === undefined ? `${blobs}/${target.file}` : url + page}${target.anchor}`
  })
}

/** Writes a page at the old address of each page that has moved. `redirects` has new addresses by old ones. */
export function writeRedirects({ out, url }: Site, redirects: Readonly<Record<string, string>>): void {
  for (const [from, to] of Object.entries(redirects)) {
    if (existsSync(path.join(out, `${from}.html`))) throw new Error(`redirects.json: ${from} is a page`)
    const base = new URL(url).pathname
    write(
      out,
      `${from}.html`,
      `<!doctype html><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0; url=${base}${to}">` +
        `<link rel="canonical" href="${url}${to}"><a href="${base}${to}">This page has moved</a>\n`,
    )
  }
}

function write(out: string, name: string, text: string): void {
  const file = path.join(out, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
