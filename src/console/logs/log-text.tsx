import type { LogRecord } from '../../contract/endpoints/log.ts'
import type { ExecutionError } from '../../contract/event.ts'
import { shortJson } from '../json/parse-json.ts'
import { escapeHidden, oneLine } from '../ui/escape-text.ts'

/** Characters of a message shown on one line. */
const MAX_LENGTH = 500
const MAX_WRAPPED_LENGTH = 5000
const MAX_FIELDS = 20

/** Fields that most records have: they come after the own ones. */
const COMMON = ['agentId', 'workflowId', 'stepId', 'toolName']

export interface LogTextProps {
  readonly record: LogRecord
  /** Keeps the lines of the message. */
  readonly wraps?: boolean
}

/** A record as text: its message, the error and the fields. */
export function LogText({ record, wraps = false }: LogTextProps) {
  const { message, attributes } = record
  const error = loggedError(attributes['err'])
  const isField = (name: string) => !COMMON.includes(name) && !(name === 'err' && error)
  const names = [...Object.keys(attributes).filter(isField), ...COMMON.filter((name) => name in attributes)]
  return (
    <>
      {wraps ? wrapped(message) : oneLine(message, MAX_LENGTH)}
      {error && <span className="text-error"> {errorText(error, message)}</span>}
      <span className="text-dim">
        {names
          .slice(0, MAX_FIELDS)
          .map((name) => ` ${escapeHidden(name)}=${oneLine(shortJson(attributes[name]), MAX_LENGTH)}`)}
      </span>
    </>
  )
}

/** The error, without a message that the record has, too. */
export function errorText({ name, message }: ExecutionError, said: string): string {
  return oneLine(said.includes(message) ? name : `${name}: ${message}`, MAX_LENGTH)
}

/** The lines of a message. */
function wrapped(message: string): string {
  const lines = message.slice(0, MAX_WRAPPED_LENGTH).split('\n')
  return lines.map((line) => oneLine(line, MAX_WRAPPED_LENGTH)).join('\n')
}

/** The error that was logged as `err`, in the form of a logger: `{ type, message, stack, cause }`. */
export function loggedError(value: unknown): ExecutionError | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, name, message, stack, cause } = value as Readonly<Record<string, unknown>>
  if (typeof message !== 'string') return undefined
  const inner = loggedError(cause)
  return {
    name: typeof type === 'string' ? type : typeof name === 'string' ? name : 'Error',
    message,
    ...(typeof stack === 'string' && { stack }),
    ...(inner && { cause: inner }),
  }
}
