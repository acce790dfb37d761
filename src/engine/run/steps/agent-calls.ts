import { createHash } from 'node:crypto'
import { isSuspended } from '../../../agent/answer/journal/recorded-calls.ts'
import type {
  CallRecord,
  RecordedCalls,
  RecordedToolCall,
} from '../../../agent/answer/journal/recorded-calls.ts'
import { isNestedIn, stepIdAt } from '../../../contract/step-path.ts'
import { AppError, isErrorCode } from '../../../lib/errors.ts'
import { isId } from '../../../lib/ids.ts'
import { toJson } from '../../../lib/json/to-json.ts'
import { sizeProblem } from '../../record/values.ts'
import { NEW_STEP } from '../../../store/execution-store.ts'
import type { StepRow } from '../../../store/execution-store.ts'
import type { StepDefinition } from '../../../workflow/definition.ts'
import { stepCalls } from '../../../workflow/make-calls.ts'
import { requireStored } from '../../record/commit.ts'
import type { DurableRecord } from '../../record/execution-record.ts'
import { completedRow, failedRow } from '../../record/step-rows.ts'
import { RunAborted, isControlFlow, recordError, storedError } from '../errors.ts'
import type { ErrorRecording } from '../errors.ts'
import type { Pass } from '../pass.ts'
import type { RunActivity } from './run-activity.ts'

interface AgentCallsDeps {
  readonly record: Pick<DurableRecord, 'steps' | 'stage' | 'now' | 'closed' | 'commit' | 'addMetadata'>
  readonly activity: RunActivity
  /** The maximum size of a recorded value, in bytes. */
  readonly limit: number
  readonly errors: ErrorRecording
  /** The recorded calls of a tool call. */
  readonly passAt: (path: string, leave: (error: unknown) => void) => Pass
  /** Called when a call is recorded, which is not repeated after a crash. */
  readonly onRecorded: () => void
}

/** The path of a tool call below that of the answer. Models may choose ids that are no ids of steps. */
export function toolCallPath(answer: string, toolCallId: string, kind: 'tool' | 'budget' = 'tool'): string {
  const id = `${kind}-${toolCallId}`
  return `${answer}/${isId(id) ? id : `${kind}-${createHash('sha256').update(toolCallId).digest('hex').slice(0, 32)}`}`
}

/**
 * The calls of an agent's answer to a step, recorded below the step. Those of the model, and of tools that make no recorded
 * calls, are not shown among the steps.
 */
export class AgentCalls implements RecordedCalls {
  readonly #deps: AgentCallsDeps
  readonly #path: string
  readonly #waits: Waits
  /** Calls in progress. While there are some, the answer counts as waiting for them. */
  #open = 0

  constructor(deps: AgentCallsDeps, path: string, waits = new Waits()) {
    this.#deps = deps
    this.#path = path
    this.#waits = waits
  }

  /** Aborts when the answer ends because a tool waits. */
  get signal(): AbortSignal {
    return this.#waits.signal
  }

  /** Why the answer has to be left; `undefined` as long as it continues. */
  get left(): unknown {
    return this.#waits.error
  }

  answer(number: number): unknown {
    return this.#outputAt(this.#answerPath(number))
  }

  async recordAnswer(number: number, answer: unknown, isLast: boolean): Promise<void> {
    const path = this.#answerPath(number)
    this.#complete(this.#rowAt(path, { name: stepIdAt(path) }), JSON.stringify(answer), "model's answer")
    // nothing follows that must not happen twice: it is stored with the end of the answer
    if (!isLast) await this.#stored()
  }

  forgetAnswer(number: number): void {
    this.#forget((path) => path === this.#answerPath(number))
  }

  has(toolCallId: string): boolean {
    const { status } = this.#deps.record.steps.get(toolCallPath(this.#path, toolCallId)) ?? {}
    return status === 'completed' || status === 'error'
  }

  restart(): void {
    this.#forget((path) => isNestedIn(path, this.#path))
  }

