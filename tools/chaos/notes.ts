import { existsSync, readFileSync } from 'node:fs'
import { TICK } from './chaos-project.ts'

/** A line of `notes.log`. */
export interface Note {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly what: 'begin' | 'end' | 'throw' | 'alive'
  /** The idempotency key of the step: the execution and the path of the step. */
  readonly step: string
  readonly attempt: number
  /** The number of the machine that it ran on. */
  readonly machine: number
}

/** The end of a process. */
export interface End {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly machine: number
}

/** The notes of a project, in the order of their times. A last line that a kill has cut is left out. */
export function readNotes(file: string): Note[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [at, what, step = '', attempt, machine] = line.split(' ')
      const numbers = { at: Number(at), attempt: Number(attempt), machine: Number(machine) }
      return { ...numbers, what: what as Note['what'], step }
    })
    .toSorted((a, b) => a.at - b.at)
}

/**
 * The result of a step is recorded at the latest when its process has noted this often, every 50 ms, that it is alive. A busy
 * machine keeps a process from both.
 */
const RECORDED_BEATS = 10

/** A time during which nothing could be recorded, in milliseconds since the epoch. */
export interface Outage {
  readonly from: number
  readonly to: number
}

/** A machine that has noted nothing for so long, in milliseconds, may have been taken for dead by others. */
const SILENT_MS = 1500
/** After a silence a machine finds out in this time that others have taken over, in milliseconds. */
const FOUND_OUT_MS = 3000

/** The times during which each machine did nothing, as it was paused, had ended, or had no processor. */
export function silences(notes: readonly Note[]): ReadonlyMap<number, readonly Outage[]> {
  const found = new Map<number, Outage[]>()
  const last = new Map<number, number>()
  for (const { at, machine } of notes) {
    const before = last.get(machine) ?? at
    last.set(machine, at)
    if (at - before < SILENT_MS) continue
    const silence = { from: before, to: at + FOUND_OUT_MS }
    found.set(machine, [...(found.get(machine) ?? []), silence])
  }
  return found
}

/**
 * The notes without those of calls that others have replaced: a machine that was silent ends what it had begun, or begins
 * what it had recorded as begun, and none of that is recorded any more.
 */
export function withoutLate(notes: readonly Note[]): Note[] {
  const silent = silences(notes)
  const attempts = new Map<string, number>()
  return notes.filter(({ at, what, step, attempt, machine }) => {
    if (what === 'alive') return true
    const newest = attempts.get(step) ?? 0
    if (attempt > newest) attempts.set(step, attempt)
    if (attempt >= newest) return true
    const wasSilent = silent.get(machine)?.some(({ from, to }) => from <= at && to >= at)
    return what === 'begin' && wasSilent !== true
  })
}

/** A result that is given so long before an outage, in milliseconds, is recorded. */
const RECORDED_MS = 1000

/**
 * Attempts that should not have been: with a number that an earlier one had, beside another one of the same process, or
 * after the step's result was recorded. A result that an outage kept from being recorded is none.
 */
export function wrongAttempts(
  notes: readonly Note[],
  kills: readonly End[],
  outages: readonly Outage[] = [],
  silent: ReadonlyMap<number, readonly Outage[]> = new Map(),
): string[] {
  const byStep = new Map<string, Note[]>()
  const beats = notes.filter(({ what }) => what === 'alive')
  for (const note of notes) {
    if (note.what === 'alive') continue
    const ofStep = byStep.get(note.step)
    if (ofStep) ofStep.push(note)
    else byStep.set(note.step, [note])
  }
  return [...byStep].flatMap(([step, ofStep]) => wrongOf(step, ofStep, { kills, beats, outages, silent }))
}

interface Processes {
  readonly kills: readonly End[]
  readonly beats: readonly Note[]
  readonly outages: readonly Outage[]
  /** By machine; none where there is only one, which nobody replaces. */
  readonly silent: ReadonlyMap<number, readonly Outage[]>
}

