import { randomUUID } from 'node:crypto'
import { abortable } from '../../lib/async/abortable.ts'
import { LinkedAbort } from '../../lib/async/linked-abort.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import type { Deferred } from '../../lib/async/wake-up.ts'
import { AppError } from '../../lib/errors.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { InferOutput, Schema } from '../../lib/schema/schema.ts'
import { SuspendedAnswer } from '../answer/waiting/pending-calls.ts'
import type { PendingApproval } from '../answer/waiting/pending-calls.ts'
import type { ApprovalResponse } from '../answer/waiting/resumed-answer.ts'
import type { ElicitRequest, ElicitResult } from './elicitation.ts'
import type { DataPart, ToolContext } from './tool.ts'

/** A tool call that may request forms. */
export interface HoldableCall {
  readonly agentId: string
  readonly toolName: string
  readonly toolCallId: string
  readonly input: unknown
  readonly context: ToolContext
}

type Execute = (context: ToolContext) => Promise<unknown>

/** The maximum time for which a call is held, in milliseconds, and the maximum number of calls. */
const MAX_HELD_MS = 60 * 60_000
const MAX_HELD = 1000

/**
 * The tool calls in this process that wait for a form (`elicit`). A function or a request to another server can't be
 * stored, so a call is held in memory while its answer waits, and ends with its process.
 */
export class HeldCalls {
  readonly #held = new Map<string, HeldCall>()

  /** Makes a call. Returns its result, or what its answer waits for. */
  start(call: HoldableCall, execute: Execute): Promise<unknown> {
    return this.#next(new HeldCall(call, execute))
  }

  /**
   * Continues a call with the responses to its forms.
   *
   * @throws AppError `unavailable` when the call is no longer held.
   */
  resume(id: string, context: ToolContext, responses: readonly ApprovalResponse[]): Promise<unknown> {
    const held = this.#held.get(id)
    if (!held)
      throw new AppError(
        'unavailable',
        'The call waited for input in the memory of its process and has ended: the process stopped, or an hour passed',
      )
    this.#held.delete(id)
    held.resume(context, responses)
    return this.#next(held)
  }

  /** Ends all calls. */
  close(): void {
    for (const held of this.#held.values()) held.end('The server is shutting down')
    this.#held.clear()
  }

  async #next(call: HeldCall): Promise<unknown> {
    const result = await call.next()
    if (!(result instanceof SuspendedAnswer)) return result
    const { runId: id } = result.suspended
    if (this.#held.size >= MAX_HELD) {
      call.end('Too many calls wait for input')
      throw new AppError('unavailable', 'Too many calls wait for input')
    }
    this.#held.set(id, call)
    call.hold(MAX_HELD_MS, () => this.#held.delete(id))
    return result
  }
}

/** A form that waits for its response. */
interface Form {
  readonly approval: PendingApproval
  readonly response: Deferred<ApprovalResponse>
}

class HeldCall {
  readonly #call: HoldableCall
  readonly #lifetime: LinkedAbort
  readonly #result: Promise<{ readonly value: unknown }>
  readonly #end = new AbortController()
  #forms: Form[] = []
  #requested = createDeferred<void>()
  #timer: NodeJS.Timeout | undefined
  /** Where the call reports: to the answer that continues with it. */
  #reports: Pick<ToolContext, 'write' | 'preliminary'>

  constructor(call: HoldableCall, execute: Execute) {
    this.#call = call
    this.#reports = call.context
    this.#lifetime = new LinkedAbort(call.context.signal)
    const { signal } = this.#lifetime
    const elicit = <S extends Schema>(request: ElicitRequest<S>) => this.#elicit(request)
    const write = (part: DataPart) => this.#reports.write(part)
    const preliminary = (output: unknown) => this.#reports.preliminary?.(output)
    this.#result = execute({ ...call.context, signal, elicit, write, preliminary }).then((value) => ({
      value,
    }))
    this.#releaseAtEnd()
  }

  /** Nothing is followed behind the end of the call. */
  #releaseAtEnd(): void {
    const release = () => this.#lifetime.release()
    // next() rejects with it; while the call is held nothing awaits it
    this.#result.then(release, release)
  }

  /** The result of the call, or the forms that it has requested. */
  async next(): Promise<unknown> {
    const ended = await Promise.race([this.#result, this.#requested.promise])
    if (ended) return ended.value
    const { agentId } = this.#call
    return new SuspendedAnswer({
      agentId,
      runId: `held:${randomUUID()}`,
      steps: 0,
      approvals: this.#forms.map(({ approval }) => approval),
      toolCalls: [],
    })
  }

  /** The call lives without the request that made it, for a limited time. */
  hold(ms: number, onEnd: () => void): void {
    this.#lifetime.follow(this.#end.signal)
    this.#timer = setTimeout(() => {
      onEnd()
      this.end('No input within an hour')
    }, ms)
    this.#timer.unref()
  }

  end(reason: string): void {
    clearTimeout(this.#timer)
    this.#end.abort(new AppError('unavailable', reason))
  }

  resume(context: ToolContext, responses: readonly ApprovalResponse[]): void {
    const { signal } = context
    this.#reports = context
    clearTimeout(this.#timer)
    this.#lifetime.follow(signal)
    this.#releaseAtEnd()
    this.#requested = createDeferred()
    const forms = this.#forms
    this.#forms = []
    for (const { approval, response } of forms) {
      const { approvalId } = approval
      response.resolve(
        responses.find((one) => one.approvalId === approvalId) ?? { approvalId, approved: false },
      )
    }
  }

  async #elicit<S extends Schema>({
    message,
    schema,
  }: ElicitRequest<S>): Promise<ElicitResult<InferOutput<S>>> {
    const compiled = compileSchema(schema)
    const { agentId, toolName, toolCallId, input } = this.#call
    const approvalId = randomUUID()
    const response = createDeferred<ApprovalResponse>()
    const form = { kind: 'elicitation', message, schema: compiled.input } as const
    this.#forms.push({ approval: { ...form, approvalId, toolCallId, toolName, input, agentId }, response })
    this.#requested.resolve()
    const { approved, input: content } = await abortable(response.promise, this.#lifetime.signal)
    if (!approved) return { action: 'decline' }
    const validation = await compiled.validate(content ?? {})
    // the form was validated when the response was received
    return validation.ok
      ? { action: 'accept', content: validation.value as InferOutput<S> }
      : { action: 'cancel' }
  }
}
