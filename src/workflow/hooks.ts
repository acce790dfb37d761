import type { Logger } from 'pino'
import type { ExecutionError } from '../contract/event.ts'
import type { FinalStatus } from '../contract/is-final.ts'
import type { HookName } from '../contract/step-path.ts'
import type { StepCalls } from '../step/step-calls.ts'

/** The recorded calls of a hook: those that don't wait for a time, a person or an event. */
export type HookCalls = Pick<StepCalls, 'run' | 'agent' | 'tool' | 'sendEvent'>

/** An execution that has ended, as a hook gets it. */
export interface EndedExecution<Input = unknown, Result = unknown> {
  /** How it ended. */
  readonly status: FinalStatus
  /** Of an execution that has completed. */
  readonly result: Result | undefined
  /** Of an execution that has failed. */
  readonly error: ExecutionError | undefined
  /** Id of the execution. */
  readonly executionId: string
  /** Id of the workflow. */
  readonly workflowId: string
  /** Input of the workflow. */
  readonly input: Input
  /** Recorded calls: what they return is stored, and not repeated when the hook runs again. */
  readonly step: HookCalls
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Equal for all attempts of this hook for this execution. Pass it to every API that accepts an idempotency key. */
  readonly idempotencyKey: string
  /** Aborts when the server stops. */
  readonly signal: AbortSignal
  /** Logger whose records belong to the execution. */
  readonly logger: Logger
}

/** Called after an execution has ended, at least once. What it returns is ignored. */
export type EndHook<Input = unknown, Result = unknown> = (ended: EndedExecution<Input, Result>) => unknown

/** The hooks of a workflow. */
export interface WorkflowHooks<Input, Result> {
  /**
   * Called after each execution has ended: completed, failed or cancelled. The call is stored with the end, survives a
   * crash, and is retried five times; it never changes the outcome, and nobody waits for it.
   */
  readonly onEnd?: EndHook<Input, Result>
  /** Called as `onEnd`, after an execution has failed. */
  readonly onError?: EndHook<Input, Result>
}

/** The hooks that a configuration has for all of its workflows. */
export interface ConfigHooks {
  readonly onExecutionEnd?: EndHook | undefined
}

/** A function that is called after an execution has ended. */
export interface Hook {
  readonly name: HookName
  /** Whether it is called for executions that end with this status. */
  readonly isFor: (status: FinalStatus) => boolean
  readonly call: EndHook
}

/** All hooks of the executions of a workflow. */
export function hooksOf(
  { onError, onEnd }: WorkflowHooks<never, never>,
  { onExecutionEnd }: ConfigHooks,
): readonly Hook[] {
  const always = () => true
  const declared = [
    { name: 'onError', isFor: (status: FinalStatus) => status === 'error', call: onError },
    { name: 'onEnd', isFor: always, call: onEnd },
    { name: 'onExecutionEnd', isFor: always, call: onExecutionEnd },
  ] as const
  return declared.flatMap(({ call, ...hook }) =>
    call === undefined ? [] : { ...hook, call: call as EndHook },
  )
}
