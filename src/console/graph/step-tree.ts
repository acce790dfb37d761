import type { ExecutionDetail, StepRecord } from '../../contract/endpoints/execution.ts'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import type { StepType } from '../../contract/status.ts'
import type { RecordedEvent } from '../../contract/event.ts'
import { isInRound, outerPath } from '../../contract/step-path.ts'
import type { FindStep } from '../../contract/fold-events.ts'

/** A declared step, or a recorded call. */
export interface GraphStep extends StepDescription {
  /** What has made the call, such as `step.run`. */
  readonly call?: string
  steps?: GraphStep[] | undefined
}

/** A step of the flattened tree. */
export interface FlatStep {
  /** Ids from the outermost step to this one, groups included, joined by "/". */
  readonly path: string
  readonly step: GraphStep
  /** Path of the outer step. */
  readonly parentPath: string | undefined
  /** 0 for top-level steps. */
  readonly depth: number
  /** Index among its siblings, from 0. */
  readonly index: number
  /** Number of siblings, itself included. */
  readonly siblings: number
}

/** All steps in depth-first order. */
export function flattenSteps(steps: readonly GraphStep[], outer?: FlatStep): readonly FlatStep[] {
  return steps.flatMap((step, index) => {
    const placed: FlatStep = {
      path: nestedPath(outer?.path, step.id),
      step,
      parentPath: outer?.path,
      depth: outer ? outer.depth + 1 : 0,
      index,
      siblings: steps.length,
    }
    return [placed, ...flattenSteps(step.steps ?? [], placed)]
  })
}

/** The steps of an execution, declared or recorded. */
export interface ExecutionSteps {
  readonly steps: readonly GraphStep[]
  /** Of recorded calls, by path: those of the same rank ran at the same time, those of a higher one after them. */
  readonly ranks: CallRanks
}

export type CallRanks = ReadonlyMap<string, number>

/**
 * The declared steps with the recorded calls of their functions, in the order of their start; of a workflow that is a
 * function, the calls. Those within rounds of a loop are left out, as the rounds are.
 */
export function executionSteps(
  declared: readonly StepDescription[],
  { steps: records, events }: Pick<ExecutionDetail, 'steps' | 'events'>,
): ExecutionSteps {
  const isFunction = declared[0]?.type === 'function'
  const own = records.length > 0 && isFunction ? [] : declared
  const placed = flattenSteps(own)
  const places = new Set(placed.map(({ path }) => path))
  const calls = new Map<string, StepRecord[]>()
  const made = new Map<string, string>()
  for (const record of records) {
    // a machine of the release before may send no path
    if (!record.path || isInRound(record.path) || places.has(pathInTree(record.path, placed))) continue
    const outer = outerPath(record.path)
    const place = made.get(outer) ?? (outer === '' ? '' : pathInTree(outer, placed))
    const siblings = calls.get(place)
    if (siblings) siblings.push(record)
    else calls.set(place, [record])
    made.set(record.path, nestedPath(place, record.path.slice(record.path.lastIndexOf('/') + 1)))
  }
  // beside the steps of a chain are those that its code had before
  const isCall = (outer: string) => isFunction || outer !== ''
  const withCalls = (steps: readonly GraphStep[], outer: string): GraphStep[] => [
    ...steps.map((step) => inTree(step, nestedPath(outer, step.id))),
    ...(calls.get(outer) ?? []).map((record) =>
      inTree(described(record, isCall(outer)), made.get(record.path) ?? ''),
    ),
  ]
  const inTree = (step: GraphStep, path: string): GraphStep => {
    const steps = withCalls(step.steps ?? [], path)
    return steps.length > 0 ? { ...step, steps } : step
  }
  const ranks = rankCalls(records, events)
  return {
    steps: calls.size === 0 ? own : withCalls(own, ''),
    ranks: new Map([...made].map(([path, place]) => [place, ranks.get(path) ?? 0])),
  }
}

/** The path of a step within another one; of a top-level step its id. */
export function nestedPath(outer: string | undefined, id: string): string {
  return outer ? `${outer}/${id}` : id
}

