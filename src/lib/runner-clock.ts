import { MAX_TIMER_MS } from './clock.ts'
import type { Clock, ClockTimers, TimerOptions } from './clock.ts'

interface PendingTimer {
  readonly at: number
  readonly isSkippable: boolean
  readonly endsWork: boolean
  /** Whether the timer of the system keeps the process alive. */
  readonly isRef: boolean
  readonly fire: () => void
}

/** With requests to a server. */
const QUIET_TURNS = 12
/** What takes longer than this without any change, such as a step that hangs, does not hold up the clock. */
const STALL_MS = 1000
/** A step that does nothing for this long hangs: no other work, request or timer of the process can end it. */
const HANG_MS = 2000
const LOOK_MS = 100

/** What is open in a process that waits: its own channels, and servers that listen. */
const AMBIENT = new Set(['PipeWrap', 'TTYWrap', 'MessagePort', 'SignalWrap', 'TCPServerWrap'])

/**
 * The system clock of a test, which can be advanced. Timers fire in the order of their times, each after the work of
 * the ones before. It advances by itself to a short sleep or a retry when nothing else happens, and to the time-out of a
 * step that hangs.
 */
export class RunnerClock implements Clock {
  readonly timers: ClockTimers = {
    start: (ms, callback, options) => this.#start(ms, callback, options),
    busy: () => this.#begin(),
  }
  #ahead = 0
  readonly #pending = new Set<PendingTimer>()
  /** The time while the clock is advanced: work takes none then, so that a day later is a day later. */
  #frozen: number | undefined
  /** What is being done. */
  readonly #busy = new Set<object>()
  readonly #hanging = new Set<object>()
  #changes = 0
  #skipping = false
  #advancing: Promise<void> = Promise.resolve()
  #advances = 0
  /** How many callers wait for executions. */
  #waiting = 0
  #watching = false
  /** What was open before, such as a connection that an earlier test left: it is no work of this runner. */
  readonly #openBefore = openResources()
  readonly #quietTurns: number

  /** @param quietTurns the turns of the event loop without work after which nothing more happens by itself */
  constructor(quietTurns = QUIET_TURNS) {
    this.#quietTurns = quietTurns
  }

  now(): number {
    return this.#frozen ?? Date.now() + this.#ahead
  }

  /** Advances by a time in milliseconds. Resolves when what was due has happened. */
  advance(ms: number): Promise<void> {
    this.#advances++
    this.#advancing = this.#advancing
      .then(() => this.#advanceTo(ms))
      .finally(() => {
        this.#advances--
        this.#skipSoon()
      })
    return this.#advancing
  }

  /** Waits for what executions do. Steps that hang meanwhile end with their time-outs. */
  async wait<Result>(settled: Promise<Result>): Promise<Result> {
    this.#waiting++
    if (!this.#watching) void this.#endHangingSteps()
    try {
      return await settled
    } finally {
      this.#waiting--
    }
  }

  async #endHangingSteps(): Promise<void> {
    this.#watching = true
    let changes = this.#changes
    let since = performance.now()
    while (this.#waiting > 0) {
      await nextLook()
      if (changes !== this.#changes || this.#advances > 0 || this.isInFlight) {
        changes = this.#changes
        since = performance.now()
      }
      if (performance.now() - since < HANG_MS) continue
      const next = this.#next(({ endsWork }) => endsWork)
      if (next) await this.advance(Math.max(next.at - this.now(), 0))
    }
    this.#watching = false
  }

  /** Whether a request, a process or a timer is open that may end what is being done. */
  get isInFlight(): boolean {
    const own = [...this.#pending].filter(({ isRef }) => isRef).length
    return openResources() > own + this.#openBefore
  }

  async #advanceTo(ms: number): Promise<void> {
    await this.#quiet()
    this.#frozen = this.now()
    const target = this.#frozen + ms
    for (;;) {
      const next = this.#next(() => true)
      if (!next || next.at > target) break
      this.#moveTo(next.at)
      await this.#quiet()
    }
    this.#moveTo(target)
    await this.#quiet()
    this.#ahead = this.#frozen - Date.now()
    this.#frozen = undefined
  }

  #start(ms: number, callback: () => void, options: TimerOptions): () => void {
    const { skippable = false, endsWork = false, unref = false } = options
    const stop = () => {
      clearTimeout(system)
      this.#pending.delete(timer)
    }
    const fire = () => {
      stop()
      callback()
    }
    const at = Math.ceil(this.now() + ms)
    const timer: PendingTimer = { at, isSkippable: skippable, endsWork, isRef: !unref, fire }
    const system = setTimeout(fire, Math.min(ms, MAX_TIMER_MS))
    if (unref) system.unref()
    this.#pending.add(timer)
    if (skippable) this.#skipSoon()
    return stop
  }

  #begin(): () => void {
    const work = {}
    this.#busy.add(work)
    this.#changes++
    return () => {
      this.#busy.delete(work)
      this.#hanging.delete(work)
      this.#changes++
      if (!this.#isBusy) this.#skipSoon()
    }
  }

  get #isBusy(): boolean {
    return this.#busy.size > this.#hanging.size
  }

  #next(suits: (timer: PendingTimer) => boolean): PendingTimer | undefined {
    let next: PendingTimer | undefined
    for (const timer of this.#pending) if (suits(timer) && timer.at < (next?.at ?? Infinity)) next = timer
    return next
  }

  #moveTo(at: number): void {
    const time = Math.max(at, this.now())
    if (this.#frozen === undefined) this.#ahead = time - Date.now()
    else this.#frozen = time
    const due = [...this.#pending].filter((timer) => timer.at <= at).toSorted((a, b) => a.at - b.at)
    for (const timer of due) if (this.#pending.has(timer)) timer.fire()
  }

  #skipSoon(): void {
    if (this.#skipping || this.#advances > 0) return
    this.#skipping = true
    void this.#skip().finally(() => {
      this.#skipping = false
    })
  }

  /** Advances to the waits in place, one after the other, as long as nothing else happens. */
  async #skip(): Promise<void> {
    const isSkippable = (timer: PendingTimer) => timer.isSkippable
    while (this.#next(isSkippable)) {
      const isQuiet = await this.#quietFor()
      if (!isQuiet || this.#advances > 0) return
      const next = this.#next(isSkippable)
      if (next) this.#moveTo(next.at)
    }
  }

  /** Waits until nothing happens any more. */
  async #quiet(): Promise<void> {
    let changes = this.#changes
    let since = performance.now()
    while (!(await this.#quietFor())) {
      if (changes === this.#changes && performance.now() - since > STALL_MS)
        for (const work of this.#busy) this.#hanging.add(work)
      if (changes !== this.#changes) since = performance.now()
      changes = this.#changes
    }
  }

  /** Whether nothing happens for some turns of the event loop. */
  async #quietFor(): Promise<boolean> {
    for (let turn = 0; turn < this.#quietTurns; turn++) {
      await nextTurn()
      if (this.#isBusy) return false
    }
    return true
  }
}

/** How many timers, sockets, processes and files keep the process alive. */
function openResources(): number {
  return process.getActiveResourcesInfo().filter((type) => !AMBIENT.has(type)).length
}

/** Does not keep the process alive. */
function nextLook(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LOOK_MS).unref()
  })
}

/** A turn of the event loop in which timers and input are handled. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => setImmediate(resolve), 0)
  })
}
