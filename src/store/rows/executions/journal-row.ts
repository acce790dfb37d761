import { MIN_LARGE_CHARS, NEW_STEP, isWorkflowLevel } from '../../execution-store.ts'
import type {
  EventRow,
  ExecutionHistory,
  ExecutionRow,
  ExecutionWrite,
  StepChange,
  StepRow,
} from '../../execution-store.ts'
import { elementsOf, jsonArray } from '../json-array.ts'

/** A commit of an execution: the changes of steps and the events, each a JSON array. */
export interface JournalRow {
  /** Sequence number of the last event. */
  readonly seq: number
  readonly steps: string
  readonly events: string
}

/** The events of a commit, with what they may refer to. */
export interface EventsRow extends Pick<JournalRow, 'seq' | 'events'>, ExecutionValues {
  readonly steps?: string | null
}

/** JSON texts. */
interface ExecutionValues {
  readonly input?: string | null | undefined
  readonly output?: string | null | undefined
}

/** A change of a step, or of those that are open at this place of the journal: they were cancelled at this time. */
export type StepEntry = StoredChange | { readonly cancelOpenAt: number }

/** `inputOf`: the path of an earlier step of the commit, whose output is the input. */
type StoredChange = StepChange & { readonly inputOf?: string }

/**
 * An event of a commit, by its index, that is stored without its last member: its value is that of the execution, or of
 * a step, by its index in the same commit.
 */
type Reference = readonly [event: number, member: string, name: 'input' | 'output', step?: number]

/** The first element of the events of a commit that has any. */
type References = readonly [ofExecution: readonly Reference[], ofSteps: readonly Reference[]]

/** With what the events of a commit begin when some of them refer to values, and to those of the execution. */
export const REFERRING = '[['
export const REFERRING_TO_EXECUTION = '[[[['

/** The steps and the events of a commit as they are stored: a large value once. */
export function journalTexts(
  changes: readonly StepEntry[],
  events: readonly EventRow[],
  write: Pick<ExecutionWrite, 'insert' | 'update'>,
): Pick<JournalRow, 'steps' | 'events'> {
  if (changes.some(hasLargeValue) || events.some(({ value }) => isLarge(value?.text)))
    return textsWithReferences(changes, events, write)
  return { steps: JSON.stringify(changes), events: jsonArray(events.map(({ data }) => data)) }
}

function textsWithReferences(
  changes: readonly StepEntry[],
  events: readonly EventRow[],
  { insert, update }: Pick<ExecutionWrite, 'insert' | 'update'>,
): Pick<JournalRow, 'steps' | 'events'> {
  const execution = { input: insert?.input, output: update?.set.output ?? insert?.output }
  const places = new Map<string, StepPlace>()
  const steps = changes.map((change, index) =>
    'path' in change ? withoutRepeatedInput(change, index, places) : change,
  )
  const ofExecution: Reference[] = []
  const ofSteps: Reference[] = []
  const texts = events.map((event, index) => {
    const { data, value } = event
    if (!isLarge(value?.text)) return data
    const { member, text } = value
    const own = NAMES.find((name) => execution[name] === text)
    // lists read workflow-level events without the steps
    const place = own || isWorkflowLevel(event) ? undefined : places.get(text)
    if (own) ofExecution.push([index, member, own])
    else if (place) ofSteps.push([index, member, place.name, place.index])
    else return data
    return `${data.slice(0, -`,"${member}":${text}}`.length)}}`
  })
  if (ofExecution.length + ofSteps.length > 0)
    texts.unshift(JSON.stringify([ofExecution, ofSteps] satisfies References))
  return { steps: JSON.stringify(steps), events: jsonArray(texts) }
}

const NAMES = ['output', 'input'] as const

/** Where a large value is among the steps of a commit. */
interface StepPlace {
  readonly name: 'input' | 'output'
  readonly index: number
  readonly path: string
}

/** Notes the places of its large values. */
function withoutRepeatedInput(
  change: StoredChange,
  index: number,
  places: Map<string, StepPlace>,
): StoredChange {
  const { path, input, output } = change
  const source = isLarge(input) ? places.get(input) : undefined
  if (isLarge(input) && !source) places.set(input, { name: 'input', index, path })
  if (isLarge(output)) places.set(output, { name: 'output', index, path })
  if (source?.name !== 'output') return change
  const { input: _, ...rest } = change
  return { ...rest, inputOf: source.path }
}

