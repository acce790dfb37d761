import { NEW_STEP, isWorkflowLevel } from '../../execution-store.ts'
import type { EventRow, ExecutionHistory, ExecutionRow, StepChange, StepRow } from '../../execution-store.ts'
import { elementsOf } from '../json-array.ts'

/** A commit of an execution: the changes of steps and the events, each a JSON array. */
export interface JournalRow {
  /** Sequence number of the last event. */
  readonly seq: number
  readonly steps: string
  readonly events: string
}

export function eventsOf({ seq, events }: Pick<JournalRow, 'seq' | 'events'>): EventRow[] {
  return elementsOf(events).map((data, index, all) => ({ seq: seq - all.length + 1 + index, data }))
}

/** The workflow-level events of commits. */
export function workflowLevelEvents(commits: readonly Pick<JournalRow, 'seq' | 'events'>[]): EventRow[] {
  return commits.flatMap((row) => eventsOf(row)).filter((event) => isWorkflowLevel(event))
}

/** A change of a step, or of those that are open at this place of the journal: they were cancelled at this time. */
export type StepEntry = StepChange | { readonly cancelOpenAt: number }

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

/** The step rows after changes, in the order of their start: that of the journal, as times are equal or of several clocks. */
export function foldChanges(changes: readonly StepEntry[]): StepRow[] {
  const steps = new Map<string, StepRow>()
  for (const change of changes) {
    if ('cancelOpenAt' in change) cancelOpen(steps, change.cancelOpenAt)
    // faster than a literal that spreads both
    else steps.set(change.path, Object.assign(steps.get(change.path) ?? { ...NEW_STEP }, change) as StepRow)
  }
  return [...steps.values()]
}

function cancelOpen(steps: Map<string, StepRow>, endedAt: number): void {
  for (const [path, step] of steps)
    if (step.status === 'running' || step.status === 'suspended')
      steps.set(path, { ...step, status: 'cancelled', endedAt })
}
