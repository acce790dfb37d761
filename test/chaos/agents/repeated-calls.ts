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
