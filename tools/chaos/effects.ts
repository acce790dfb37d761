import { roundsOn, type Fault, type Plan } from './plan.ts'

type Kind = Fault['kind'] | 'restore'

/** How often a kind of fault was to happen, and how often it did something. */
export interface Effect {
  readonly kind: Kind
  readonly planned: number
  readonly happened: number
}

/** What a server prints when a fault has reached it. Of the other faults, who causes them knows it. */
const TRACES: ReadonlyMap<Kind, RegExp> = new Map([
  ['reload', /✓ reloaded /g],
  ['full', /cannot be used: its disk failed/g],
  ['missing', /cannot be used: data\.db was deleted/g],
  ['replaced', /cannot be used: data\.db was replaced/g],
  ['cut', /cannot be used: (?!terminating connection|the database system)/g],
  ['restart', /cannot be used: (?:terminating connection|the database system)/g],
  ['jump', /the clock jumps/g],
])

/** Counts the faults that took effect: those that were noticed when they happened, and those that `log` has traces of. */
export function effectsOf(
  { rounds }: Plan,
  {
    noticed,
    log,
    postgres,
  }: { readonly noticed: readonly Kind[]; readonly log: string; readonly postgres: boolean },
): Effect[] {
  const planned = roundsOn(rounds, postgres).flatMap(({ faults, restoreKilledAfterMs }): Kind[] => [
    ...faults.map(({ kind }) => kind),
    ...(restoreKilledAfterMs === undefined || postgres ? [] : ['restore' as const]),
  ])
  return [...new Set(planned)].toSorted().map((kind) => {
    const trace = TRACES.get(kind)
    const count = trace ? [...log.matchAll(trace)].length : noticed.filter((one) => one === kind).length
    const times = planned.filter((one) => one === kind).length
    return { kind, planned: times, happened: Math.min(count, times) }
  })
}

/** One line, and another one about faults that never took effect: the plan says nothing about them. */
export function effectsText(effects: readonly Effect[]): string {
  const never = effects.filter(({ happened }) => happened === 0).map(({ kind }) => kind)
  const counts = effects.map(({ kind, planned, happened }) => `${kind} ${happened} of ${planned}`)
  return [
    `faults that took effect: ${counts.join(', ')}\n`,
    ...(never.length > 0 ? [`never took effect, so nothing is shown about them: ${never.join(', ')}\n`] : []),
  ].join('')
}
