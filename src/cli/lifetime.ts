import { createDeferred } from '../lib/async/wake-up.ts'
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
/** A command exits after this time even if a close function hangs. */
const MAX_CLOSE_MS = 9500

/** What a command waits for, unless it is more specific. */
export const PROJECT_CODE = "The project's code"

/** How a command ends: by itself, interrupted or by an uncaught error, with all resources closed. */
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
  readonly #exited = createDeferred<ExitCode>()
  readonly #closeFunctions: (() => Promise<void> | void)[] = []
  readonly #interruptCallbacks: (() => void)[] = []
  #interruptedAt: number | undefined
  #stalled = false
  #closingWith: ExitCode | undefined

  constructor() {
    this.#ended.promise.catch(() => undefined)
  }

  /** Whether the command ends because nothing is left that it could wait for. */
  get stalled(): boolean {
    return this.#stalled
  }

  /** The exit code of a command that has reported how it ended, and closes its resources. */
  get closingWith(): ExitCode | undefined {
    return this.#closingWith
  }

  /** Rejects when the command must end early. */
  get ended(): Promise<never> {
    return this.#ended.promise
  }

  /** Resolves when the command must exit without closing its resources. */
  get exited(): Promise<ExitCode> {
    return this.#exited.promise
  }

  /** Ends the command in the same way as a signal. */
  interrupt(exitCode: ExitCode = this.exitWhenInterrupted): void {
    this.#interruptedAt ??= performance.now()
    this.#ended.reject(new Interrupted(exitCode))
  }

  /** Handles a signal, or Ctrl-C in raw mode. After the second one the command exits immediately. */
  onSignal(): void {
    const now = performance.now()
    if (this.#interruptedAt === undefined) {
      for (const callback of this.#interruptCallbacks) callback()
      this.interrupt()
    } else if (now - this.#interruptedAt > SAME_SIGNAL_MS) this.#exited.resolve(EXIT.interrupted)
  }

  /** Handles an error that no code of the command or the project caught. */
  onUncaughtError(error: unknown): void {
    ;(this.onUncaught ?? this.#ended.reject)(error)
  }

  /** Handles that nothing is left to wait for, though the command has not ended. */
  onIdle(): void {
    if (this.#closingWith !== undefined) return this.#exited.resolve(this.#closingWith)
    this.#stalled = true
    this.#ended.reject(new StalledError(this.waitsFor))
  }

  /** Registers a function that closes a resource when the command ends. The last one registered runs first. */
  defer(close: () => Promise<void> | void): void {
    this.#closeFunctions.unshift(close)
  }

  /** Registers a function that runs on a signal, before resources are closed. */
  onInterrupt(callback: () => void): void {
    this.#interruptCallbacks.push(callback)
  }

  /** Closes all resources. If that takes too long, the command exits with `exitCode`. */
  async close(exitCode: ExitCode): Promise<void> {
    this.#closingWith = exitCode
    const timeout = setTimeout(() => this.#exited.resolve(exitCode), MAX_CLOSE_MS).unref()
    for (let close = this.#closeFunctions.shift(); close; close = this.#closeFunctions.shift()) await close()
    clearTimeout(timeout)
  }
}
