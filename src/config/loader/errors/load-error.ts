import path from 'node:path'
import type { LoadFailure } from '../../../contract/load-failure.ts'
import { AppError } from '../../../lib/errors.ts'
import { codeFrame } from './code-frame.ts'
import type { Position } from './code-frame.ts'

export interface LoadErrorOptions {
  readonly name: string
  readonly message: string
  readonly file?: string
  readonly position?: Position
  readonly frame?: string
  readonly cause?: unknown
  readonly hint?: string
}

/** A failure to load the config or a module that it imports. */
export class LoadError extends AppError {
  override readonly name: string
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly frame: string | null

  constructor(options: LoadErrorOptions) {
    super('invalid_config', options.message, {
      ...(options.cause === undefined ? {} : { cause: options.cause }),
      ...(options.hint === undefined ? {} : { hint: options.hint }),
    })
    this.name = options.name
    this.file = options.file ?? null
    this.line = options.position?.line ?? null
    this.column = options.position?.column ?? null
    this.frame = options.frame ?? null
  }

  /** The failure as plain data. */
  toJSON(): LoadFailure {
    const { name, message, file, line, column, frame } = this
    return { name, message, file, line, column, frame }
  }
}

export interface SourcePlace {
  readonly root: string
  /** Absolute. */
  readonly file: string
  readonly source: string
  readonly position: Position
}

/** Creates a load error with a position in a project file. */
export function loadErrorAt(
  place: SourcePlace,
  options: Omit<LoadErrorOptions, 'file' | 'position' | 'frame'>,
): LoadError {
  return new LoadError({
    ...options,
    file: projectRelative(place.root, place.file),
    position: place.position,
    frame: codeFrame(place.source, place.position),
  })
}

/** A path in messages: relative to the project, with `/` on all platforms. */
export function projectRelative(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join('/')
}
