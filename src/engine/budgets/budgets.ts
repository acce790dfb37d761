import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import { windowHours } from '../../agent/budgets/budget.ts'
import type { Budget } from '../../agent/budgets/budget.ts'
import type { CallBudget } from '../../agent/budgets/call-budget.ts'
import { toNanoDollars } from '../../contract/usage/cost.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { BudgetStore } from '../../store/budget-store.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { EngineMeter } from '../engine-meter.ts'
import type { Registry } from '../registry.ts'
import { budgetStates } from './budget-states.ts'
import type { BudgetState } from './budget-states.ts'
import { AnswerBudget } from './answer-budget.ts'
import type { BudgetLine } from './answer-budget.ts'

/** The budgets of a declaration that a run counts for, with those of the runs that requested it. */
interface BudgetOwner {
  readonly declaredOn: string
  readonly budgets: readonly Budget[]
  /** What is a run for budgets per run. */
  readonly runId: string
  /** What is the agent for budgets per agent. Default: the one whose model is called. */
  readonly agentId?: string
}

/** The budgets of what requested a run. */
export interface BudgetOrigin {
  /** The outermost execution or answer. */
  readonly runId: string
  readonly owners: readonly BudgetOwner[]
}

export interface BudgetsDeps {
  readonly store: {
    readonly budgets: BudgetStore
    readonly executions: { get(id: string): Promise<ExecutionRow | undefined> }
  }
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
  readonly meter: EngineMeter
  /** The budgets of the current configuration. */
  readonly project: () => readonly Budget[]
  readonly registry: () => Registry
  /** Questions to people name no amounts. */
  readonly production?: boolean
}

type StartedExecution = Pick<ExecutionRow, 'id' | 'workflowId' | 'parentId'>
type Run = Pick<AgentRunRow, 'id' | 'agentId' | 'userId'>

/** The budgets of a project, by which its runs are limited. */
export class Budgets {
  readonly #deps: BudgetsDeps

  constructor(deps: BudgetsDeps) {
    this.#deps = deps
  }

  /** What is used of all budgets of the current configuration. */
  states(): Promise<BudgetState[]> {
    const { project, registry, store, clock } = this.#deps
    const { usedAgents } = registry()
    const declared = [
      { declaredOn: 'config', budgets: project() },
      ...usedAgents.map(({ id, budgets = [] }) => ({ declaredOn: `agent ${id}`, budgets })),
      ...registry()
        .list()
        .map(({ definition: { id, budgets = [] } }) => ({ declaredOn: `workflow ${id}`, budgets })),
    ].flatMap(({ declaredOn, budgets }) => budgets.map((budget) => ({ declaredOn, budget })))
    return budgetStates(declared, { store: store.budgets, now: clock.now() })
  }

  /** The budgets of a run's own model calls; `undefined` without any. */
  ofRun(agent: Pick<Agent, 'id' | 'budgets'>, run: Run, from?: BudgetOrigin): CallBudget | undefined {
    const { project, ...deps } = this.#deps
    const origin = this.within(agent, run.id, from)
    if (!origin) return undefined
    const all = [...origin.owners, { declaredOn: 'config', budgets: project(), runId: origin.runId }]
    const lines = all.flatMap((owner) => owner.budgets.map((budget) => lineOf(budget, owner, run)))
    return lines.length === 0
      ? undefined
      : new AnswerBudget(run.id, lines, { ...deps, store: deps.store.budgets })
  }

  /** The budgets of a run, for those that it requests; `undefined` without any. */
  within(
    { id, budgets }: Pick<Agent, 'id' | 'budgets'>,
    runId: string,
    from?: BudgetOrigin,
  ): BudgetOrigin | undefined {
    if (budgets === undefined && from === undefined && this.#deps.project().length === 0) return undefined
    const own = budgets === undefined ? [] : [{ declaredOn: `agent ${id}`, budgets, runId, agentId: id }]
    return { runId: from?.runId ?? runId, owners: [...(from?.owners ?? []), ...own] }
  }

  /**
   * The budgets of an execution, with those of the executions that have started it, for the runs of its steps; `undefined`
   * without any.
   */
  ofExecution(execution: StartedExecution): Promise<BudgetOrigin> | undefined {
    const { registry, project } = this.#deps
    return registry().hasBudgets || project().length > 0 ? this.#ofExecution(execution) : undefined
  }

  async #ofExecution(execution: StartedExecution): Promise<BudgetOrigin> {
    const { registry, store } = this.#deps
    const owners: BudgetOwner[] = []
    let current = execution
    for (;;) {
      const { id: runId, workflowId, parentId } = current
      const budgets = registry().find(workflowId)?.definition.budgets
      if (budgets) owners.unshift({ declaredOn: `workflow ${workflowId}`, budgets, runId })
      const parent = parentId === null ? undefined : await store.executions.get(parentId)
      if (!parent) return { runId, owners }
      current = parent
    }
  }
}

function lineOf(budget: Budget, { declaredOn, runId, agentId }: BudgetOwner, run: Run): BudgetLine {
  const subjects = { run: runId, user: run.userId ?? '', agent: agentId ?? run.agentId, project: '' }
  const { per, usd, tokens = null } = budget
  return {
    budget,
    counter: { declaredOn, per, subject: subjects[per] },
    costNano: usd === undefined ? null : toNanoDollars(usd),
    tokens,
    hours: windowHours(budget),
  }
}
