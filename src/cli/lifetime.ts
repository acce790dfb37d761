import { createDeferred } from '../lib/async/deferred.ts'
import { AppError } from '../lib/errors.ts'
import { EXIT, StalledError } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'

/** Ends a command early: a signal arrived, or the reader of its output exited. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode) {
    super('Interrupted')
    this.exitCode = exitCode
  }
}

/** Signals within this time count as one: a terminal and npm may both send the same signal. */
const SAME_SIGNAL_MS = 50
/** The process ends after this time even if a close function hangs. */
const MAX_CLOSE_MS = 9500

/** What a command waits for, unless it is more specific. */
export const PROJECT_CODE = "The project's code"

/** Ends a command's process: on signals and uncaught errors, with all resources closed. */
export class Lifetime {
  /** The exit code on a signal: 130, or 0 for servers, which are stopped by signals. */
  exitWhenInterrupted: ExitCode = EXIT.interrupted
  /** The command runs until it is interrupted, which is no failure, or has printed what it has by then. */
  interruptIsReported = false
  /** Reports that code of the project ended the process. Only synchronous output is possible. */
  onExited: (error: Error) => void = () => undefined
  /** Handles uncaught errors. Without it, such an error ends the command. */
  onUncaught: ((error: unknown) => void) | undefined
  /** What the command waits for, such as `Step "pay"`, to name it if that can never end. */
  waitsFor = PROJECT_CODE
  readonly #ended = createDeferred<never>()
  readonly #closeFunctions: (() => Promise<void> | void)[] = []
  readonly #interruptCallbacks: (() => void)[] = []
  #interruptedAt: number | undefined
  #stalled = false
  #exits = false
  #closingWith: ExitCode | undefined

  constructor() {
    this.#ended.promise.catch(() => undefined)
    process.on('SIGINT', () => this.onSignal())
    process.on('SIGTERM', () => this.onSignal())
    const uncaught = (error: unknown) => (this.onUncaught ?? this.#ended.reject)(error)
    process.on('uncaughtException', uncaught)
    process.on('unhandledRejection', uncaught)
    // Node would end with its code 13, without a word
    process.on('beforeExit', () => this.#onIdle())
    process.on('exit', (code) => this.#onExit(code))
  }

  /** Whether the command ends because nothing is left that it could wait for. */
  get stalled(): boolean {
    return this.#stalled
  }

  /** Rejects when the command must end early. */
  get ended(): Promise<never> {
    return this.#ended.promise
  }

  /** Ends the command in the same way as a signal. */
  interrupt(exitCode: ExitCode = this.exitWhenInterrupted): void {
    this.#interruptedAt ??= performance.now()
    this.#ended.reject(new Interrupted(exitCode))
  }

  /** Handles a signal, or Ctrl-C in raw mode. The second one ends the process immediately. */
  onSignal(): void {
    const now = performance.now()
    if (this.#interruptedAt === undefined) {
      for (const callback of this.#interruptCallbacks) callback()
      this.interrupt()
    } else if (now - this.#interruptedAt > SAME_SIGNAL_MS) this.exit(EXIT.interrupted)
  }

  /** Registers a function that closes a resource when the command ends. The last one registered runs first. */
  defer(close: () => Promise<void> | void): void {
    this.#closeFunctions.unshift(close)
  }

  /** Registers a function that runs on a signal, before resources are closed. */
  onInterrupt(callback: () => void): void {
    this.#interruptCallbacks.push(callback)
  }

  /** Closes all resources. If that takes too long, the process exits with `exitCode`. */
  async close(exitCode: ExitCode): Promise<void> {
    this.#closingWith = exitCode
    setTimeout(() => this.exit(exitCode), MAX_CLOSE_MS).unref()
    for (let close = this.#closeFunctions.shift(); close; close = this.#closeFunctions.shift()) await close()
  }

  /** Ends the process. */
  exit(exitCode: ExitCode): never {
    this.#exits = true
    process.exit(exitCode)
  }

  /** Code of the project called `process.exit()`: that must not look as if the command had ended by itself. */
  #onExit(code: number): void {
    if (this.#exits) return
    if (this.#closingWith !== undefined) {
      // the command has reported how it ended
      process.exitCode = this.#closingWith
      return
    }
    this.onExited(
      new AppError('internal', `${this.waitsFor} called process.exit(${code}), which ended this command`),
    )
    // Node passes on the text of process.exit('0')
    process.exitCode = Number(code) === EXIT.done ? EXIT.failed : code
  }

  #onIdle(): void {
    if (this.#closingWith !== undefined) this.exit(this.#closingWith)
    this.#stalled = true
    this.#ended.reject(new StalledError(this.waitsFor))
  }
}
