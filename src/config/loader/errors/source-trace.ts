import { SourceMap } from 'node:module'
import type { SourceMapPayload } from 'node:module'
import type { Position } from './code-frame.ts'

/** A source map of the transform. */
export interface RawSourceMap {
  readonly version: number
  readonly mappings: string
  readonly sources: string[]
  readonly names: string[]
}

/** Maps a position in a running script to the user's source file. */
export class SourceTrace {
  readonly file: string
  readonly #headLength: number
  readonly #rawMaps: readonly RawSourceMap[]
  #maps: SourceMap[] | undefined

  constructor(file: string, options: { headLength: number; maps: readonly RawSourceMap[] }) {
    this.file = file
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
}
