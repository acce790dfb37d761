import type { Agent } from '../agent/agent.ts'
import type { Approvers, Callers } from '../contract/access/callers.ts'
import type { StepType } from '../contract/status.ts'
import { compensatedPath } from '../contract/step-path.ts'
import { declaredHere } from '../lib/declared-at.ts'
import type { FoundProblem } from '../lib/declared-at.ts'
import { DURATION_RULE, parseDuration } from '../lib/duration.ts'
import { asProblems, problemMessages, problemsOf } from '../lib/found-problem.ts'
import { ID_RULE, isId } from '../lib/ids.ts'
import { isSchema } from '../lib/schema/schema.ts'
import { usesMember } from '../lib/uses-member.ts'
import { retryProblem } from '../step/retry.ts'
import type { Compensate } from '../step/compensation.ts'
import type { StepDefinition, StepRuntime, WorkflowDefinition } from './definition.ts'
import type { TaskOptions } from './step-options.ts'

/**
 * A step with input `Data` and result `Result`, in a workflow with input `Input`. It reads `Results` of the steps before it,
 * and adds `Added` to them.
 */
export interface Step<
  Input = unknown,
  Data = unknown,
  Result = unknown,
  Results = unknown,
  Added = object,
> extends StepThatMakes<Input, Data, Results, Made<Result, Added>> {}

/** A step by what it makes, as the compiler infers it from lists of steps. */
export interface StepThatMakes<Input, Data, Results, Makes> extends StepDefinition {
  readonly '~types'?: (input: Input, data: Data, results: Results) => Makes
}

/** What a step makes: its result, and what it adds to the results of its workflow. */
export interface Made<Result, Added> {
  readonly result: Result
  readonly added: Added
}

/** The result of a step, by what it makes. */
export type ResultIn<Makes> = Makes extends { readonly result: infer Result } ? Result : unknown

/** What a step adds, by what it makes. */
export type AddedIn<Makes> = Makes extends { readonly added: infer Added } ? Added : object

/** The result of any step of a list. */
export type AnyResult<List extends readonly unknown[]> = AllResults<List>[number]

/** The results of the steps of a list, in order. */
export type AllResults<List extends readonly unknown[]> = {
  -readonly [K in keyof List]: ResultIn<List[K]>
}

/** What all steps of a list add. */
export type AllAdded<List extends readonly unknown[]> = (
  List[number] extends infer One
    ? One extends { readonly added: infer Added }
      ? (added: Added) => void
      : never
    : never
) extends (added: infer All) => void
  ? All
  : object

interface KindOptions {
  readonly steps?: readonly StepDefinition[]
  readonly agent?: Agent | undefined
  readonly workflow?: WorkflowDefinition | undefined
  readonly compensate?: unknown
  readonly maySuspend?: boolean
  readonly makesCalls?: boolean
  readonly openTo?: Callers | undefined
  readonly approvedBy?: Approvers | undefined
  readonly event?: string
  readonly problems?: readonly (string | FoundProblem | undefined)[]
  readonly run: (runtime: StepRuntime) => Promise<string>
}

/** Whether the function of a step may suspend, by itself or in a recorded call. `members`: those by which it can. */
export function waitsOf(
  execute: (context: never) => unknown,
  members: readonly ('suspend' | 'step')[],
): Pick<KindOptions, 'maySuspend' | 'makesCalls'> {
  const maySuspend = typeof execute === 'function' && usesMember(execute, 0, members)
  return { maySuspend, makesCalls: maySuspend && usesMember(execute, 0, ['step']) }
}

/** Creates a step of one kind, and validates the options that all kinds share. */
export function defineStep(type: StepType, options: TaskOptions, parts: KindOptions): StepDefinition {
  const {
    id,
    name,
    purpose,
    was,
    inputSchema,
    outputSchema,
    suspendSchema,
    resumeSchema,
    retries,
    timeoutMs,
    suspendTimeout,
  } = options
  const {
    steps = [],
    agent,
    workflow,
    compensate,
    maySuspend,
    makesCalls,
    openTo,
    approvedBy,
    event,
    problems = [],
    run,
  } = parts
  const defined = {
    name,
    purpose,
    was,
    inputSchema,
    outputSchema,
    suspendSchema,
    resumeSchema,
    retries,
    timeoutMs,
    suspendTimeout,
  }
  const found = [
    ...commonProblems(options),
    compensate === undefined ? undefined : functionProblem('compensate', compensate),
    steps.every((step) => isStep(step))
      ? undefined
      : 'every nested step must be made by andThen() or another step function',
    ...steps.flatMap((step) => (isStep(step) && step.type === 'group' ? problemsOf(step, '') : [])),
    ...problems,
  ].flatMap((problem) => (typeof problem === 'string' ? asProblems([problem]) : (problem ?? [])))
  const step: StepDefinition = {
    id,
    type,
    ...withoutUndefined({
      ...defined,
      agent,
      workflow,
      compensate: compensate as Compensate<unknown> | undefined,
      maySuspend,
      makesCalls,
      openTo,
      approvedBy,
      event,
    }),
    steps: steps.filter((step) => isStep(step)),
    problems: problemMessages(found),
    run,
  }
  return Object.freeze(declaredHere(step, defineStep, found))
}

/** Whether `value` was made by a step function. */
export function isStep(value: unknown): value is StepDefinition {
  return typeof value === 'object' && value !== null && 'run' in value && 'type' in value
}

/** The ids that a step had before. */
export function formerIds({ was }: Pick<StepDefinition, 'was'>): readonly string[] {
  return was === undefined ? [] : typeof was === 'string' ? [was] : was
}

/** The members that are set. */
export function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as never
}

function commonProblems(options: TaskOptions): (string | undefined)[] {
  const { id, was, retries, timeoutMs, suspendTimeout } = options
  return [
    typeof id === 'string' && isId(id) ? undefined : `the id must be ${ID_RULE}`,
    was === undefined || [was].flat().every((former) => typeof former === 'string' && isId(former))
      ? undefined
      : `was must be an id that the step had before, or an array of them: ${ID_RULE}`,
    typeof id === 'string' && compensatedPath(id) !== undefined
      ? 'ids that end with ":compensate" are reserved for compensations'
      : undefined,
    retries === undefined ? undefined : retryProblem(retries),
    timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs > 0)
      ? undefined
      : 'timeoutMs must be a number above 0',
    suspendTimeout === undefined || parseDuration(suspendTimeout) !== undefined
      ? undefined
      : `suspendTimeout must be ${DURATION_RULE}`,
    ...(['inputSchema', 'outputSchema', 'suspendSchema', 'resumeSchema'] as const).map((key) =>
      options[key] === undefined || isSchema(options[key])
        ? undefined
        : `${key} must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object`,
    ),
  ]
}

/** A problem text when `value` is not a function. */
export function functionProblem(name: string, value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : `${name} must be a function`
}
