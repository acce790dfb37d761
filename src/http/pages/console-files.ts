import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Content codings of the compressed copies that the build writes, in order of preference. */
const CODINGS = { br: '.br', gzip: '.gz' } as const
export type Coding = keyof typeof CODINGS

export interface ConsoleFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly coding: Coding | undefined
}

/** The page, split at the relative URLs that depend on the depth of the request's path. */
export interface ConsolePage {
  readonly parts: readonly string[]
  readonly hash: string
}

/**
 * The files of the built console. The list of names is read once, and a file when it is first requested. Only
 * files in that list are ever opened.
 */
export class ConsoleFiles {
  readonly #directory: URL
  #names: ReadonlySet<string> | undefined
  #page: ConsolePage | undefined
  readonly #files = new Map<string, Promise<ConsoleFile>>()

  constructor(directory: URL) {
    this.#directory = directory
  }

  /** The page of every route; `undefined` when the console is not built. */
  get page(): ConsolePage | undefined {
    if (!this.#list().has('index.html')) return undefined
    this.#page ??= pageOf(readFileSync(new URL('index.html', this.#directory), 'utf8'))
    return this.#page
  }

  /** A file by its path below `/console/`, in a content coding that the client accepts. */
  file(name: string, accepted: string): Promise<ConsoleFile> | undefined {
    const type = TYPES[path.posix.extname(name)]
    if (type === undefined || name === 'index.html' || !this.#list().has(name)) return undefined
    const coding = codingOf(accepted, (suffix) => this.#list().has(name + suffix))
    const stored = name + (coding === undefined ? '' : CODINGS[coding])
    const known = this.#files.get(stored) ?? this.#read(stored, { type, coding })
    this.#files.set(stored, known)
    return known
  }

  async #read(name: string, { type, coding }: Omit<ConsoleFile, 'body'>): Promise<ConsoleFile> {
    const body = new Uint8Array(await readFile(new URL(name, this.#directory)))
    return { body, type, coding }
  }

  #list(): ReadonlySet<string> {
    if (this.#names && this.#names.size > 0) return this.#names
    this.#names = namesIn(this.#directory)
    return this.#names
  }
}

function namesIn(directory: URL): ReadonlySet<string> {
  try {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    return new Set(names.map((name) => name.split(path.sep).join('/')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}

function pageOf(html: string): ConsolePage {
  const hash = createHash('sha256').update(html).digest('base64url').slice(0, 16)
  return { parts: html.split('"./').map((part, index) => (index === 0 ? part : `/${part}`)), hash }
}

function codingOf(accepted: string, has: (suffix: string) => boolean): Coding | undefined {
  const wanted = accepted.split(',').map((one) => one.trim().split(';'))
  const accepts = (coding: string) =>
    wanted.some(
      ([name, weight]) => name?.trim().toLowerCase() === coding && !/^\s*q=0(\.0*)?$/.test(weight ?? ''),
    )
  return (Object.keys(CODINGS) as Coding[]).find((coding) => accepts(coding) && has(CODINGS[coding]))
}
