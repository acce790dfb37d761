import { createDeferred } from '../lib/async/deferred.ts'
import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'

/** Why a command ends before it is done: a signal, or nobody who reads what it prints. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode) {
    super('Interrupted')
    this.exitCode = exitCode
  }
}

/** A process that is asked to end twice within this time was asked once: shells and npm both pass signals on. */
const SAME_SIGNAL_MS = 50
/** Whatever hangs, the process has ended after this. */
const MAX_CLOSE_MS = 9500

/** How a command's process ends: on signals, on errors nobody caught, with everything closed. */
export class Lifetime {
  /** Where a signal leads: 130, or 0 for a server, whose way to end it is. */
  exitWhenInterrupted: ExitCode = EXIT.interrupted
  /** Told of errors that nobody caught. Unless set, such an error ends the command. */
  onUncaught: ((error: unknown) => void) | undefined
  readonly #ended = createDeferred<never>()
  readonly #closers: (() => Promise<void> | void)[] = []
  readonly #interruptNotes: (() => void)[] = []
  #interruptedAt: number | undefined

  constructor() {
    this.#ended.promise.catch(() => undefined)
    process.on('SIGINT', () => this.signalled())
    process.on('SIGTERM', () => this.signalled())
    const uncaught = (error: unknown) => (this.onUncaught ?? this.#ended.reject)(error)
    process.on('uncaughtException', uncaught)
    process.on('unhandledRejection', uncaught)
  }

  /** Rejects when the command has to end early. */
  get ended(): Promise<never> {
    return this.#ended.promise
  }

  /** Ends the command, as a signal would. */
  interrupt(exitCode: ExitCode = this.exitWhenInterrupted): void {
    this.#interruptedAt ??= performance.now()
    this.#ended.reject(new Interrupted(exitCode))
  }

  /** A signal came, or the key that sends it. The second one ends the process at once. */
  signalled(): void {
    const now = performance.now()
    if (this.#interruptedAt === undefined) {
      for (const note of this.#interruptNotes) note()
      this.interrupt()
    } else if (now - this.#interruptedAt > SAME_SIGNAL_MS) process.exit(EXIT.interrupted)
  }

  /** Closes something at the end, whatever the end is; what was opened last is closed first. */
  defer(close: () => Promise<void> | void): void {
    this.#closers.unshift(close)
  }

  /** Says something when a signal comes, before things are closed. */
  whenInterrupted(note: () => void): void {
    this.#interruptNotes.push(note)
  }

  /** Closes what is open. `exitCode` is for the case that this takes too long. */
  async close(exitCode: ExitCode): Promise<void> {
    setTimeout(() => process.exit(exitCode), MAX_CLOSE_MS).unref()
    for (let close = this.#closers.shift(); close; close = this.#closers.shift()) await close()
  }
}
