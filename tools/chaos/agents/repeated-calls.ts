import { MAX_CRASHES } from '../../../src/engine/run/trials.ts'
import { memberOf, planOf, requestedRun } from './agent-project.ts'

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
  const made = new Map<string, Call>()
  const runs = new Set<string>()
  const violations: string[] = []
  let calls = 0
  let repeated = 0
  for (const line of notes.split('\n').slice(0, -1)) {
    const [time, what, run = '', name = '', key = ''] = line.split(' ')
    const at = Number(time)
    if (what === 'kill') {
      for (const call of made.values()) call.killedAt ??= at
      continue
    }
    runs.add(run)
    const id = `${run} ${name}`
    const earlier = made.get(id)
    if (what === 'end') {
      if (earlier) earlier.endedAt = at
      continue
    }
    calls++
    if (earlier) {
      repeated++
      violations.push(...wrongRepeats(earlier, key).map((problem) => `${id}: ${problem}`))
    }
    made.set(id, { key })
    for (const before of callsBefore(run, name)) {
      const call = made.get(before)
      if (call) call.isRecorded = true
      else violations.push(`${id}: without ${before}`)
    }
  }
  return { violations, calls, repeated, runs: [...runs] }
}

function wrongRepeats({ key, endedAt, isRecorded, killedAt }: Call, again: string): string[] {
  const wrong: string[] = []
  if (key !== again) wrong.push(`with another key: ${key}, ${again}`)
  if (isRecorded) wrong.push('again after it was recorded')
  if (killedAt === undefined) wrong.push('twice in one process')
  else if (endedAt !== undefined && killedAt - endedAt > RECORDED_MS) wrong.push('again after its end')
  return wrong
}

/** The calls that are recorded before this one is made, those of the sub-agent and of the agent that asked it included. */
function callsBefore(run: string, name: string): string[] {
  const plan = planOf(run)
  const [kind, call = ''] = name.split(':')
  const asked = requestedRun(run)
  const above = asked === run ? [] : callsBefore(asked, 'tool:ask_member')
  if (kind === 'model') return [...above, ...callsOf(run, plan.slice(0, Number(call)))]
  const index = plan.findIndex((tools) => tools.some((tool) => call === tool || call.startsWith(`${tool}.`)))
  const own = call.endsWith('.after') ? [`${run} tool:${call.replace('.after', '.before')}`] : []
  return [...above, ...callsOf(run, plan.slice(0, index)), `${run} model:${index}`, ...own]
}

/** The calls of the first answers of the model, and of their tools. */
function callsOf(run: string, answers: readonly (readonly string[])[]): string[] {
  return answers.flatMap((tools, index) => [
    `${run} model:${index}`,
    ...tools.flatMap((tool) => {
      if (tool === 'ask_member') return callsOf(memberOf(run), planOf(memberOf(run)))
      if (tool === 'question') return [`${run} tool:question.before`, `${run} tool:question.after`]
      return [`${run} tool:${tool}`]
    }),
  ])
}

/** The last lines of a timeline that are shown. */
const SHOWN = 40

interface Kill {
  /** The calls of the run, and of its sub-agent, that were in progress. */
  readonly own: readonly string[]
  /** How many calls of other runs were. */
  readonly others: number
}

interface RunEvents {
  /** The calls of the run and of its sub-agent, and the kills, by the milliseconds since its first call. */
  readonly lines: readonly string[]
  /** The kills since the first begin of its newest call: that call shows that those before it were recorded. */
  readonly killsSinceProgress: readonly Kill[]
}

function eventsOf(notes: string, asked: string): RunEvents {
  const run = requestedRun(asked)
  const lines: string[] = []
  const open = new Set<string>()
  const known = new Set<string>()
  let kills: Kill[] = []
  let startedAt: number | undefined
  for (const note of notes.split('\n').slice(0, -1)) {
    const [time, what = '', of = '', name = ''] = note.split(' ')
    const call = `${of} ${name}`
    const isOwn = requestedRun(of) === run
    if (isOwn) startedAt ??= Number(time)
    if (what === 'begin') open.add(call)
    if (what === 'end') open.delete(call)
    if (isOwn && what === 'begin' && !known.has(call)) {
      known.add(call)
      kills = []
    }
    const isKill = what === 'kill'
    const own = [...open].filter((one) => requestedRun(one.split(' ')[0] ?? '') === run)
    const shownOf = (one: string) => one.slice(run.length).trim()
    const kill = { own: own.map(shownOf), others: open.size - own.length }
    const shown = isKill
      ? `kill during ${kill.own.join(', ') || 'none of its calls'}, and ${kill.others} of others`
      : `${what} ${shownOf(call)}`
    if (startedAt !== undefined && (isKill || isOwn))
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
