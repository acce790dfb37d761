import { duration } from './duration.ts'
import { fit } from './table.ts'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** No progress is displayed before this time. */
const DELAY_MS = 300
const CLEAR = '\r\u001b[2K'

/** A progress line with a spinner on stderr. Prints nothing if stderr is not a terminal. */
export class ProgressLine {
  readonly #terminal: Terminal
  readonly #startedAt = performance.now()
  readonly #write: Terminal['stderr']['write']
  #timer: NodeJS.Timeout | undefined
  #text = ''
  #frame = 0
  #shown = false

  constructor(terminal: Terminal) {
    const { stderr } = terminal
    this.#terminal = terminal
    this.#write = stderr.write.bind(stderr)
    if (!stderr.isTTY) return
    this.#timer = setInterval(() => this.#tick(), FRAME_MS).unref()
    // other output to stderr starts on a line of its own
    stderr.write = ((...args: Parameters<typeof stderr.write>) => {
      this.#clear()
      return this.#write(...args)
    }) as typeof stderr.write
  }

  /** Sets the text. */
  show(text: string): void {
    this.#text = oneLine(text)
  }

  /** Removes the line. */
  stop(): void {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#clear()
    this.#terminal.stderr.write = this.#write
  }

  #tick(): void {
    const elapsed = performance.now() - this.#startedAt
    if (elapsed < DELAY_MS) return
    const { notePaint: paint } = this.#terminal
    const frame = FRAMES[this.#frame++ % FRAMES.length] ?? ''
    const room = Math.max(10, (this.#terminal.stderr.columns ?? 0) - 20)
    const line = `${paint.cyan(frame)} ${fit(this.#text, room).trimEnd()} ${paint.dim(duration(elapsed))}`
    this.#write(CLEAR + line)
    this.#shown = true
  }

  #clear(): void {
    if (this.#shown) this.#write(CLEAR)
    this.#shown = false
  }
}
