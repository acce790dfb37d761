import type { AgentStreamPart } from '../../contract/agent-event.ts'
import { escapeControls } from '../../lib/escape-controls.ts'
import { duration } from '../print/duration.ts'
import { oneLine, type Terminal } from '../print/terminal.ts'

/** How an answer came to its end. */
export type AnswerEnd = 'finished' | 'failed' | 'stopped'

/** Prints an answer while it comes: its text to stdout, tools and all else beside it. */
export async function printAnswer(
  parts: AsyncIterable<AgentStreamPart>,
  terminal: Terminal,
): Promise<AnswerEnd> {
  const page = new AnswerPage(terminal)
  const begun = performance.now()
  for await (const part of parts) {
    const end = page.show(part)
    if (end === undefined) continue
    if (part.type === 'finish') page.note(summary(part, performance.now() - begun))
    return end
  }
  page.note('The server ended the answer early')
  return 'failed'
}

class AnswerPage {
  readonly #terminal: Terminal
  /** The stream in whose line the cursor stands, if it stands in one. */
  #line: 'text' | 'thought' | undefined

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** Prints a part; says how the answer ended where it did. */
  show(part: AgentStreamPart): AnswerEnd | undefined {
    const { notePaint: paint } = this.#terminal
    switch (part.type) {
      case 'text-delta':
        this.#text(part.text)
        return undefined
      case 'reasoning-delta':
        this.#thought(part.text)
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
      case 'finish':
        this.#endLine()
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
    if (this.#line === 'thought') this.#endLine()
    this.#terminal.write(process.stdout.isTTY ? escapeControls(text) : text)
    this.#line = text.endsWith('\n') ? undefined : 'text'
  }

  #thought(text: string): void {
    if (text === '') return
    if (this.#line === 'text') this.#endLine()
    process.stderr.write(this.#terminal.notePaint.dim(escapeControls(text)))
    this.#line = text.endsWith('\n') ? undefined : 'thought'
  }

  #endLine(): void {
    if (this.#line === 'text') this.#terminal.write('\n')
    if (this.#line === 'thought') process.stderr.write('\n')
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
  const why = finishReason === 'stop' ? '' : `, ended by ${finishReason}`
  return `(${oneLine(model)}, ${usage.totalTokens} tokens, ${duration(ms)}${why})`
}
