import { DURATION_RULE, parseDuration } from '../lib/duration.ts'
import type { Duration } from '../lib/duration.ts'

/** What is known of an execution when it starts. */
export interface StartContext<Input> {
  /** Input of the workflow. */
  readonly input: Input
  /** Id of the user; missing when there is none. */
  readonly userId: string | undefined
  /** `options.context` of the call that starts the execution. */
  readonly context: Readonly<Record<string, unknown>>
}

/** Chooses the group of executions that share a limit, such as a customer. Returns a string that is not empty. */
type LimitKey<Input> = (execution: StartContext<Input>) => string

/** How many executions of a workflow run at the same time, and how often they start. Others wait in order. */
export interface WorkflowLimits<Input> {
  /** How many executions run at the same time, on all machines together; with `key`, of each key. Suspended ones do not count. */
  readonly concurrency?:
    | number
    | {
        /** Maximum number of executions at the same time. */
        readonly limit: number
        /** Returns the key whose executions share the limit. */
        readonly key?: LimitKey<Input>
      }
  /** How many executions start in any window of `per`, on all machines together; with `key`, of each key. */
  readonly rateLimit?: {
    /** Maximum number of starts in the window. */
    readonly limit: number
    /** Such as `1s` or `1m`. */
    readonly per: Duration
    /** Returns the key whose executions share the limit. */
    readonly key?: LimitKey<Input>
  }
  /** Of those that wait, executions with a higher number start first. Default: 0. */
  readonly priority?: (execution: StartContext<Input>) => number
}

/** The problems of a workflow's limits. */
export function limitProblems({ concurrency, rateLimit, priority }: WorkflowLimits<never>): string[] {
  return [
    ...(concurrency === undefined ? [] : concurrencyProblems(concurrency)),
    ...(rateLimit === undefined ? [] : rateProblems(rateLimit)),
    ...(priority === undefined || typeof priority === 'function' ? [] : ['priority must be a function']),
  ]
}

function concurrencyProblems(concurrency: unknown): string[] {
  if (typeof concurrency === 'number')
    return isLimit(concurrency) ? [] : ['concurrency must be a positive integer']
  if (typeof concurrency !== 'object' || concurrency === null)
    return ['concurrency must be a positive integer, or an object with limit and key']
  return objectProblems('concurrency', concurrency)
}

function rateProblems(rateLimit: unknown): string[] {
  if (typeof rateLimit !== 'object' || rateLimit === null)
    return ['rateLimit must be an object with limit and per']
  const { per } = rateLimit as { per?: unknown }
  const isDuration = (parseDuration(per) ?? 0) > 0
  return [
    ...objectProblems('rateLimit', rateLimit),
    ...(isDuration ? [] : [`rateLimit.per must be a duration above 0: ${DURATION_RULE}`]),
  ]
}

function objectProblems(name: string, { limit, key }: { limit?: unknown; key?: unknown }): string[] {
  return [
    ...(isLimit(limit) ? [] : [`${name}.limit must be a positive integer`]),
    ...(key === undefined || typeof key === 'function' ? [] : [`${name}.key must be a function`]),
  ]
}

function isLimit(limit: unknown): boolean {
  return Number.isSafeInteger(limit) && Number(limit) > 0
}
