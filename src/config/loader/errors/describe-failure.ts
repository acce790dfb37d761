import { AppError, messageOf } from '../../../lib/errors.ts'
import type { Position } from './code-frame.ts'
import { specifierPosition } from './import-site.ts'
import { LoadError, loadErrorAt, projectRelative } from './load-error.ts'

/** What is known about the project's files when a load fails. */
export interface FailureContext {
  readonly root: string
  /** The config file, absolute: to blame for a config error without a frame. */
  readonly entry: string
  /** The source of a file of the project; undefined for any other file. */
  sourceOf(file: string): string | undefined
  /** Which import brought the error in, for errors that carry no frame of the project. */
  importOf(error: unknown): { readonly file: string; readonly specifier: string } | undefined
}

/** Any thrown value as a LoadError that points at the first line of the project that is to blame. */
export function describeFailure(thrown: unknown, context: FailureContext): LoadError {
  if (thrown instanceof LoadError) return thrown
  const options = {
    name: nameOf(thrown),
    message: readable(messageOf(thrown)),
    cause: thrown,
    ...(thrown instanceof AppError && thrown.hint !== undefined ? { hint: thrown.hint } : {}),
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

/** Imported names are written the way the user wrote them. */
function readable(message: string): string {
  return message.replace(
    /\(0 , __vite_ssr_import_\d+__\.([\w$]+)\)|__vite_ssr_import_\d+__\.([\w$]+)/g,
    '$1$2',
  )
}

interface Place {
  readonly file: string
  readonly source: string
  readonly position: Position
}

const FRAME = /^\s+at (?:.*? \()?(?:async )?(.+?):(\d+):(\d+)\)?$/gm

function firstFrame(thrown: unknown, context: FailureContext): Place | undefined {
  if (!(thrown instanceof Error)) return undefined
  for (const [, file = '', line, column] of (thrown.stack ?? '').matchAll(FRAME)) {
    const source = context.sourceOf(file)
    if (source !== undefined)
      return { file, source, position: { line: Number(line), column: Number(column) } }
  }
  return undefined
}

function importSite(thrown: unknown, context: FailureContext): Place | undefined {
  const origin = context.importOf(thrown)
  const source = origin === undefined ? undefined : context.sourceOf(origin.file)
  if (origin === undefined || source === undefined) return undefined
  return { file: origin.file, source, position: specifierPosition(source, origin.specifier) }
}
