import type { AgentStreamPart } from '../../contract/agent-event.ts'
import { pendingCalls } from '../../contract/pending-call.ts'
import type { PendingCall } from '../../contract/pending-call.ts'
import { formatCost } from '../../contract/usage/cost.ts'
import { escapeControls } from '../../lib/escape-controls.ts'
import { duration } from '../print/duration.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'

/** How a response ended. */
type ResponseEnd = 'finished' | 'failed' | 'stopped'

/** A response that was printed. */
export interface PrintedResponse {
  readonly end: ResponseEnd
  /** Undefined if the response did not finish. */
  readonly runId?: string
  /** Set when it waits for somebody. */
  readonly waiting?: WaitingRun
}

/** A run that waits for approvals, or for the data of forms. */
export interface WaitingRun {
  readonly runId: string
  readonly approvals: readonly PendingCall[]
}

/** Prints a response while it streams: text to stdout; tool calls, reasoning and notes to stderr. */
export async function printResponse(
  parts: AsyncIterable<AgentStreamPart>,
  terminal: Terminal,
): Promise<PrintedResponse> {
  const printer = new ResponsePrinter(terminal)
  const startedAt = performance.now()
  for await (const part of parts) {
    const end = printer.print(part)
    if (end === undefined) continue
    if (part.type !== 'finish') return { end }
    printer.note(summary(part, performance.now() - startedAt))
    const { id: runId } = part
    const approvals = pendingCalls(part)
    return { end, runId, ...(approvals && { waiting: { runId, approvals } }) }
  }
  printer.note('The connection to the server was lost before the response was complete')
  return { end: 'failed' }
}

class ResponsePrinter {
  readonly #terminal: Terminal
  /** The kind of text on the current line. Undefined at the start of a line. */
  #line: 'text' | 'reasoning' | undefined

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** Prints a part. Returns how the response ended, if this part ends it. */
  print(part: AgentStreamPart): ResponseEnd | undefined {
    const { notePaint: paint } = this.#terminal
    switch (part.type) {
      case 'text-delta':
        this.#text(part.text)
        return undefined
      case 'reasoning-delta':
        this.#reasoning(part.text)
        return undefined
      case 'tool-call':
        this.note(`${paint.cyan('→')} ${part.toolName} ${this.#value(part.input)}`)
        return undefined
      case 'tool-result':
        this.note(`${paint.green('←')} ${part.toolName} ${this.#value(part.output)}`)
        return undefined
      case 'tool-error':
        this.note(`${paint.red('✗')} ${part.toolName} ${oneLine(part.error)}`)
        return undefined
      case 'tool-output-denied':
        this.note(`${paint.red('✗')} ${part.toolName} (denied)`)
        return undefined
      case 'finish':
        this.#endLine()
        if (part.reason !== undefined)
          this.note(`${paint.red('✗')} Blocked by a guardrail: ${escapeControls(part.reason)}`)
        return 'finished'
      case 'abort':
        this.note('(stopped)')
        return 'stopped'
      case 'error':
        this.note(`${paint.red('✗')} ${escapeControls(part.error)}`)
        return 'failed'
      default:
        return undefined
    }
  }

  note(text: string): void {
    this.#endLine()
    this.#terminal.note(text)
  }

  #text(text: string): void {
    if (text === '') return
    if (this.#line === 'reasoning') this.#endLine()
    this.#terminal.write(this.#terminal.stdout.isTTY ? escapeControls(text) : text)
    this.#line = text.endsWith('\n') ? undefined : 'text'
  }

  #reasoning(text: string): void {
    if (text === '') return
    if (this.#line === 'text') this.#endLine()
    this.#terminal.stderr.write(this.#terminal.notePaint.dim(escapeControls(text)))
    this.#line = text.endsWith('\n') ? undefined : 'reasoning'
  }

  #endLine(): void {
    if (this.#line === 'text') this.#terminal.write('\n')
    if (this.#line === 'reasoning') this.#terminal.stderr.write('\n')
    this.#line = undefined
  }

  #value(value: unknown): string {
    const text = oneLine(JSON.stringify(value) ?? '')
    const { notePaint: paint } = this.#terminal
    return paint.dim(text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text)
  }
}

const MAX_VALUE_LENGTH = 300

function summary({ model, usage, finishReason }: AgentStreamPart & { type: 'finish' }, ms: number): string {
  const why = finishReason === 'stop' ? '' : `, finish reason: ${finishReason}`
  const cost = usage.costUsd === null ? '' : `, ${formatCost(usage.costUsd)}`
  const tokens = usage.totalTokens ?? 'unknown'
  return `(${oneLine(model)}, ${tokens} tokens${cost}, ${duration(ms)}${why})`
}
