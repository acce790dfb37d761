import { SourceMap } from 'node:module'
import type { SourceMapPayload } from 'node:module'
import { frameAround } from './code-frame.ts'
import type { Position } from './code-frame.ts'
import { maskLiterals } from './mask-literals.ts'

/** A source map of the transform. */
export interface RawSourceMap {
  readonly version: number
  readonly mappings: string
  readonly sources: string[]
  readonly names: string[]
}

/** Longer sources and lines, in characters, are not shown. */
const MAX_SOURCE = 1_000_000
const MAX_LINE = 500

/** Maps a position in a running script to the user's source file, with its text as it was when it was compiled. */
export class SourceTrace {
  readonly file: string
  readonly #source: string
  readonly #headLength: number
  readonly #rawMaps: readonly RawSourceMap[]
  #maps: SourceMap[] | undefined
  #lines: readonly string[] | undefined

  constructor(file: string, options: { source: string; headLength: number; maps: readonly RawSourceMap[] }) {
    this.file = file
    this.#source = options.source
    this.#headLength = options.headLength
    this.#rawMaps = options.maps
  }

  /** Undefined for code that the transform added. */
  original(position: Position): Position | undefined {
    // decoded on first use: most modules never need their map
    this.#maps ??= this.#rawMaps.map((map) => new SourceMap(map as unknown as SourceMapPayload)).toReversed()
    let { line, column } = position
    if (line === 1) column -= this.#headLength
    for (const map of this.#maps) {
      const entry = map.findEntry(line - 1, column - 1)
      if (!('originalLine' in entry)) return undefined
      line = entry.originalLine + 1
      column = entry.originalColumn + 1
    }
    return { line, column }
  }
  /** The lines around a position of the user's file. Undefined for a file that nobody reads, such as a minified one. */
  frame(position: Position): string | undefined {
    if (this.#source.length > MAX_SOURCE) return undefined
    // masked on first use: most modules never fail
    this.#lines ??= maskLiterals(this.#source).split(/\r?\n/)
    if ((this.#lines[position.line - 1]?.length ?? Infinity) > MAX_LINE) return undefined
    return frameAround(
      this.#lines.map((line) => (line.length > MAX_LINE ? '…' : line)),
      position,
    )
  }
}
