import type { Agent } from '../../agent/agent.ts'
import { userKey } from '../../contract/access/user-key.ts'
import type { User } from '../../contract/auth.ts'
import type { Decider } from '../../contract/access/decision.ts'
import { ANSWER_STEP } from '../../contract/step-path.ts'
import type { StepWait } from '../../contract/step-wait.ts'
import { AppError } from '../../lib/errors.ts'
import type { AgentRunRow } from '../../store/agent-store.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { StoredSuspension } from '../record/execution-events.ts'
import type { NewExecution } from '../record/new-execution.ts'
import { openWaits, suspensionIn } from '../record/to-api.ts'
import { resumedRow } from '../record/step-rows.ts'
import type { Run } from '../run/run.ts'
import { cancelWithChildren } from './cancel.ts'
import { awaitRemote } from './remote-executions.ts'
import { NOTHING, readAndContinue } from './continue-suspended.ts'
import { startHolding } from './execute.ts'
import { beginResume } from './resume.ts'
import type { ResumeDeps } from './resume.ts'

export interface ResumedWait {
  /** Its id or path; may be left out while one is open. */
  readonly stepId?: string | undefined
  readonly resumeData?: unknown
  /** Who may decide about the run. The rules of its waits apply to them, too. */
  readonly decider: Decider
}

/** What an execution has of the one that it replays. */
export type CopiedExecution = Pick<NewExecution, 'steps' | 'forkedFrom'>

/** The run of an answer, and the authenticated user who asked. */
export interface OwnedAnswer {
  readonly row: AgentRunRow
  readonly user: User | null
}

/** An answer that waits for somebody, and its first wait. */
export interface AskingAnswer {
  readonly row: ExecutionRow
  readonly suspension: StoredSuspension
}

/** The executions of recorded answers. They have the ids of the answers. */
export class AnswerExecutions {
  readonly #deps: ResumeDeps

  constructor(deps: ResumeDeps) {
    this.#deps = deps
  }

  /** Starts the execution of an answer, with copied calls of another one. Resolves when it is stored. */
  async start(
    agent: Agent,
    { row: { id, userId, conversationId, traceId }, user }: OwnedAnswer,
    copied: CopiedExecution = {},
  ): Promise<Run> {
    const owned = user ? { user: JSON.stringify(user), owner: userKey(user) } : {}
    const run = await startHolding(this.#deps.hold(), async (hold) => {
      const workflow = hold.registry.answers(agent)
      const facts = { id, userId, conversationId, traceId, ...owned, ...copied }
      return this.#deps.runs.start({ workflow, input: 'null', context: '{}', ...facts }, hold)
    })
    if (!(await run.started())) throw new AppError('conflict', `Execution id already used: ${id}`)
    return run
  }

  /** The recorded steps of an answer; `undefined` if it has none. */
  async steps(id: string): Promise<readonly StepRow[] | undefined> {
    const history = await this.#deps.store.executions.history(id)
    return history?.row.kind === 'answer' ? history.steps : undefined
  }

  /** The execution of an answer; `undefined` if it has none. */
  async find(id: string): Promise<ExecutionRow | undefined> {
    const row = await this.#deps.store.executions.get(id)
    return row?.kind === 'answer' ? row : undefined
  }

  /** Goes on with an answer that has what it waited for; `undefined` if its execution is not suspended. */
  async continue(id: string): Promise<Run | undefined> {
    const { store, runs } = this.#deps
    // it may be about to be suspended
    await runs.whenStarted(id)
    await runs.get(id)?.ended
    if ((await this.find(id))?.status === 'running') await awaitRemote(this.#deps, id)
    const [run] = await readAndContinue(this.#deps, async ({ registry }) => {
      const history = await store.executions.history(id)
      const workflow = history && registry.find(history.row.workflowId)
      if (history?.row.status !== 'suspended' || !workflow) return NOTHING
      const steps = history.steps.flatMap((step) =>
        step.path === ANSWER_STEP && step.status === 'suspended' ? [resumedRow(step, null)] : [],
      )
      const resumption = { resumeData: null }
      return { executions: [{ history, workflow, stepId: ANSWER_STEP, steps }], resumption }
    })
    return run
  }

  /**
   * Resumes a wait of a tool.
   *
   * @throws AppError `not_resumable`, `conflict` or `invalid_input` as the resume of an execution.
   */
  async resume(id: string, { stepId, resumeData, decider }: ResumedWait): Promise<Run> {
    const waits = stepId === undefined ? await this.waits(id) : []
    if (waits.length > 1)
      throw new AppError(
        'conflict',
        `stepId: several calls of the answer wait; name one of ${waits.map(({ path }) => path).join(', ')}`,
      )
    const execution = await this.find(id)
    if (!execution) throw new AppError('conflict', `No tool of run ${id} waits`)
    const ref = { executionId: id, isAnswer: true } as const
    const run = await beginResume(this.#deps, ref, { decider: ofRun(decider), stepId, resumeData })
    if (!run) throw new AppError('conflict', `The answer ${id} is continued by another machine; try again`)
    return run
  }

  /** What the tools of an answer wait for. */
  async waits(id: string): Promise<readonly StepWait[]> {
    const history = await this.#deps.store.executions.history(id)
    if (history?.row.kind !== 'answer') return []
    const isCall = (path: string) => path !== ANSWER_STEP
    return openWaits(history.row, history.steps, isCall).filter(({ path }) => isCall(path))
  }

  /** The answers that wait for somebody, oldest first, each with its first wait; those of one user, or of all. */
  async needingInput(userId: string | null | undefined, count: number): Promise<readonly AskingAnswer[]> {
    const filter = { kind: 'answer', needsInput: true, userId } as const
    const total = await this.#deps.store.executions.count(filter)
    // lists are newest first
    const page = { limit: Math.min(count, total), offset: Math.max(0, total - count) }
    const rows = page.limit === 0 ? [] : await this.#deps.store.executions.list(filter, page)
    return rows.toReversed().map((row) => ({ row, suspension: suspensionIn(row) }))
  }

  countNeedingInput(userId?: string | null): Promise<number> {
    return this.#deps.store.executions.count({ kind: 'answer', needsInput: true, userId })
  }

  async cancel(id: string): Promise<void> {
    if (await this.find(id)) await cancelWithChildren(this.#deps, id, { reason: 'The answer was cancelled' })
  }
}

/** The owner of an answer is that of its run, which is checked as such. */
function ofRun(decider: Decider): Decider {
  return {
    ...decider,
    check: async (subject) => {
      if (subject.kind !== 'execution') await decider.check(subject)
    },
  }
}
