import type { AskAgent } from '../agent/agent-request.ts'
import type { StepContext } from './step-context.ts'
import type { StepDefinition } from './step.ts'
import type { WorkflowDefinition } from './workflow.ts'

/** What a group's body returns when it decided to do nothing; the step's input is then its result. */
export const SKIPPED: unique symbol = Symbol('skipped')

/** What the engine gives to a step kind's `run`. Values that flow between steps are JSON text. */
export interface StepFrame {
  /** The step's input. */
  readonly data: string
  /** What the step's functions are called with, outside an attempt: for conditions and mappings. */
  context(): StepContext
  /** Runs user code as one durable unit, with the step's retries, timeout and suspension. */
  invoke(body: (context: StepContext) => unknown): Promise<string>
  /** Has an agent answer; to be used within an attempt. */
  readonly ask: AskAgent
  /** Like `invoke`, but the result is the input, and a failure is recorded and not thrown. */
  tap(body: (context: StepContext) => unknown): Promise<string>
  /** Records a step that consists of other steps. */
  group(body: () => Promise<string | typeof SKIPPED>): Promise<string>
  /** Whether a nested step has a record already: what led to it was decided in an earlier run. */
  hasStarted(step: StepDefinition): boolean
  /** Runs a nested step. */
  run(step: StepDefinition, data: string): Promise<string>
  /** Runs nested steps side by side; the results in order. */
  all(steps: readonly StepDefinition[], data: string): Promise<string[]>
  /** Runs nested steps side by side; the first result. The others' signal aborts. */
  race(steps: readonly StepDefinition[], data: string): Promise<string>
  /** Runs another workflow as an execution of its own, and waits for its result. */
  child(workflow: WorkflowDefinition, input: (context: StepContext) => unknown): Promise<string>
}
