import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import type { WorkflowDetail } from '../contract/endpoints/workflow.ts'
import type { ExecutionEvent, ExecutionResult } from '../contract/event.ts'
import type { ApiClient } from './api.ts'
import { abortedBy } from './call.ts'
import type { Abortable, BodyOf, DataOf } from './call.ts'

/** The result of an execution. `result` is `null` unless it has completed. */
export type Settled<Result> = Omit<ExecutionResult, 'result'> & {
  /** Output of the workflow when completed, otherwise null. */
  readonly result: Result | null
}

/** An event with its sequence number; `result` of the last one, `workflow-result`, is typed. */
export type TypedEvent<Result> = (
  | Exclude<ExecutionEvent, { type: 'workflow-result' }>
  | (Omit<Extract<ExecutionEvent, { type: 'workflow-result' }>, 'result'> & {
      /** Output of the workflow. */
      readonly result: Result | null
    })
) & {
  /** Sequence number of the event. */
  readonly sequence: number
}

/** What an execution is started with, besides its input. */
export type ExecuteCallOptions = NonNullable<BodyOf<'executeWorkflow'>['options']> & Abortable

/** One workflow of a server. */
export class WorkflowClient<Input = unknown, Result = unknown> {
  /** Id of the workflow. */
  readonly id: string
  readonly #api: ApiClient

  constructor(api: ApiClient, id: string) {
    this.#api = api
    this.id = id
  }

  /** Its steps and schemas. `GET /workflows/:id` */
  describe(options: Abortable = {}): Promise<WorkflowDetail> {
    return this.#api.getWorkflow({ params: { id: this.id }, ...abortedBy(options) })
  }

  /**
   * Starts an execution and waits until it completes or suspends. `POST /workflows/:id/execute`
   *
   * @throws ApiError 400 naming the field of the input that is not valid, 404 for an unknown workflow, 409 when
   *   `executionId` is in use, 500 with `executionId` when the execution fails
   */
  execute(input: Input, options: ExecuteCallOptions = {}): Promise<Settled<Result>> {
    return this.#api.executeWorkflow(this.#start(input, options)) as Promise<Settled<Result>>
  }

  /**
   * Starts an execution, and resolves when it is stored: the server then finishes it, whatever happens.
   *
   * @example
   * const order = await client.workflow('order').start({ amount: 5 })
   * const { status, result } = await order.settled()
   */
  async start(input: Input, options: ExecuteCallOptions = {}): Promise<ExecutionClient<Result>> {
    const headers = { prefer: 'respond-async' }
    const { executionId } = await this.#api.executeWorkflow({ ...this.#start(input, options), headers })
    return this.execution(executionId)
  }

  /**
   * Starts an execution and streams its events; the last is `workflow-result`. It continues when the loop is left.
   * `POST /workflows/:id/stream`
   */
  stream(input: Input, options: ExecuteCallOptions = {}): AsyncGenerator<TypedEvent<Result>> {
    return this.#api.streamWorkflow(this.#start(input, options)) as AsyncGenerator<TypedEvent<Result>>
  }

  /** An execution of the workflow. Sends no request by itself. */
  execution(executionId: string): ExecutionClient<Result> {
    return new ExecutionClient(this.#api, { id: this.id, executionId })
  }

  #start(input: Input, { signal, ...options }: ExecuteCallOptions) {
    return { params: { id: this.id }, body: { input, options }, ...abortedBy({ signal }) }
  }
}

/** Who resumes, and as which step's response. */
export type ResumeCallOptions = NonNullable<NonNullable<BodyOf<'resumeExecution'>>['options']> & Abortable

/** One execution. */
export class ExecutionClient<Result = unknown> {
  /** Id of the execution. */
  readonly id: string
  readonly #api: ApiClient
  readonly #params: { readonly id: string; readonly executionId: string }

  constructor(
    api: ApiClient,
    params: {
      /** Id of the workflow. */
      readonly id: string
      /** Id of the execution. */
      readonly executionId: string
    },
  ) {
    this.#api = api
    this.#params = params
    this.id = params.executionId
  }

