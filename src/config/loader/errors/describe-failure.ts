import { AppError, messageOf } from '../../../lib/errors.ts'
import { openFilesHint } from '../../../lib/files/open-files-hint.ts'
import type { Position } from './code-frame.ts'
import { specifierPosition } from './import-site.ts'
import { LoadError, loadErrorAt, projectRelative } from './load-error.ts'

/** Information about the project's files, for a failed load. */
export interface FailureContext {
  readonly root: string
  /** The config file, absolute. Used for config errors without a position. */
  readonly entry: string
  /** The source of a project file. Undefined for other files. */
  sourceOf(file: string): string | undefined
  /** The import that caused an error, for errors without a stack frame in the project. */
  importOf(error: unknown): { readonly file: string; readonly specifier: string } | undefined
}

/** Converts a thrown value into a LoadError with the first position in the project's code. */
export function describeFailure(thrown: unknown, context: FailureContext): LoadError {
  if (thrown instanceof LoadError) return thrown
  const hint = thrown instanceof AppError ? thrown.hint : openFilesHint(thrown)
  const options = {
    name: nameOf(thrown),
    message: readable(messageOf(thrown)),
    cause: thrown,
    ...(hint !== undefined && { hint }),
  }
  const place = firstFrame(thrown, context) ?? importSite(thrown, context)
  if (place !== undefined) return loadErrorAt({ root: context.root, ...place }, options)
  if (options.name !== 'ConfigError') return new LoadError(options)
  return new LoadError({ ...options, file: projectRelative(context.root, context.entry) })
}

function nameOf(thrown: unknown): string {
  if (thrown instanceof AppError) return thrown.code === 'invalid_config' ? 'ConfigError' : thrown.name
  return thrown instanceof Error ? thrown.name : 'Error'
}

/** Restores imported names as the user wrote them. */
function readable(message: string): string {
  return message.replace(
    /\(0 , __vite_ssr_import_\d+__\.([\w$]+)\)|__vite_ssr_import_\d+__\.([\w$]+)/g,
    '$1$2',
  )
}

interface SourcePosition {
  readonly file: string
  readonly source: string
  readonly position: Position
}

const FRAME = /^\s+at (?:.*? \()?(?:async )?(.+?):(\d+):(\d+)\)?$/gm

function firstFrame(thrown: unknown, context: FailureContext): SourcePosition | undefined {
  if (!(thrown instanceof Error)) return undefined
  for (const [, file = '', line, column] of (thrown.stack ?? '').matchAll(FRAME)) {
    const source = context.sourceOf(file)
    if (source !== undefined)
      return { file, source, position: { line: Number(line), column: Number(column) } }
  }
  return undefined
}

function importSite(thrown: unknown, context: FailureContext): SourcePosition | undefined {
  const origin = context.importOf(thrown)
  const source = origin === undefined ? undefined : context.sourceOf(origin.file)
  if (origin === undefined || source === undefined) return undefined
  return { file: origin.file, source, position: specifierPosition(source, origin.specifier) }
}
