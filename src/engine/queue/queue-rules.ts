import { AppError, messageOf } from '../../lib/errors.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { QueueLimits } from '../../store/queue-store.ts'
import type { StartContext } from '../../workflow/limits.ts'
import type { WorkflowDefinition } from '../../workflow/definition.ts'

type Choose<Value> = (execution: StartContext<unknown>) => Value

/** The slot that an execution takes, and its order among those that wait. */
export interface QueueSlot {
  readonly concurrencyKey: string
  readonly rateKey: string
  readonly priority: number
}

/** The limits of a workflow, as the store takes them. */
export interface QueueRules {
  readonly limits: QueueLimits
  /**
   * The slot of an execution.
   *
   * @throws AppError `invalid_input` when a key is no string, or the priority no number.
   */
  slotOf(execution: StartFacts): QueueSlot
}

/** The facts of a new execution that functions of its workflow choose by; `input` and `context` are JSON text. */
export interface StartFacts {
  readonly input: string
  readonly userId?: string | null
  readonly context: string
}

export function startContext({ input, userId, context }: StartFacts): StartContext<unknown> {
  return {
    input: JSON.parse(input) as unknown,
    userId: userId ?? undefined,
    context: JSON.parse(context) as Readonly<Record<string, unknown>>,
  }
}

/** `undefined` for a workflow without limits. */
export function queueRules(workflow: WorkflowDefinition): QueueRules | undefined {
  const { id, rateLimit } = workflow
  const concurrency =
    typeof workflow.concurrency === 'number' ? { limit: workflow.concurrency } : workflow.concurrency
  if (!concurrency && !rateLimit) return undefined
  const keyOf = (name: string, choose: Choose<unknown> | undefined, execution: StartContext<unknown>) =>
    choose === undefined
      ? ''
      : keyText(
          call(id, name, () => choose(execution)),
          { id, name },
        )
  return {
    limits: {
      workflowId: id,
      concurrency: concurrency?.limit ?? null,
      rate: rateLimit ? { limit: rateLimit.limit, perMs: parseDuration(rateLimit.per) ?? 0 } : null,
    },
    slotOf: (facts) => {
      const execution = startContext(facts)
      const choose = workflow.priority as Choose<unknown> | undefined
      const priority = choose ? call(id, 'priority', () => choose(execution)) : 0
      if (typeof priority !== 'number' || !Number.isFinite(priority))
        throw failed(id, `priority returned ${shown(priority)}, not a number`)
      return {
        concurrencyKey: keyOf('concurrency.key', concurrency?.key as Choose<unknown> | undefined, execution),
        rateKey: keyOf('rateLimit.key', rateLimit?.key as Choose<unknown> | undefined, execution),
        priority,
      }
    },
  }
}

/** Stands before a key, which is told apart from a limit without a key. */
const KEY_MARK = '='

/** The key as a workflow chose it; null without one. */
export function shownKey(stored: string): string | null {
  return stored.startsWith(KEY_MARK) ? stored.slice(KEY_MARK.length) : null
}

function keyText(key: unknown, { id, name }: { readonly id: string; readonly name: string }): string {
  if (typeof key === 'string' && key !== '') return `${KEY_MARK}${key}`
  throw failed(id, `${name} returned ${shown(key)}, not a string${key === '' ? ' with characters' : ''}`)
}

function call(id: string, name: string, body: () => unknown): unknown {
  try {
    return body()
  } catch (error) {
    throw failed(id, `${name} threw: ${messageOf(error)}`, error)
  }
}

function failed(id: string, problem: string, cause?: unknown): AppError {
  return new AppError('invalid_input', `The limits of workflow "${id}" do not suit the input: ${problem}`, {
    cause,
  })
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