function described({ path, name, type, compensates }: StepRecord, isCall: boolean): GraphStep {
  const call = compensates === undefined ? isCall && CALLS[type] : 'compensation'
  return { id: path.slice(path.lastIndexOf('/') + 1), name, type, purpose: '', ...(call && { call }) }
}

/** The members of `step` by the type that their calls are recorded with. */
const CALLS: Readonly<Partial<Record<StepType, string>>> = {
  andThen: 'step.run',
  andSleep: 'step.sleep',
  andSleepUntil: 'step.sleepUntil',
  andWaitForEvent: 'step.waitForEvent',
  andAgent: 'step.agent',
  andWorkflow: 'step.workflow',
}

/** The rank of each step among those beside it: above those of all that had ended when it began. */
function rankCalls(
  records: readonly StepRecord[],
  events: readonly RecordedEvent[],
): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>()
  const ended = new Map<string, number>()
  const begin = (path: string) => {
    if (!ranks.has(path)) ranks.set(path, (ended.get(outerPath(path)) ?? -1) + 1)
  }
  const end = (path: string) => {
    const outer = outerPath(path)
    ended.set(outer, Math.max(ended.get(outer) ?? -1, ranks.get(path) ?? -1))
  }
  const paths = new Set(records.map(({ path }) => path))
  const pathOfId = new Map(records.map(({ stepId, path }) => [stepId, path]))
  const placeOf = ({ path, from }: RecordedEvent) =>
    (path as string | undefined) ?? (paths.has(from) ? from : (pathOfId.get(from) ?? from))
  const began = new Set(events.filter(({ type }) => type === 'step-start').map((event) => placeOf(event)))
  // a replay has no events of what it has copied
  for (const { path } of records.filter((record) => !began.has(record.path))) {
    begin(path)
    end(path)
  }
  for (const event of events) {
    if (event.type === 'step-start') begin(placeOf(event))
    const isEnd = event.type === 'step-complete' || event.type === 'step-error'
    if (isEnd && event['willRetry'] !== true) end(placeOf(event))
  }
  return ranks
}

/**
 * The path of a recorded step in the tree: the rounds of a loop share the place of its step, and the steps of a group are
 * below the group.
 */
export function pathInTree(path: string, placed: readonly FlatStep[]): string {
  const paths = indexOf(placed)
  if (paths.has(path)) return path
  let at = ''
  for (const [, id, round] of path.matchAll(/([^/[\]]+)|\[(\d+)\]/g)) {
    const nested = at === '' ? [] : (paths.get(at)?.steps ?? [])
    const group = nested.find(({ type, steps }) => type === 'group' && steps?.some((one) => one.id === id))
    const next = round === undefined ? id : nested[0]?.id
    const within = round === undefined && group ? `${at}/${group.id}` : at
    at = within === '' ? String(next) : `${within}/${next}`
    if (!paths.has(at)) return path
  }
  return at
}

/** A tree is searched for each record of an execution. */
const INDEXES = new WeakMap<readonly FlatStep[], ReadonlyMap<string, StepDescription>>()

function indexOf(placed: readonly FlatStep[]): ReadonlyMap<string, StepDescription> {
  const known = INDEXES.get(placed)
  if (known) return known
  const index = new Map(placed.map(({ path, step }) => [path, step]))
  INDEXES.set(placed, index)
  return index
}

/** Finds path and name of a step of a workflow by its id. */
export function stepFinder(steps: readonly StepDescription[]): FindStep {
  const found = new Map<string, { path: string; name: string }>()
  const add = (list: readonly StepDescription[], outer: string) => {
    for (const { id, name, type, steps: inner = [] } of list) {
      // the steps of a group are recorded below the step around it
      const path = type === 'group' ? outer : `${outer}${id}/`
      if (type !== 'group') found.set(id, { path: path.slice(0, -1), name })
      add(inner, path)
    }
  }
  add(steps, '')
  return (stepId) => found.get(stepId)
}
