import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Misfit } from '../../contract/event.ts'
import type { ExecutionHistory } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import type { RegisteredWorkflow, Registry } from '../registry.ts'
import { chainMisfits } from '../run/misfits.ts'
import { walkFunction } from '../run/walk-function.ts'

/** How the open executions of a workflow fit its code. */
export interface WorkflowFit {
  readonly id: string
  readonly fits: number
  readonly misfits: number
  /** One for each reason, at most MAX_EXAMPLES. */
  readonly examples: readonly FitExample[]
}

export interface FitExample extends Misfit {
  readonly executionId: string
}

export interface CheckOpenOptions {
  readonly store: Pick<Store, 'executions'>
  readonly registry: Registry
  /** For what functions log. */
  readonly logger: Logger
  /** Only executions of this workflow. */
  readonly workflowId?: string | undefined
  /** The most executions of a workflow that are looked at. Default: all. */
  readonly limit?: number | undefined
  /** The most executions that are looked at in all: the newest suspended ones, then running ones. Default: all. */
  readonly most?: number | undefined
  readonly onProgress?: (checked: number) => void
}

/** Histories in memory at the same time. */
const PAGE = 100
const MAX_EXAMPLES = 5
/** Executions that are looked at before others have their turn. */
const TURN = 10

/** Compares the records of the executions that have not ended with the code, without changing anything. */
export async function checkOpen({
  store: { executions },
  registry,
  logger,
  workflowId,
  limit = Number.POSITIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
  onProgress,
}: CheckOpenOptions): Promise<WorkflowFit[]> {
  const found = new Map<string, FitCount>()
  let checked = 0
  for (const status of ['suspended', 'running'] as const) {
    for (let offset = 0; ; offset += PAGE) {
      const page = await executions.histories({ workflowId, status }, { limit: PAGE, offset })
      for (const history of page) {
        const { id, workflowId: of } = history.row
        const count = found.get(of) ?? new FitCount(of)
        found.set(of, count)
        if (count.checked >= limit || checked >= most) continue
        count.add(id, await recordMisfits(history, registry.find(of), logger))
        onProgress?.(++checked)
        if (checked % TURN === 0) await nextTurn()
      }
      if (page.length < PAGE || checked >= most || (workflowId !== undefined && checked >= limit)) break
    }
  }
  return [...found.values()].map((count) => count.fit).toSorted((a, b) => a.id.localeCompare(b.id))
}

/** Where the record of an execution does not fit the code. */
export async function recordMisfits(
  { row, steps }: ExecutionHistory,
  workflow: RegisteredWorkflow | undefined,
  logger: Logger,
): Promise<readonly Misfit[]> {
  // one whose steps are compensated does not continue
  if (row.acceptedChanges !== null || row.compensation !== null) return []
  if (!workflow) return [{ stepId: '', reason: 'the workflow was removed' }]
  const record = { row, steps: new Map(steps.map((step) => [step.path, step])) }
  return workflow.definition.run ? walkFunction(record, { workflow, logger }) : chainMisfits(record, workflow)
}

export interface NoLongerFitting {
  readonly store: Pick<Store, 'executions'>
  /** The code that was replaced. */
  readonly before: Registry
  readonly registry: Registry
  readonly logger: Logger
  /** The most executions of a workflow that are looked at. */
  readonly limit: number
}

/** The suspended executions of changed workflows that fit the code before, and don't fit it any more. */
export async function noLongerFitting({
  store: { executions },
  before,
  registry,
  logger,
  limit,
}: NoLongerFitting): Promise<WorkflowFit[]> {
  const found: WorkflowFit[] = []
  for (const old of before.list()) {
    const { id } = old.definition
    const workflow = registry.find(id)
    if (workflow?.definition === old.definition) continue
    const count = new FitCount(id)
    const page = await executions.histories({ workflowId: id, status: 'suspended' }, { limit, offset: 0 })
    for (const [index, history] of page.entries()) {
      const misfits = await recordMisfits(history, workflow, logger)
      const isNew = misfits.length > 0 && (await recordMisfits(history, old, logger)).length === 0
      count.add(history.row.id, isNew ? misfits : [])
      if (index % TURN === 0) await nextTurn()
    }
    if (count.fit.misfits > 0) found.push(count.fit)
  }
  return found
}

class FitCount {
  readonly #id: string
  #fits = 0
  #misfits = 0
  readonly #examples = new Map<string, FitExample>()

  constructor(id: string) {
    this.#id = id
  }

  get checked(): number {
    return this.#fits + this.#misfits
  }

  add(executionId: string, misfits: readonly Misfit[]): void {
    if (misfits.length === 0) this.#fits++
    else this.#misfits++
    for (const misfit of misfits) {
      const { stepId, reason } = misfit
      if (this.#examples.size < MAX_EXAMPLES)
        this.#examples.set(`${stepId} ${reason}`, { executionId, ...misfit })
    }
  }

  get fit(): WorkflowFit {
    const examples = [...this.#examples.values()]
    return { id: this.#id, fits: this.#fits, misfits: this.#misfits, examples }
  }
}
