import { isFinal } from '../../contract/is-final.ts'
import type { ExecutionStatus } from '../../contract/status.ts'
import type { Applied, ExecutionRow, ExecutionWrite, StepChange } from '../../store/execution-store.ts'

/** What a change does with a call, or, with an empty path, that it ends its execution. */
export interface Transition {
  /** The same for an execution in every run: its workflow, and its number among those of the workflow. */
  readonly execution: string
  readonly path: string
  readonly to: 'start' | 'suspend' | 'end' | 'cancel'
}

/** Where a run is killed. */
export interface CrashPoint extends Transition {
  /** Whether the change is stored. */
  readonly isStored: boolean
  /** The number of the commit in the run in which it was found. */
  readonly commit: number
  /** Its path is another one in each run: the number of the commit decides. */
  readonly anyPath?: true
}

export type CrashMoment = 'before' | 'during' | 'after'

/** Which moment of the call a point is. */
export function momentOf({ path, to, isStored }: CrashPoint): CrashMoment {
  if (path === '' || to === 'start') return 'before'
  return to === 'end' && isStored ? 'after' : 'during'
}

type Status = 'running' | 'suspended' | 'ended'

/** What is stored of the executions of a run. */
export class RecordedSteps {
  /** Names by ids. */
  readonly #executions = new Map<string, { readonly name: string; status: ExecutionStatus }>()
  readonly #steps = new Map<string, Status>()
  readonly #counts = new Map<string, number>()
  /** The paths that were cancelled, with their executions. */
  readonly cancelled = new Set<string>()
  commits = 0
  hasHooks = false

  get ids(): Iterable<string> {
    return this.#executions.keys()
  }

  statusOf(id: string): ExecutionStatus | undefined {
    return this.#executions.get(id)?.status
  }

  nameOf(id: string): string {
    return this.#executions.get(id)?.name ?? id
  }

  /** Whether an execution still runs. */
  get isRunning(): boolean {
    return [...this.#executions.values()].some(({ status }) => status === 'running')
  }

  /** What changes do that are not stored yet. */
  transitions(writes: readonly ExecutionWrite[]): Transition[] {
    return eachWrite(writes).flatMap((write) => {
      const { id, insert, steps = [], update } = write
      const execution = insert ? this.#nextName(insert) : this.nameOf(id)
      const ofSteps = steps.flatMap((step) =>
        this.#of(id, step).map((to) => ({ execution, path: step.path, to })),
      )
      const status = update?.set.status
      const ends = status !== undefined && isFinal(status)
      return ends ? [...ofSteps, { execution, path: '', to: 'end' as const }] : ofSteps
    })
  }

  /** Notes what was stored. */
  add(writes: readonly ExecutionWrite[], applied: readonly Applied[]): void {
    this.commits++
    for (const write of eachWrite(writes.filter((_, index) => applied[index] !== false))) {
      const { id, insert, update, steps = [], cancelStepsAt, jobs } = write
      if (insert) {
        const name = this.#nextName(insert)
        this.#counts.set(insert.workflowId, (this.#counts.get(insert.workflowId) ?? 0) + 1)
        this.#executions.set(id, { name, status: insert.status })
      }
      for (const step of steps) this.#set(id, step)
      if (cancelStepsAt !== undefined) this.#cancelOpen(id)
      const execution = this.#executions.get(id)
      if (execution && update?.set.status) execution.status = update.set.status
      if (jobs?.add?.some(({ job }) => job.kind === 'hooks')) this.hasHooks = true
    }
  }

  #nextName({ workflowId }: Pick<ExecutionRow, 'workflowId'>): string {
    const number = (this.#counts.get(workflowId) ?? 0) + 1
    return number === 1 ? workflowId : `${workflowId} (${number})`
  }

  #of(id: string, { path, status }: StepChange): Transition['to'][] {
    const before = this.#steps.get(keyOf(id, path))
    const found: Transition['to'][] = before === undefined ? ['start'] : []
    const now = status === undefined ? before : stateOf(status)
    if (status === 'cancelled') found.push('cancel')
    else if (now === 'suspended' && before !== 'suspended') found.push('suspend')
    else if (now === 'ended' && before !== 'ended') found.push('end')
    return found
  }

  #set(id: string, { path, status }: StepChange): void {
    const key = keyOf(id, path)
    if (status !== undefined) this.#steps.set(key, stateOf(status))
    if (status === 'cancelled') this.cancelled.add(key)
  }

  #cancelOpen(id: string): void {
    for (const [key, status] of this.#steps) {
      if (status === 'ended' || !key.startsWith(keyOf(id, ''))) continue
      this.#steps.set(key, 'ended')
      this.cancelled.add(key)
    }
  }
}

export function keyOf(executionId: string, path: string): string {
  return `${executionId} ${path}`
}

function stateOf(status: NonNullable<StepChange['status']>): Status {
  return status === 'running' || status === 'suspended' ? status : 'ended'
}

/** Changes, with those that are stored together with them. */
function eachWrite(writes: readonly ExecutionWrite[]): ExecutionWrite[] {
  return writes.flatMap((write) => [write, ...eachWrite(write.together ?? [])])
}

/** Where a run can be killed at a change: before it is stored, and after. */
export function pointsAt(transitions: readonly Transition[], commit: number): CrashPoint[] {
  return transitions.flatMap((transition) => {
    const { path, to } = transition
    if (to === 'cancel') return []
    const stored = to === 'start' || path === '' ? [false] : [false, true]
    return stored.map((isStored) => ({ ...transition, isStored, commit }))
  })
}
