import { readCallerSchema } from '../../../lib/schema/caller-schema.ts'
import type { ResumedCall } from '../start-run.ts'
import type { RespondedRun } from './run-responses.ts'

/** The call of a run that has its responses. One that can be resumed does not end with the client. */
export function resumedCall(
  { row, continuation, responses }: RespondedRun,
  signal: AbortSignal,
): ResumedCall {
  const schema = continuation.schema === null ? undefined : readCallerSchema(continuation.schema)
  const own = continuation.road === null ? signal : new AbortController().signal
  return { row, continuation, responses, schema, signal: own }
}
