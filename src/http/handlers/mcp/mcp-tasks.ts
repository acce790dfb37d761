import type { Agent } from '../../../agent/agent.ts'
import type { ApprovalResponse } from '../../../agent/answer/waiting/resumed-answer.ts'
import { failureIn, textOf } from '../../../a2a/task.ts'
import type { CallerAccess } from '../../../auth/caller-access.ts'
import { recordUserId } from '../../../contract/access/user-key.ts'
import type { User } from '../../../contract/auth.ts'
import type { AgentRunRecord } from '../../../contract/endpoints/agent.ts'
import { isForPeople } from '../../../contract/pending-call.ts'
import type { ClientCall } from '../../../engine/agents/agent-call.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { KeyedWait } from '../../../engine/executions/keyed-waits.ts'
import { recordedResult } from '../../../engine/record/result.ts'
import { subAgentToolName } from '../../../agent/sub-agent.ts'
import { toIso } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import { isId } from '../../../lib/ids.ts'
import type { JsonSchema } from '../../../lib/schema/schema.ts'
import type { TraceScope } from '../../../lib/telemetry/trace-scope.ts'
import { resumeForm } from '../../../mcp/served/resume-form.ts'
import type { ServedMcpServer } from '../../../mcp/served/served-server.ts'
import type { AgentPrompt, StartedTask, TaskCalls } from '../../../mcp/served/served-tool.ts'
import type { TaskForm, TaskResponse, TaskState } from '../../../mcp/served/task.ts'
import { resumeToolName, workflowToolName } from '../../../mcp/tool-name.ts'
import type { ExecutionRow } from '../../../store/execution-store.ts'
import type { WorkflowDefinition } from '../../../workflow/definition.ts'
import { formMessage } from './form-message.ts'
import { approvalForm, readApproval, subjectOf } from './mcp-approvals.ts'

interface McpTasksDeps {
  /** Its workflows and agents have tasks. */
  readonly server: ServedMcpServer
  readonly engine: Pick<Engine, 'agents' | 'executions' | 'history'>
  readonly access: CallerAccess
  readonly user: User | undefined
  readonly trace: TraceScope
  /** Aborts when the client disconnects. Tasks continue. */
  readonly signal: AbortSignal
  /** The call of a client's question to an agent. */
  readonly callOf: (question: AgentPrompt) => ClientCall
}

type Responses = ReadonlyMap<string, TaskResponse>

/**
 * The tasks of an MCP client: executions of workflows, and answers of agents that are recorded. They have the ids of these,
 * and no state of their own: any process, also after a crash, reads the same task from the record.
 */
export class McpTasks implements TaskCalls {
  readonly #deps: McpTasksDeps

  constructor(deps: McpTasksDeps) {
    this.#deps = deps
  }

  readonly workflow = async ({ id }: WorkflowDefinition, input: unknown): Promise<StartedTask> => {
    const { engine, access, user, trace } = this.#deps
    await access.to('execute', 'workflow', id)
    const { executionId, startAt, stored, result } = await engine.executions.execute(id, input, {
      user,
      trace,
    })
    await stored()
    // rules of the configuration may keep it from the client, who gets the result as without tasks
    if (!(await access.canRead(executionId))) return { value: await result() }
    return { task: newTask(executionId, startAt, workflowToolName(id)) }
  }

  readonly agent = async (agent: Agent, question: AgentPrompt): Promise<StartedTask> => {
    const { engine, access } = this.#deps
    const { conversationId } = question
    await access.to('execute', 'agent', agent.id)
    if (conversationId !== undefined) await access.toConversation(conversationId)
    const id = await engine.agents.begin(agent.id, this.#deps.callOf(question))
    const record = await this.#answer(id)
    if (!record) throw notFound(id)
    return { task: newTask(id, record.startTime, subAgentToolName(agent)) }
  }

  readonly get = async (taskId: string): Promise<TaskState> => {
    const row = await this.#execution(taskId)
    if (!row) return this.#ofAnswer(await this.#findAnswer(taskId))
    await this.#deps.access.toExecution('read', { executionId: row.id })
    return this.#ofExecution(row)
  }

  readonly update = async (taskId: string, responses: Responses): Promise<void> => {
    const row = await this.#execution(taskId)
    if (row) await this.#resumeExecution(row, responses)
    else await this.#continueAnswer(await this.#findAnswer(taskId), responses)
  }

  readonly cancel = async (taskId: string): Promise<void> => {
    const { engine, access, user } = this.#deps
    const row = await this.#execution(taskId)
    if (!row) {
      const { agent, record } = await this.#findAnswer(taskId)
      await access.to('execute', 'agent', agent.id)
      if (record.status === 'running' || record.status === 'suspended') await engine.agents.cancel(taskId)
      return
    }
    const ref = { executionId: row.id }
    await access.toExecution('cancel', ref)
    try {
      await engine.executions.cancel(ref, 'Cancelled by the MCP client', { user, waitMs: 0 })
    } catch (error) {
      if (!isAppError(error, 'not_cancellable')) throw error
    }
  }

  /** The execution with this id, of a workflow of the server. */
  async #execution(id: string): Promise<ExecutionRow | undefined> {
    const { engine, server } = this.#deps
    if (!isId(id)) throw notFound(id)
    try {
      const row = await engine.executions.find({ executionId: id })
      return server.workflows.some((workflow) => workflow.id === row.workflowId) ? row : undefined
    } catch (error) {
      if (!isAppError(error, 'not_found')) throw error
      return undefined
    }
  }

