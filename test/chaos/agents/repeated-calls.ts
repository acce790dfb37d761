import { MAX_CRASHES } from '../../../src/engine/run/trials.ts'
import { ANSWERS } from './agent-project.ts'

/** A call is recorded at the latest this long after its end, also on a busy machine. */
const RECORDED_MS = 1000

interface Call {
  readonly key: string
  endedAt?: number
  /** A later call shows that it was recorded. */
  isRecorded?: boolean
  killedAt?: number
}

interface Calls {
  readonly violations: readonly string[]
  readonly calls: number
  readonly repeated: number
  /** The runs that made them. */
  readonly runs: readonly string[]
}

/**
 * Calls that should not have been made: again after they were recorded, or beside themselves in one process.
 *
 * @param notes the lines of `notes.log`: `<time> begin|end <run> model:<n>|tool:<n> <key>`, and `<time> kill`. Their
 *   order is that of the events.
 */
export function repeatedCalls(notes: string): Calls {
  const runs = new Map<string, Map<string, Call>>()
  const violations: string[] = []
  let count = 0
  let repeated = 0
  for (const line of notes.split('\n').slice(0, -1)) {
    const [time, what, run = '', name = '', key = ''] = line.split(' ')
    const at = Number(time)
    if (what === 'kill') {
      for (const calls of runs.values()) for (const call of calls.values()) call.killedAt ??= at
      continue
    }
    const calls = runs.get(run) ?? new Map<string, Call>()
    runs.set(run, calls)
    const earlier = calls.get(name)
    if (what === 'end') {
      if (earlier) earlier.endedAt = at
      continue
    }
    count++
    if (earlier) {
      repeated++
      violations.push(...wrongRepeats(earlier, key).map((problem) => `${run} ${name}: ${problem}`))
    }
    calls.set(name, { key })
    for (const before of callsBefore(name)) {
      const call = calls.get(before)
      if (call) call.isRecorded = true
      else violations.push(`${run} ${name}: without ${before}`)
    }
  }
  return { violations, calls: count, repeated, runs: [...runs.keys()] }
}

function wrongRepeats({ key, endedAt, isRecorded, killedAt }: Call, again: string): string[] {
  const wrong: string[] = []
  if (key !== again) wrong.push(`with another key: ${key}, ${again}`)
  if (isRecorded) wrong.push('again after it was recorded')
  if (killedAt === undefined) wrong.push('twice in one process')
  else if (endedAt !== undefined && killedAt - endedAt > RECORDED_MS) wrong.push('again after its end')
  return wrong
}

/** The calls that are recorded before this one is made. */
function callsBefore(name: string): string[] {
  const [kind, number] = name.split(':')
  const n = Number(number)
  const answers = kind === 'model' ? n : ANSWERS.findIndex((tools) => tools.includes(n)) + 1
  return ANSWERS.slice(0, answers).flatMap((tools, index) => [
    `model:${index}`,
    ...(kind === 'tool' && index === answers - 1 ? [] : tools.map((tool) => `tool:${tool}`)),
  ])
}

/** The last lines of a timeline that are shown. */
const SHOWN = 40

interface Kill {
  /** The calls of the run that were in progress. */
  readonly own: readonly string[]
  /** How many calls of other runs were. */
  readonly others: number
}

interface RunEvents {
  /** The calls of the run and the kills, by the milliseconds since its first call. */
  readonly lines: readonly string[]
  /** The kills since the first begin of its newest call: that call shows that those before it were recorded. */
  readonly killsSinceProgress: readonly Kill[]
}

function eventsOf(notes: string, run: string): RunEvents {
  const lines: string[] = []
  const open = new Set<string>()
  const known = new Set<string>()
  let kills: Kill[] = []
  let startedAt: number | undefined
  for (const note of notes.split('\n').slice(0, -1)) {
    const [time, what = '', of = '', name = ''] = note.split(' ')
    const call = `${of} ${name}`
    if (of === run) startedAt ??= Number(time)
    if (what === 'begin') open.add(call)
    if (what === 'end') open.delete(call)
    if (of === run && what === 'begin' && !known.has(name)) {
      known.add(name)
      kills = []
    }
    const isKill = what === 'kill'
    const own = [...open].filter((one) => one.startsWith(`${run} `)).map((one) => one.slice(run.length + 1))
    const kill = { own, others: open.size - own.length }
    const shown = isKill
      ? `kill during ${own.join(', ') || 'none of its calls'}, and ${kill.others} of others`
      : `${what} ${name}`
    if (startedAt !== undefined && (isKill || of === run))
      lines.push(`${(Number(time) - startedAt).toFixed(0)} ms ${shown}`)
    if (!isKill) continue
    kills.push(kill)
    open.clear()
  }
  return { lines, killsSinceProgress: kills }
}

/** The end of what a run did, and the kills meanwhile: with it a violation can be judged. */
export function timelineOf(notes: string, run: string): string {
  const { lines } = eventsOf(notes, run)
  return lines.length === 0
    ? '  it made no calls'
    : lines
        .slice(-SHOWN)
        .map((line) => `  ${line}`)
        .join('\n')
}

/**
 * Whether a run may be given up: since its last new call, the process was killed that often with no call of another run in
 * progress. That is the rule for what may crash its process, whether or not it does.
 *
 * @param notes the lines of `notes.log`
 */
export function mayBeGivenUp(notes: string, run: string, crashes = MAX_CRASHES): boolean {
  const { killsSinceProgress } = eventsOf(notes, run)
  return killsSinceProgress.filter(({ others }) => others === 0).length >= crashes
}
