import { AppError, type ErrorCode, messageOf } from '../../../lib/errors.ts'
import { SuspendedAnswer } from '../waiting/pending-calls.ts'
import type { CallJournal } from './call-journal.ts'

interface RecordedError {
  readonly message: string
  /** Of an error whose message is public. */
  readonly code?: ErrorCode
}

type RecordedResult = { readonly output: unknown } | { readonly error: RecordedError }

/**
 * Calls a tool unless its result is recorded, and records it. The call of a run that is being stopped is not recorded:
 * it is made again.
 */
export async function callRecorded(
  journal: CallJournal,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  call: () => Promise<unknown>,
): Promise<unknown> {
  const recorded = journal.recall(key) as RecordedResult | undefined
  if (recorded && 'error' in recorded) throw errorOf(recorded.error)
  if (recorded) return recorded.output
  let output: unknown
  try {
    output = await call()
  } catch (error) {
    signal.throwIfAborted()
    await journal.record(key, { error: { message: messageOf(error), ...codeOf(error) } })
    throw error
  }
  signal.throwIfAborted()
  // a call that waits has no result yet: it is recorded when the call goes on
  if (!isSuspended(output)) await journal.record(key, { output })
  return output
}

function codeOf(error: unknown): Pick<RecordedError, 'code'> {
  return error instanceof AppError ? { code: error.code } : {}
}

function errorOf({ message, code }: RecordedError): Error {
  return code === undefined ? new Error(message) : new AppError(code, message)
}

function isSuspended(output: unknown): boolean {
  if (output instanceof SuspendedAnswer) return true
  return (
    typeof output === 'object' &&
    output !== null &&
    'text' in output &&
    output.text instanceof SuspendedAnswer
  )
}