  async #ofExecution(row: ExecutionRow): Promise<TaskState> {
    const { id, workflowId, workflowName } = row
    const task = {
      id,
      tool: workflowToolName(workflowId),
      createdAt: toIso(row.createdAt),
      updatedAt: toIso(row.updatedAt),
    }
    if (row.status === 'running') return { ...task, progress: { status: 'working' } }
    if (row.status === 'cancelled') return { ...task, progress: { status: 'cancelled' } }
    if (row.status !== 'suspended') return { ...task, progress: outcomeOf(() => recordedResult(row)) }
    const { engine, access } = this.#deps
    const waits = await engine.executions.waits(row)
    const waiting = waits.map((wait) => formMessage(workflowName, wait)).join('\n\n')
    const requests = waits
      .filter(({ reason }) => isForPeople(reason))
      .map((wait) => requestOf(workflowName, wait))
    const mayDecide = () => access.decider.check({ kind: 'execution', executionId: id })
    if (requests.length === 0 || !(await isAllowed(mayDecide)))
      return { ...task, message: waiting, progress: { status: 'working' } }
    const how = `Resume it with ${resumeToolName(workflowId)} { executionId, resumeData }`
    const needsTool = requests.some(({ form }) => !form)
    const message = needsTool ? `${waiting}\n\n${how}` : waiting
    return { ...task, message, progress: { status: 'waiting', requests } }
  }

  async #resumeExecution(row: ExecutionRow, responses: Responses): Promise<void> {
    const { engine, access, trace } = this.#deps
    const { decider } = access
    const ref = { executionId: row.id }
    // users who may resume executions of others have no tasks of these: they have the tool
    await access.toExecution('read', ref)
    await decider.check({ kind: 'execution', ...ref })
    const accepted = acceptedIn(await engine.executions.waits(row), responses)
    for (const [index, { wait, resumeData }] of accepted.entries()) {
      const { path: stepId, resumes } = wait
      const linked = resumes === undefined ? undefined : { resumes }
      const options = { stepId, decider, trace, linked }
      try {
        // the next one can be resumed when the execution is suspended again
        if (index < accepted.length - 1) await engine.executions.resume(ref, resumeData, options)
        else await engine.executions.beginResume(ref, resumeData, options)
      } catch (error) {
        // another request was first
        if (!isAppError(error, 'not_resumable')) throw error
      }
    }
  }

  /** The recorded answer with this id, of an agent of the server and of the user. */
  async #answer(id: string): Promise<AgentRunRecord | undefined> {
    const { engine, access, user } = this.#deps
    // under any kind of auth: the id of an answer alone opens none of another user
    const filter = { id, ...(access.isLimited && { userId: recordUserId(user, undefined) }) }
    const [record] = await engine.history.list(filter, { limit: 1, offset: 0 })
    return record
  }

  /** @throws AppError `not_found`, also when it belongs to another user */
  async #findAnswer(id: string): Promise<FoundAnswer> {
    const record = await this.#answer(id)
    const agent = this.#deps.server.agents.find((one) => one.id === record?.agentId)
    if (!record || !agent || !(await isAllowed(() => this.#deps.access.to('read', 'agent', agent.id))))
      throw notFound(id)
    return { agent, record }
  }

  async #ofAnswer({ agent, record }: FoundAnswer): Promise<TaskState> {
    const { id, status, startTime, endTime, reason } = record
    const task = {
      id,
      tool: subAgentToolName(agent),
      createdAt: startTime,
      updatedAt: endTime ?? startTime,
    }
    switch (status) {
      case 'running':
        return { ...task, progress: { status: 'working' } }
      case 'aborted':
        return { ...task, progress: { status: 'cancelled' } }
      case 'suspended':
        return { ...task, ...(await this.#waitingAnswer({ agent, record })) }
      case 'error':
        return { ...task, progress: failed(new AppError('execution_failed', failureIn(record))) }
      case 'completed':
        if (reason !== undefined)
          return { ...task, progress: failed(new AppError('forbidden', `Blocked by a guardrail: ${reason}`)) }
        return { ...task, progress: { status: 'completed', value: textOf(record.output) ?? '' } }
    }
  }

  async #waitingAnswer({ agent, record }: FoundAnswer): Promise<Pick<TaskState, 'message' | 'progress'>> {
    const { approvals = [], id } = record
    const { decider } = this.#deps.access
    const waits = await this.#waitsOf(id)
    const people = waits.filter(({ reason }) => isForPeople(reason))
    const requests = [
      ...approvals.map((approval) => {
        const { message, schema } = approvalForm(agent, approval)
        return { key: approval.approvalId, message, form: schema }
      }),
      ...people.map((wait) => requestOf(agent.name, wait)),
    ]
    const waiting = [
      ...approvals.map((approval) => approvalForm(agent, approval).message),
      ...waits.map((wait) => formMessage(agent.name, wait)),
    ]
    const mayDecide = () => decider.check(subjectOf(agent, { runId: id, approvals, user: decider.user }))
    if (requests.length === 0 || !(await isAllowed(mayDecide)))
      return { message: waiting.join('\n\n'), progress: { status: 'working' } }
    const how = `Resume it with POST /agents/${agent.id}/runs/${id}/resume { stepId, resumeData }`
    const needsRoute = requests.some(({ form }) => !form)
    const message = [...waiting, ...(needsRoute ? [how] : [])].join('\n\n')
    return { message, progress: { status: 'waiting', requests } }
  }

  async #waitsOf(id: string): Promise<readonly KeyedWait[]> {
    const { executions } = this.#deps.engine
    const row = await executions.answers.find(id)
    return row ? executions.waits(row) : []
  }

  async #continueAnswer({ agent, record }: FoundAnswer, responses: Responses): Promise<void> {
    const { engine, access, signal } = this.#deps
    const { id: runId } = record
    const { decider } = access
    const approvals = (record.approvals ?? []).flatMap((approval): ApprovalResponse[] => {
      const response = responses.get(approval.approvalId)
      // a form that was closed decides nothing
      if (!response || response.action === 'cancel') return []
      return [{ approvalId: approval.approvalId, ...readApproval(approval, response) }]
    })
    const { agents } = engine
    if (approvals.length > 0)
      await agents.advance(agent.id, {
        kind: 'respond',
        runId,
        decider,
        responses: { approvals, toolOutputs: [] },
        signal,
      })
    const accepted = acceptedIn(await this.#waitsOf(runId), responses)
    for (const [index, { wait, resumeData }] of accepted.entries()) {
      const call = { kind: 'resume', runId, decider, stepId: wait.path, resumeData, signal } as const
      if (index < accepted.length - 1) await agents.continue(agent.id, call)
      else await agents.advance(agent.id, call)
    }
  }
}

