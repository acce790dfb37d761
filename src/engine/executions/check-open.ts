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
  readonly onProgress?: (checked: number) => void
}

const PAGE = 200
const MAX_EXAMPLES = 5

/** Compares the records of the executions that have not ended with the code, without changing anything. */
export async function checkOpen({
  store: { executions },
  registry,
  logger,
  workflowId,
  limit = Number.POSITIVE_INFINITY,
  onProgress,
}: CheckOpenOptions): Promise<WorkflowFit[]> {
  const found = new Map<string, FitCount>()
  let checked = 0
  for (const status of ['suspended', 'running'] as const) {
    for (let offset = 0; ; offset += PAGE) {
      const page = await executions.list({ workflowId, status }, { limit: PAGE, offset })
      for (const { id, workflowId: of } of page) {
        const count = found.get(of) ?? new FitCount(of)
        found.set(of, count)
        if (count.checked >= limit) continue
        const history = await executions.history(id)
        if (history) count.add(id, await misfitsOf(history, registry.find(of), logger))
        onProgress?.(++checked)
      }
      if (page.length < PAGE || (workflowId !== undefined && checked >= limit)) break
    }
  }
  return [...found.values()].map((count) => count.fit).toSorted((a, b) => a.id.localeCompare(b.id))
}

async function misfitsOf(
  { row, steps }: ExecutionHistory,
  workflow: RegisteredWorkflow | undefined,
  logger: Logger,
): Promise<readonly Misfit[]> {
  if (row.acceptedChanges !== null) return []
  if (!workflow) return [{ stepId: '', reason: 'the workflow was removed' }]
  const record = { row, steps: new Map(steps.map((step) => [step.path, step])) }
  return workflow.definition.run ? walkFunction(record, { workflow, logger }) : chainMisfits(record, workflow)
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
