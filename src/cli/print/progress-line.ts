import { duration } from './duration.ts'
import { fit } from './table.ts'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** What is quicker than this shows no progress. */
const PATIENCE_MS = 300
const CLEAR = '\r\u001b[2K'

/** A line on the terminal that says what runs. Nothing at all where stderr is no terminal. */
export class ProgressLine {
  readonly #terminal: Terminal
  readonly #startedAt = performance.now()
  readonly #write = process.stderr.write.bind(process.stderr)
  #timer: NodeJS.Timeout | undefined
  #text = ''
  #frame = 0
  #shown = false

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    if (!process.stderr.isTTY) return
    this.#timer = setInterval(() => this.#tick(), FRAME_MS).unref()
    // what others print does not run into the line
    process.stderr.write = ((...args: Parameters<typeof process.stderr.write>) => {
      this.#clear()
      return this.#write(...args)
    }) as typeof process.stderr.write
  }

  /** What runs now. */
  show(text: string): void {
    this.#text = oneLine(text)
  }

  /** Takes the line away. */
  stop(): void {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#clear()
    process.stderr.write = this.#write
  }

  #tick(): void {
    const elapsed = performance.now() - this.#startedAt
    if (elapsed < PATIENCE_MS) return
    const { notePaint: paint } = this.#terminal
    const frame = FRAMES[this.#frame++ % FRAMES.length] ?? ''
    const room = Math.max(10, process.stderr.columns - 20)
    const line = `${paint.cyan(frame)} ${fit(this.#text, room).trimEnd()} ${paint.dim(duration(elapsed))}`
    this.#write(CLEAR + line)
    this.#shown = true
  }

  #clear(): void {
    if (this.#shown) this.#write(CLEAR)
    this.#shown = false
  }
}
