import { abortable } from '../../lib/async/abortable.ts'
import { startDeadline } from '../../lib/async/deadline.ts'
import { AppError } from '../../lib/errors.ts'
import { BlockSignal } from './guardrail.ts'
import type { GuardrailRequest } from './guardrail.ts'

/** Time after which a guardrail that has not returned fails, in milliseconds. */
const GUARDRAIL_TIMEOUT_MS = 10_000

/** A guardrail of input or output. */
// oxlint-disable-next-line typescript/no-explicit-any -- its value depends on where it is declared
type AnyGuardrail = (value: any) => unknown

export interface RunGuardrailsOptions<Value> {
  readonly agentId: string
  readonly request: GuardrailRequest
  /** The value of the first guardrail, as its members: `{ text }`, `{ messages, text }` or `{ object }`. */
  readonly toMembers: (value: Value) => object
  /** Converts a replacement. Throws when it is not valid. */
  readonly read: (replacement: unknown, value: Value) => Value | Promise<Value>
}

/**
 * Calls guardrails in order. Returns the value that the last one let pass.
 *
 * @throws BlockSignal with the reason of the first one that blocks.
 * @throws AppError `execution_failed` when one throws, returns an invalid result or takes longer than 10 seconds, with
 *   the error as its cause.
 */
export async function runGuardrails<Value>(
  guardrails: readonly AnyGuardrail[],
  first: Value,
  { agentId, request, toMembers, read }: RunGuardrailsOptions<Value>,
): Promise<Value> {
  let value = first
  for (const guardrail of guardrails) {
    try {
      const result = readResult(await call(guardrail, { ...toMembers(value), ...request }))
      if (result && 'block' in result) throw new BlockSignal(result.block)
      if (result) value = await read(result.replace, value)
    } catch (error) {
      if (error instanceof BlockSignal) throw error
      request.signal.throwIfAborted()
      throw new AppError('execution_failed', `A guardrail of agent "${agentId}" failed`, { cause: error })
    }
  }
  return value
}

async function call(guardrail: AnyGuardrail, value: GuardrailRequest): Promise<unknown> {
  const deadline = startDeadline(GUARDRAIL_TIMEOUT_MS, value.signal, () => {
    return new Error(`The guardrail did not return within ${GUARDRAIL_TIMEOUT_MS} ms`)
  })
  try {
    const { signal } = deadline
    return await abortable(Promise.resolve(guardrail({ ...value, signal })), signal)
  } finally {
    deadline.clear()
  }
}

type Result = { readonly block: string } | { readonly replace: unknown } | undefined

function readResult(result: unknown): Result {
  if (result === undefined || result === null) return undefined
  if (typeof result === 'object') {
    if ('block' in result && typeof result.block === 'string') return { block: result.block }
    if ('replace' in result && result.replace !== undefined && !('block' in result))
      return { replace: result.replace }
  }
  throw new TypeError('A guardrail must return nothing, { block: reason } or { replace: value }')
}
