import type { Logger } from 'pino'
import { levelName } from './log-entry.ts'
import type { LogEntry } from './log-entry.ts'

/** Prints log entries through the logger of an embedding application, which applies its own level. */
export function forwardLogs(logger: Logger): (entry: LogEntry) => void {
  return ({ level, message, attributes, traceId, spanId, executionId }) => {
    const ids = Object.entries({ traceId, spanId, executionId }).filter(([, id]) => id !== null)
    const { err, ...rest } = attributes
    const error = err === undefined ? {} : { err: toError(err) }
    logger[levelName(level)]({ ...rest, ...Object.fromEntries(ids), ...error }, message)
  }
}

/** The Error that a log entry's `err` was, with its name, message and stack: loggers format instances of Error. */
function toError(shown: unknown): unknown {
  if (typeof shown !== 'object' || shown === null || !('message' in shown)) return shown
  const { type, message, stack, cause, ...rest } = shown as Readonly<Record<string, unknown>>
  const name = String(type)
  // loggers derive the type of an error from its class
  const Named = { [name]: class extends Error {} }[name] ?? Error
  const error = new Named(String(message), cause === undefined ? undefined : { cause: toError(cause) })
  Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true })
  return Object.assign(error, rest)
}