  async make<Result>(
    { kind = 'tool', toolCallId, toolName, input, signal }: RecordedToolCall,
    body: (record: CallRecord) => Promise<Result>,
  ): Promise<Result> {
    const { activity, record, passAt, errors } = this.#deps
    const path = toolCallPath(this.#path, toolCallId, kind)
    const recorded = record.steps.get(path)
    if (recorded?.status === 'completed') return this.#outputAt(path) as Result
    if (recorded?.status === 'error') throw errorOf(recorded)
    let pass: Pass | undefined
    const row = () => this.#rowAt(path, { name: toolName, input })
    const begin = () => {
      record.stage({ step: { ...row(), status: 'running', error: null, endedAt: null, exempt: true } })
      return passAt(path, (error) => this.#waits.leave(error))
    }
    const call = (step: StepDefinition, data: unknown) =>
      step.compensate ? Promise.reject(noCompensation(step.id)) : (pass ??= begin()).make(step, data)
    const step = stepCalls((one, data) => call(one, data) as Promise<never>, {
      metadata: (values) => record.addMetadata(values),
    })
    const nested = new AgentCalls(this.#deps, path, this.#waits)
    if (this.#open++ > 0) activity.change(1)
    try {
      const result = await body({ step, nested, left: this.#waits.signal })
      await pass?.end()
      signal?.throwIfAborted()
      // a call that waits has no result yet: it is recorded when the call continues
      if (isSuspended(result)) return result
      // the model gets whatever JSON makes of it; a call that is repeated has to get what it returned
      const text = pass ? toJson(result, 'result') : (JSON.stringify(result) as string | undefined)
      this.#complete(row(), text, 'result')
      await this.#stored()
      return result
    } catch (error) {
      const failure = await pass?.fail(error)
      if (signal?.aborted === true || isControlFlow(failure) || isControlFlow(error)) throw error
      record.stage({ step: failedRow(row(), record.now(), recordError(error, errors)) })
      await this.#stored()
      throw error
    } finally {
      if (--this.#open > 0) activity.change(-1)
    }
  }

  #answerPath(number: number): string {
    return `${this.#path}/model-${number}`
  }

  /** The recorded value at a path; `undefined` without one. */
  #outputAt(path: string): unknown {
    const { status, output = null } = this.#deps.record.steps.get(path) ?? {}
    return status === 'completed' && output !== null ? (JSON.parse(output) as unknown) : undefined
  }

  /** The row of a call, or one that begins now. A crash meanwhile counts against the step whose agent it is. */
  #rowAt(path: string, { name, input = null }: { readonly name: string; readonly input?: unknown }): StepRow {
    const { record } = this.#deps
    const row = record.steps.get(path)
    if (row && row.status !== 'cancelled') return row
    return {
      ...(row ?? NEW_STEP),
      path,
      stepId: stepIdAt(path),
      name,
      type: 'andThen',
      isAnswerCall: true,
      position: row?.position ?? record.steps.size,
      status: 'running',
      input: JSON.stringify(input) ?? 'null',
      startedAt: record.now(),
    }
  }

  /** @throws AppError when the output is too large: its message is for the model. */
  #complete(row: StepRow, output: string | undefined, name: string): void {
    const { record, limit } = this.#deps
    const problem = output === undefined ? undefined : sizeProblem(output, { name, limit })
    if (problem !== undefined) throw new AppError('execution_failed', problem)
    record.stage({ step: { ...completedRow(row, record.now(), ''), output: output ?? null } })
  }

  /** Resolves when what is staged is stored: the answer continues then. */
  async #stored(): Promise<void> {
    const { record, onRecorded } = this.#deps
    onRecorded()
    requireStored(await record.commit())
  }

  /** The calls count no more. Recorded calls of tools are found again by a call with the same id. */
  #forget(isForgotten: (path: string) => boolean): void {
    const { record } = this.#deps
    for (const row of record.steps.values())
      if (row.isAnswerCall && row.endedAt !== null && isForgotten(row.path))
        record.stage({ step: { ...row, status: 'cancelled', output: null, error: null } })
  }
}

/** The recorded failure of a tool. The message of an AppError is public. */
function errorOf({ error }: StepRow): Error {
  const { message, code } = storedError(error)
  return isErrorCode(code) ? new AppError(code, message) : new Error(message)
}

/** After a crash, compensations are found by running code over its record again: an answer is none that could be. */
function noCompensation(id: string): AppError {
  return new AppError(
    'conflict',
    `Call "${id}": compensate is not available in a tool that an agent calls. Give the step of the agent a compensate, or catch the error in the tool and undo the call there`,
  )
}

/** Whether the calls of an answer and of its sub-agents wait. */
class Waits {
  readonly #left = new AbortController()
  error: unknown

  get signal(): AbortSignal {
    return this.#left.signal
  }

  leave(error: unknown): void {
    if (this.#left.signal.aborted) return
    this.error = error
    this.#left.abort(new RunAborted('suspending', 'A tool of the agent waits'))
  }
}
