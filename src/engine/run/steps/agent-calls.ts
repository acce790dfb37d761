import { createHash } from 'node:crypto'
import type { CallRecord, RecordedTools } from '../../../agent/tools/recorded-tools.ts'
import { isId } from '../../../lib/ids.ts'
import { encodeJson } from '../../record/values.ts'
import { NEW_STEP } from '../../../store/execution-store.ts'
import type { StepRow } from '../../../store/execution-store.ts'
import type { StepDefinition } from '../../../workflow/definition.ts'
import { stepCalls } from '../../../workflow/make-calls.ts'
import type { DurableRecord } from '../../record/execution-record.ts'
import { completedRow, failedRow } from '../../record/step-rows.ts'
import { RunAborted, isControlFlow, recordError } from '../errors.ts'
import type { ErrorRecording } from '../errors.ts'
import type { Pass } from '../pass.ts'
import type { RunActivity } from './run-activity.ts'

interface AgentCallsDeps {
  readonly record: Pick<DurableRecord, 'steps' | 'stage' | 'now' | 'closed' | 'addMetadata'>
  readonly activity: RunActivity
  /** The maximum size of a recorded value, in bytes. */
  readonly limit: number
  readonly errors: ErrorRecording
  /** The recorded calls of a tool call. */
  readonly passAt: (path: string, leave: (error: unknown) => void) => Pass
}

/** The path of a tool call below that of the answer. Models may choose ids that are no ids of steps. */
export function toolCallPath(answer: string, toolCallId: string): string {
  const id = `tool-${toolCallId}`
  return `${answer}/${isId(id) ? id : `tool-${createHash('sha256').update(toolCallId).digest('hex').slice(0, 32)}`}`
}

/**
 * The tool calls of an agent's answer to a step: what their functions record is below the step. A tool call has a row of its
 * own once it makes a recorded call.
 */
export class AgentCalls implements RecordedTools {
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

  /** Why the answer has to be left; `undefined` as long as it goes on. */
  get left(): unknown {
    return this.#waits.error
  }

  async make<Result>(
    { toolCallId, toolName, input }: Parameters<RecordedTools['make']>[0],
    body: (record: CallRecord) => Promise<Result>,
  ): Promise<Result> {
    const { activity, record, passAt } = this.#deps
    const path = toolCallPath(this.#path, toolCallId)
    let pass: Pass | undefined
    const begin = () => {
      this.#begin(path, { toolName, input })
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
      const result = await body({ step, nested })
      await pass?.end()
      if (pass) this.#complete(path, result)
      return result
    } catch (error) {
      const failure = await pass?.fail(error)
      if (pass && !isControlFlow(failure)) this.#fail(path, error)
      throw error
    } finally {
      if (--this.#open > 0) activity.change(-1)
    }
  }

  /** The row around the recorded calls. A crash in between counts against the step whose agent it is. */
  #begin(path: string, { toolName, input }: { readonly toolName: string; readonly input: unknown }): void {
    const { record, limit } = this.#deps
    const row = record.steps.get(path)
    if (row?.status === 'running') return
    const begun: StepRow = row ?? {
      ...NEW_STEP,
      path,
      stepId: path.slice(path.lastIndexOf('/') + 1),
      name: toolName,
      type: 'andThen',
      position: record.steps.size,
      status: 'running',
      input: encodeJson(input ?? null, { name: 'input', limit }),
      startedAt: record.now(),
    }
    record.stage({ step: { ...begun, status: 'running', error: null, endedAt: null, exempt: true } })
  }

  #complete(path: string, result: unknown): void {
    const { record, limit } = this.#deps
    const row = record.steps.get(path)
    if (!row || record.closed) return
    const output = encodeJson(result ?? null, { name: 'result', limit })
    record.stage({ step: completedRow(row, record.now(), output) })
  }

  #fail(path: string, error: unknown): void {
    const { record, errors } = this.#deps
    const row = record.steps.get(path)
    if (row && !record.closed)
      record.stage({ step: failedRow(row, record.now(), recordError(error, errors)) })
  }
}

/** After a crash, compensations are found by running code over its record again: an answer is none that could be. */
function noCompensation(id: string): TypeError {
  return new TypeError(
    `Call "${id}": compensate is not available in a tool that an agent calls. Give the step of the agent a compensate`,
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