function hasLargeValue(change: StepEntry): boolean {
  return 'path' in change && (isLarge(change.input) || isLarge(change.output))
}

function isLarge(text: string | null | undefined): text is string {
  return typeof text === 'string' && text.length >= MIN_LARGE_CHARS
}

export function eventsOf({ steps, ...row }: EventsRow): EventRow[] {
  let changes: StoredChange[] | undefined
  const valueOf = ([, , name, step]: Reference) =>
    step === undefined ? row[name] : (changes ??= JSON.parse(steps ?? '[]') as StoredChange[])[step]?.[name]
  return storedEvents(row).map((event) => {
    const whole = completed(event, valueOf)
    if (!whole) throw new Error(`Event ${event.seq} refers to a value that is missing`)
    return whole
  })
}

/** The workflow-level events of commits of an execution, without those whose values are not given. */
export function workflowLevelEvents(
  commits: readonly Pick<JournalRow, 'seq' | 'events'>[],
  execution: ExecutionValues,
): EventRow[] {
  return commits
    .flatMap((row) => storedEvents(row))
    .filter((event) => isWorkflowLevel(event))
    .flatMap((event) => completed(event, ([, , name]) => execution[name]) ?? [])
}

interface StoredEvent extends EventRow {
  readonly reference?: Reference | undefined
}

function storedEvents({ seq, events }: Pick<JournalRow, 'seq' | 'events'>): StoredEvent[] {
  const elements = elementsOf(events)
  if (!events.startsWith(REFERRING))
    return elements.map((data, index) => ({ seq: seq - elements.length + 1 + index, data }))
  const [references = '[]', ...texts] = elements
  const known = new Map((JSON.parse(references) as References).flat().map((one) => [one[0], one]))
  return texts.map((data, index) => ({
    seq: seq - texts.length + 1 + index,
    data,
    reference: known.get(index),
  }))
}

/** Undefined when its value is not given. */
function completed(
  { reference, ...event }: StoredEvent,
  valueOf: (reference: Reference) => string | null | undefined,
): EventRow | undefined {
  if (!reference) return event
  const text = valueOf(reference)
  if (typeof text !== 'string') return undefined
  return { ...event, data: `${event.data.slice(0, -1)},"${reference[1]}":${text}}` }
}

/** The step rows after the changes of commits, a JSON array of arrays or null without any, in the order of their start. */
export function foldSteps(commits: string | null): StepRow[] {
  return commits === null ? [] : foldChanges((JSON.parse(commits) as StepEntry[][]).flat())
}

/** A row of an execution with what its history is made of. */
export interface HistoryRow extends ExecutionRow {
  /** As `foldSteps` takes them. */
  readonly steps: string | null
  readonly lastSequence: number
}

export function historyOf({ steps, lastSequence, ...row }: HistoryRow): ExecutionHistory {
  return { row, steps: foldSteps(steps), lastSequence }
}

/**
 * All columns of a step row: an object to which many more are added becomes a hash table, ten times as slow and larger.
 * The first change has those that `NEW_STEP` lacks.
 */
const EMPTY_STEP: StepRow = {
  path: '',
  stepId: '',
  name: '',
  type: 'andThen',
  position: 0,
  status: 'running',
  input: 'null',
  startedAt: 0,
  ...NEW_STEP,
}

/** The step rows after changes, in the order of their start: that of the journal, as times are equal or of several clocks. */
export function foldChanges(changes: readonly StepEntry[]): StepRow[] {
  const steps = new Map<string, StepRow>()
  for (const change of changes) {
    if ('cancelOpenAt' in change) {
      cancelOpen(steps, change.cancelOpenAt)
      continue
    }
    const step = steps.get(change.path) ?? { ...EMPTY_STEP }
    steps.set(change.path, Object.assign(step, inputIn(change, steps)))
  }
  return [...steps.values()]
}

function inputIn(change: StoredChange, steps: ReadonlyMap<string, StepRow>): StepChange {
  if (change.inputOf === undefined) return change
  const { inputOf, ...rest } = change
  return { ...rest, input: steps.get(inputOf)?.output ?? 'null' }
}

function cancelOpen(steps: Map<string, StepRow>, endedAt: number): void {
  for (const [path, step] of steps)
    if (step.status === 'running' || step.status === 'suspended')
      steps.set(path, { ...step, status: 'cancelled', endedAt })
}
