import { ApiError } from '../../client/api-error.ts'
import { LoadError } from '../../config/loader/errors/load-error.ts'
import { formatLoadError } from '../../config/loader/errors/format-load-error.ts'
import { pageOfLoadFailure } from '../../contract/explaining-page.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import { openFilesHint } from '../../lib/files/open-files-hint.ts'
import { escapeControls } from '../../lib/escape-controls.ts'
import { docsLine } from './docs-line.ts'
import type { Terminal } from './terminal.ts'

/** Prints the message and hint of an error, and its stack if DEBUG is set. */
export function printError(error: unknown, terminal: Terminal): void {
  const { notePaint: paint } = terminal
  if (error instanceof LoadError)
    terminal.note(formatLoadError(error.toJSON(), { colors: paint.isColorSupported }))
  else terminal.note(`${paint.red('✗')} ${terminal.withCommands(escapeControls(messageOf(error)))}`)
  const hint = hintFor(error)
  if (hint !== undefined) terminal.note(paint.dim(terminal.withCommands(escapeControls(hint))))
  if (error instanceof LoadError) terminal.note(docsLine(pageOfLoadFailure(error), paint))
  if (isDebug() && error instanceof Error) terminal.note(paint.dim(escapeControls(stackOf(error))))
}

/** An error's message, with the position of an error in the project's code. */
export function errorText(error: unknown): string {
  if (!(error instanceof LoadError)) return messageOf(error)
  const text = formatLoadError({ ...error.toJSON(), frame: null }, { colors: false })
  return text.replace(/\nat ([^\n]+)$/, ' at $1')
}

function hintFor(error: unknown): string | undefined {
  if (error instanceof AppError) return error.hint
  const openFiles = openFilesHint(error)
  if (openFiles !== undefined) return openFiles
  if (!(error instanceof ApiError)) return isDebug() ? undefined : 'Set DEBUG=1 to print the stack trace.'
  if (error.status === 401) return 'Pass the console key with --key, or a user token with --token.'
  if (error.status >= 500 && error.status !== 503 && error.requestId !== undefined)
    return `See the server's log for request id ${error.requestId}.`
  return undefined
}

function isDebug(): boolean {
  return (process.env['DEBUG'] ?? '') !== ''
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\nCaused by: ${stackOf(error.cause)}` : own
}