  /** Its record, with all steps. `GET /workflows/:id/executions/:executionId` */
  get(options: Abortable = {}): Promise<ExecutionDetail> {
    return this.#api.getExecution({ params: this.#params, ...abortedBy(options) })
  }

  /**
   * Its events: past ones first, then those that happen, until it ends. `GET /workflows/:id/executions/:executionId/stream`
   *
   * @param options `after`: the sequence number of the last event that is known; earlier ones are left out
   */
  follow({
    after = 0,
    signal,
  }: {
    /** Sequence number of the last event received; default: from the first one. */
    readonly after?: number
  } & Abortable = {}): AsyncGenerator<TypedEvent<Result>> {
    const query = { after: String(after) }
    return this.#api.followExecution({
      params: this.#params,
      query,
      ...abortedBy({ signal }),
    }) as AsyncGenerator<TypedEvent<Result>>
  }

  /**
   * Waits until it completes, fails, suspends or is cancelled. A failed one resolves too; its error is in `error`. While it
   * waits, that is at once; suspensions that are over do not count.
   */
  async settled({ signal }: Abortable = {}): Promise<Settled<Result>> {
    for (let after = 0; ;) {
      const record = await this.get(abortedBy({ signal }))
      if (record.status !== 'running') return settledIn(record) as Settled<Result>
      for await (const event of this.follow({ after, ...abortedBy({ signal }) })) {
        after = event.sequence
        if (event.type === 'workflow-result') break
      }
    }
  }

  /**
   * Resumes it while it is suspended, and waits until it completes or suspends again.
   * `POST /workflows/:id/executions/:executionId/resume`
   *
   * @throws ApiError 400 when the data does not match the resume schema, 409 when it is not suspended
   */
  resume(resumeData?: unknown, { signal, ...options }: ResumeCallOptions = {}): Promise<Settled<Result>> {
    const body = { ...(resumeData !== undefined && { resumeData }), options }
    return this.#api.resumeExecution({ params: this.#params, body, ...abortedBy({ signal }) }) as Promise<
      Settled<Result>
    >
  }

  /** Suspends it at its next step boundary. `POST /workflows/:id/executions/:executionId/suspend` */
  suspend({ signal, ...body }: SuspendCallOptions = {}): Promise<DataOf<'suspendExecution'>> {
    return this.#api.suspendExecution({ params: this.#params, body, ...abortedBy({ signal }) })
  }

  /** Cancels it, after the compensations of its completed steps. `POST /workflows/:id/executions/:executionId/cancel` */
  cancel({ signal, ...body }: CancelCallOptions = {}): Promise<DataOf<'cancelExecution'>> {
    return this.#api.cancelExecution({ params: this.#params, body, ...abortedBy({ signal }) })
  }

  /**
   * Starts a new execution from one of its steps, with copies of the results before it, and waits for its result.
   * `POST /workflows/:id/executions/:executionId/replay`
   */
  replay(stepId: string, { signal, ...body }: ReplayCallOptions = {}): Promise<Settled<Result>> {
    return this.#api.replayExecution({
      params: this.#params,
      body: { ...body, stepId },
      ...abortedBy({ signal }),
    }) as Promise<Settled<Result>>
  }
}

export type SuspendCallOptions = NonNullable<BodyOf<'suspendExecution'>> & Abortable
export type CancelCallOptions = NonNullable<BodyOf<'cancelExecution'>> & Abortable
export type ReplayCallOptions = Omit<BodyOf<'replayExecution'>, 'stepId'> & Abortable

/** What the execution of a record has come to. */
function settledIn(record: ExecutionDetail): ExecutionResult {
  const { id, status, createdAt, endedAt, output, suspension, error, compensation } = record
  return {
    executionId: id,
    startAt: createdAt,
    endAt: endedAt ?? null,
    status,
    result: status === 'completed' ? output : null,
    ...(suspension && { suspension }),
    ...(error && { error }),
    ...(compensation && { compensation }),
  }
}