function wrongOf(step: string, notes: readonly Note[], processes: Processes): string[] {
  const { kills, beats, silent } = processes
  const wrong: string[] = []
  let last: Note | undefined
  let attempt = 0
  for (const note of notes) {
    if (note.what === 'begin') {
      if (note.attempt <= attempt) wrong.push(`${step}: attempt ${note.attempt} twice`)
      attempt = note.attempt
      const { at: since = 0, what, machine = 0 } = last ?? {}
      const kill = kills.find((end) => end.machine === machine && end.at >= since && end.at <= note.at)?.at
      const outages = [...processes.outages, ...(silent.get(machine) ?? [])]
      const until = what === 'begin' ? note.at : since + RECORDED_MS
      const isExcused = outages.some(({ from, to }) => from <= until && to >= since)
      if (what === 'begin' && kill === undefined && !isExcused) wrong.push(`${step}: twice in one process`)
      const lived = beats.filter(
        (beat) => beat.machine === machine && beat.at > since && beat.at <= (kill ?? since),
      ).length
      if (what === 'end' && !isExcused && (kill === undefined || lived > RECORDED_BEATS))
        wrong.push(`${step}: again after its end`)
    }
    last = note
  }
  return wrong
}

/** How often each machine has noted that it is alive since a step of anything but the schedule has begun or ended. */
export function idleBeats(notes: readonly Note[], machines = 1): number {
  const last = notes.findLastIndex(({ what, step }) => what !== 'alive' && !step.startsWith(TICK))
  return Math.floor(notes.slice(last + 1).filter(({ what }) => what === 'alive').length / machines)
}

/** Executions whose completed steps were compensated in another order than the reverse one. */
export function wrongOrders(notes: readonly Note[]): string[] {
  const wrong: string[] = []
  /** The steps of each execution in the order of their ends, without those that are compensated already. */
  const completed = new Map<string, string[]>()
  const begun = new Set<string>()
  for (const { what, step } of notes) {
    const [execution = ''] = step.split(':')
    const of = completed.get(execution) ?? []
    completed.set(execution, of)
    if (!step.endsWith(UNDO)) {
      if (what === 'end' && !of.includes(step)) of.push(step)
    } else if (what === 'begin' && !begun.has(step)) {
      begun.add(step)
      const undone = step.slice(0, -UNDO.length)
      if (of.pop() !== undone) wrong.push(`${step}: not in the reverse order of the steps`)
    }
  }
  return wrong
}

const UNDO = ':compensate'

/**
 * Why retention that keeps the newest `keep` ended executions should not have deleted one; `undefined` when it was right.
 * An execution ends soon after its last call, so the order of the notes is about that of the ends.
 */
export function wrongDeletion(
  notes: readonly Note[],
  { lastCall, keep }: { readonly lastCall: string; readonly keep: number | undefined },
): string | undefined {
  if (keep === undefined) return 'and nothing deletes executions'
  const end = notes.findLastIndex(({ what, step }) => what === 'end' && step === lastCall)
  if (end === -1) return 'and it had not ended'
  const later = new Set(
    notes.slice(end + 1).flatMap(({ what, step }) => (what === 'end' && isLast(step) ? step : [])),
  )
  return later.size < keep / 2 ? `and only about ${later.size} executions ended after it` : undefined
}

const isLast = (step: string) => /:last(?::compensate)?$/.test(step)

/** Moments at which more than `limit` of the steps whose keys begin with `prefix` were running. */
export function overLimit(
  notes: readonly Note[],
  kills: readonly End[],
  { prefix, limit }: { readonly prefix: string; readonly limit: number },
): string[] {
  const running = new Set<string>()
  const over: string[] = []
  const kill = kills.values()
  let next = kill.next()
  for (const { at, what, step } of notes) {
    while (!next.done && next.value.at <= at) {
      running.clear()
      next = kill.next()
    }
    if (!step.startsWith(prefix)) continue
    if (what === 'begin') running.add(step)
    else running.delete(step)
    if (running.size > limit) over.push(`${running.size} at once: ${[...running].join(', ')}`)
  }
  return over
}
