import fs from 'node:fs'

/** An attempt of a step that began, or ended, on a machine. */
export interface Note {
  /** Milliseconds since the epoch, by the real clock. */
  readonly at: number
  readonly machine: string
  readonly what: 'begin' | 'end'
  readonly executionId: string
  readonly step: string
  readonly attempt: number
}

/** The file in which the machines note what they run. */
export class Notes {
  readonly file: string

  constructor(file: string) {
    this.file = file
    fs.writeFileSync(file, '')
  }

  all(): Note[] {
    // a line that is being written has no end yet
    const lines = fs.readFileSync(this.file, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => {
      const [at, machine = '', what, executionId = '', step = '', attempt] = line.split(' ')
      return {
        at: Number(at),
        machine,
        what: what as Note['what'],
        executionId,
        step,
        attempt: Number(attempt),
      }
    })
  }

  begun(executionIds?: readonly string[]): Note[] {
    const wanted = executionIds && new Set(executionIds)
    return this.all().filter(
      ({ what, executionId }) => what === 'begin' && wanted?.has(executionId) !== false,
    )
  }

  /** Steps whose function was called more than once, as `<execution> <step>`. */
  begunTwice(executionIds: readonly string[]): string[] {
    const counts = countBy(this.begun(executionIds), ({ executionId, step }) => `${executionId} ${step}`)
    return [...counts].filter(([, count]) => count > 1).map(([name]) => name)
  }

  /** How many executions began a step on each machine. */
  executionsByMachine(executionIds: readonly string[]): Map<string, number> {
    const pairs = new Set(
      this.begun(executionIds).map(({ machine, executionId }) => `${machine} ${executionId}`),
    )
    return countBy([...pairs], (pair) => pair.split(' ')[0] ?? '')
  }

  /**
   * For each execution that another machine continued after `since`: how many milliseconds later it began its first
   * step there.
   */
  takenOverAfter(since: number, executionIds: readonly string[], from: string): Map<string, number> {
    const first = new Map<string, number>()
    for (const { at, machine, executionId } of this.begun(executionIds))
      if (machine !== from && at >= since && !first.has(executionId)) first.set(executionId, at - since)
    return first
  }
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
