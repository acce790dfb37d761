import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const decompress = promisify(brotliDecompress)

export interface BuiltFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly coding: 'br' | undefined
}

/**
 * Files of a directory that the build compressed with Brotli; the package does not have them in another form. The list of
 * names is read once, and a file when it is first requested. Only files in that list are ever opened.
 */
export class BuiltFiles {
  readonly #directory: string
  #names: ReadonlySet<string> = new Set()
  readonly #files = new Map<string, Promise<BuiltFile>>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** A file by its path in the directory; decompressed for a client that does not accept Brotli. */
  file(name: string, accepted: string): Promise<BuiltFile> | undefined {
    const type = TYPES[path.posix.extname(name)]
    if (type === undefined || !this.has(`${name}.br`)) return undefined
    const coding = acceptsBrotli(accepted) ? 'br' : undefined
    const key = `${name} ${coding}`
    const known = this.#files.get(key) ?? this.#read(name, { type, coding })
    this.#files.set(key, known)
    return known
  }

  /** Whether the build wrote a file, by its path in the directory. */
  protected has(name: string): boolean {
    // the build may run after the server has started
    if (this.#names.size === 0) this.#names = namesIn(this.#directory)
    return this.#names.has(name)
  }

  async #read(name: string, { type, coding }: Omit<BuiltFile, 'body'>): Promise<BuiltFile> {
    const compressed = await readFile(path.join(this.#directory, `${name}.br`))
    const body = new Uint8Array(coding === 'br' ? compressed : await decompress(compressed))
    return { body, type, coding }
  }
}

/** The header that names the coding of a file's body. */
export function codingHeader({ coding }: BuiltFile): Record<string, string> {
  return coding === undefined ? {} : { 'Content-Encoding': coding }
}

function namesIn(directory: string): ReadonlySet<string> {
  try {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    return new Set(names.map((name) => name.split(path.sep).join('/')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}

/** See RFC 9110, section 12.5.3. `*` is not enough for old clients. */
function acceptsBrotli(accepted: string): boolean {
  return accepted.split(',').some((one) => {
    const [coding = '', weight = ''] = one.split(';')
    return coding.trim().toLowerCase() === 'br' && !/^\s*q=0(\.0*)?\s*$/.test(weight)
  })
}
