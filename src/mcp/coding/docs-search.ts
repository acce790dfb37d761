import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import MiniSearch from 'minisearch'
import { HOME } from '../../lib/packages/own-package.ts'

/** A part of a page of the documentation, from one heading to the next. */
interface Section {
  readonly id: number
  /** Path of the page in the package. */
  readonly page: string
  readonly title: string
  readonly text: string
}

interface DocsIndex {
  readonly pages: readonly string[]
  readonly sections: readonly Section[]
  readonly index: MiniSearch<Section>
}

const MAX_OTHERS = 8

/** Finds the part of this package's documentation that answers a question best, with the names of others. */
export async function searchDocs(question: string): Promise<object> {
  const { index, pages, sections } = await docs()
  const found = index.search(question).flatMap(({ id }) => sections[id as number] ?? [])
  const [best, ...others] = found
  if (!best) return { found: false, pages }
  return {
    page: best.page,
    title: best.title,
    text: best.text,
    others: others.slice(0, MAX_OTHERS).map(({ page, title }) => ({ page, title })),
  }
}

/** A page by its path in the package; an anchor is ignored. */
export async function readDocsPage(place: string): Promise<object | undefined> {
  const { pages } = await docs()
  const [page = ''] = place.split('#', 1)
  return pages.includes(page) ? { page, text: await readPage(page) } : undefined
}

let loaded: Promise<DocsIndex> | undefined

/** The pages of an installed package don't change: they are read once. */
function docs(): Promise<DocsIndex> {
  return (loaded ??= load())
}

async function load(): Promise<DocsIndex> {
  const pages = await listPages()
  const parts = await Promise.all(pages.map(async (page) => partsOf(page, await readPage(page))))
  const sections = parts.flat().map((part, id) => ({ id, ...part }))
  const index = new MiniSearch<Section>({
    fields: ['page', 'title', 'text'],
    processTerm: (word) => (COMMON.has(word.toLowerCase()) ? null : stem(word.toLowerCase())),
    searchOptions: { boost: { page: 2, title: 3 }, prefix: (word) => word.length > 4 },
  })
  index.addAll(sections)
  return { pages, sections, index }
}

async function listPages(): Promise<string[]> {
  const names = await readdir(path.join(HOME, 'docs'), { recursive: true })
  return names
    .map((name) => path.posix.join('docs', name.replaceAll(path.sep, '/')))
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/decisions/'))
    .toSorted()
}

function readPage(page: string): Promise<string> {
  return readFile(path.join(HOME, page), 'utf8')
}

function partsOf(page: string, text: string): Omit<Section, 'id'>[] {
  return text.split(/^(?=#{1,3} )/m).flatMap((part) => {
    const [, title = page] = /^#+ (.*)/.exec(part) ?? []
    return part.trim() === '' ? [] : [{ page, title, text: part.trim() }]
  })
}

/** Without the endings of plurals and of verbs, so that `retries` and `retry` are one word. */
function stem(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=\w{3})(?:ing|ed|es|s)$/, '')
}

const COMMON = new Set(
  'a an and are can do does for from has have how i if in is it its my not of on or that the this to what when which why with you your'.split(
    ' ',
  ),
)
