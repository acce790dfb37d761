import type { Logger } from 'pino'
import { levelName } from './log-entry.ts'
import type { LogEntry } from './log-entry.ts'

/** Prints records through a logger of somebody else's, who decides on levels and where it goes. */
export function forwardLogs(logger: Logger): (entry: LogEntry) => void {
  return ({ level, message, attributes, traceId, spanId, executionId }) => {
    const ids = Object.entries({ traceId, spanId, executionId }).filter(([, id]) => id !== null)
    const { err, ...rest } = attributes
    const error = err === undefined ? {} : { err: revived(err) }
    logger[levelName(level)]({ ...rest, ...Object.fromEntries(ids), ...error }, message)
  }
}

/** An error again, for loggers that look for one: with the name, message and stack it had. */
function revived(shown: unknown): unknown {
  if (typeof shown !== 'object' || shown === null || !('message' in shown)) return shown
  const { type, message, stack, cause, ...rest } = shown as Readonly<Record<string, unknown>>
  const name = String(type)
  // loggers take an error's type from its class
  const Named = { [name]: class extends Error {} }[name] ?? Error
  const error = new Named(String(message), cause === undefined ? undefined : { cause: revived(cause) })
  Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true })
  return Object.assign(error, rest)
}
