import type * as Ai from 'ai'
import { z } from 'zod'
import { messageOf } from '../../lib/errors.ts'

/** How a call of a model ended. */
export const CallOutcome = z.union([
  // the result of `doGenerate`, in the version of the specification that its model has
  z.strictObject({ answer: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }) }),
  z.strictObject({
    error: z.strictObject({
      message: z.string(),
      name: z.string().optional(),
      code: z.string().optional(),
      statusCode: z.number().optional(),
      isRetryable: z.boolean().optional(),
    }),
  }),
  // the caller did not wait for the answer
  z.strictObject({ aborted: z.literal(true) }),
])
export type CallOutcome = z.infer<typeof CallOutcome>

/** An error of a model as it is recorded. */
export function errorOutcome(error: unknown): CallOutcome {
  const { name, code, statusCode, isRetryable } = (error ?? {}) as Readonly<Record<string, unknown>>
  return {
    error: {
      message: messageOf(error),
      ...(typeof name === 'string' && { name }),
      ...(typeof code === 'string' && { code }),
      ...(typeof statusCode === 'number' && { statusCode }),
      ...(typeof isRetryable === 'boolean' && { isRetryable }),
    },
  }
}

/** The error that was recorded. The AI SDK retries it at once, where it retried the call then. */
export function recordedError(
  { message, isRetryable, statusCode, ...members }: Extract<CallOutcome, { error: unknown }>['error'],
  ai: typeof Ai,
): Error {
  if (isRetryable === undefined) {
    const error = members.name === 'TypeError' ? new TypeError(message) : new Error(message)
    return Object.assign(error, members, statusCode !== undefined && { statusCode })
  }
  return new ai.APICallError({
    message,
    url: '',
    requestBodyValues: {},
    isRetryable,
    ...(statusCode !== undefined && { statusCode }),
    responseHeaders: { 'retry-after-ms': '0' },
  })
}