interface FoundAnswer {
  readonly agent: Agent
  readonly record: AgentRunRecord
}

function newTask(id: string, startedAt: string, tool: string): TaskState {
  return { id, tool, createdAt: startedAt, updatedAt: startedAt, progress: { status: 'working' } }
}

function outcomeOf(read: () => unknown): TaskState['progress'] {
  try {
    return { status: 'completed', value: read() }
  } catch (error) {
    return failed(error as Error)
  }
}

function failed(error: Error): TaskState['progress'] {
  return { status: 'failed', error }
}

/** For waits without data: some clients accept an empty form without showing it. */
const CONFIRMATION: JsonSchema = {
  type: 'object',
  properties: { resume: { type: 'boolean', title: 'Resume', description: 'Continue' } },
  required: ['resume'],
}

function requestOf(name: string, { key, resumeSchema, ...wait }: KeyedWait): TaskForm {
  const form = resumeSchema ? resumeForm(resumeSchema)?.schema : CONFIRMATION
  return { key, message: formMessage(name, wait), form }
}

interface AcceptedWait {
  readonly wait: KeyedWait
  readonly resumeData: unknown
}

/** The waits whose forms were filled in, with the data. */
function acceptedIn(waits: readonly KeyedWait[], responses: Responses): AcceptedWait[] {
  return waits.flatMap((wait) => {
    const response = responses.get(wait.key)
    if (response?.action !== 'accept' || !isForPeople(wait.reason)) return []
    const content = response.content ?? {}
    const { resumeSchema } = wait
    if (!resumeSchema) return Reflect.get(content, 'resume') === true ? [{ wait, resumeData: undefined }] : []
    const form = resumeForm(resumeSchema)
    return form ? [{ wait, resumeData: form.unwrap(content) }] : []
  })
}

async function isAllowed(check: () => Promise<void>): Promise<boolean> {
  try {
    await check()
    return true
  } catch (error) {
    if (isAppError(error, 'forbidden') || isAppError(error, 'not_found')) return false
    throw error
  }
}

function isAppError(error: unknown, code: AppError['code']): error is AppError {
  return error instanceof AppError && error.code === code
}

function notFound(id: string): AppError {
  return new AppError('not_found', `Task not found: ${id}`)
}
