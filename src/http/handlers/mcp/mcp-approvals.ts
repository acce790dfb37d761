import type { Logger } from 'pino'
import type { Agent } from '../../../agent/agent.ts'
import type { ApprovedInput } from '../../../agent/tools/call-tool-for-client.ts'
import type { Elicit, ElicitRequest, ElicitResult } from '../../../agent/tools/elicitation.ts'
import type { Tool } from '../../../agent/tools/tool.ts'
import type { ApprovalResponse } from '../../../agent/answer/waiting/resumed-answer.ts'
import { Decision } from '../../../contract/access/decision.ts'
import type { Decider, DecisionSubject } from '../../../contract/access/decision.ts'
import { userKey } from '../../../contract/access/user-key.ts'
import type { User } from '../../../contract/auth.ts'
import type { ToolApproval } from '../../../contract/agent-event.ts'
import type { AgentAnswer, AgentObject } from '../../../contract/endpoints/agent.ts'
import type { ClientCall } from '../../../engine/agents/agent-call.ts'
import type { Agents } from '../../../engine/agents/agents.ts'
import { AppError, messageOf } from '../../../lib/errors.ts'
import { compileSchema } from '../../../lib/schema/schema.ts'
import type { InferOutput, JsonSchema, Schema } from '../../../lib/schema/schema.ts'
import { pendingCalls } from '../../../contract/pending-call.ts'
import { resumeForm } from '../../../mcp/served/resume-form.ts'
import type { TaskResponse } from '../../../mcp/served/task.ts'
import { formMessage } from './form-message.ts'

const APPROVED = { type: 'boolean', title: 'Approve', description: 'Execute the tool' }

/** What waits for the decisions of an MCP client's user, who is shown forms. */
export interface AskedUser {
  readonly elicit: Elicit
  readonly decider: Decider
  readonly subject: DecisionSubject
}

/**
 * The user of an MCP client, if the client can show forms and the user may decide. A user who may not is shown no form:
 * the client counts as one that can't show any.
 */
export async function userToAsk(
  elicit: Elicit | undefined,
  decider: Decider,
  subject: DecisionSubject,
): Promise<AskedUser | undefined> {
  if (!elicit) return undefined
  try {
    await decider.check(subject)
    return { elicit, decider, subject }
  } catch (error) {
    if (error instanceof AppError && (error.code === 'forbidden' || error.code === 'not_found'))
      return undefined
    throw error
  }
}

/** The function with which a tool requests forms. */
export function formsOf({ elicit, decider, subject }: AskedUser): Elicit {
  return async <S extends Schema>(request: ElicitRequest<S>): Promise<ElicitResult<InferOutput<S>>> => {
    const result = await elicit(request)
    if (result.action === 'accept') await Decision.decide(decider, subject)
    return result
  }
}

/** Requests the approval of a direct call. `undefined`: it was denied. */
export async function requestCallApproval(
  { elicit, decider, subject }: AskedUser,
  tool: Tool,
  input: unknown,
): Promise<ApprovedInput | undefined> {
  const approved = await requestToolApproval(elicit, tool, input)
  return approved && { ...approved, approval: await Decision.decide(decider, subject) }
}

/**
 * Requests the approval of a call from the user of an MCP client. Arguments that fit a form can be edited.
 *
 * @returns the arguments; `undefined` when the call is denied
 */
async function requestToolApproval(
  elicit: Elicit,
  tool: FormTool,
  input: unknown,
): Promise<Pick<ApprovedInput, 'input'> | undefined> {
  return approvedInput(await elicit(callForm(tool, input)), input)
}

type FormTool = Pick<Tool, 'name'> & Partial<Pick<Tool, 'inputSchema'>>

interface Form {
  readonly message: string
  readonly schema: JsonSchema
}

function callForm({ name, inputSchema }: FormTool, input: unknown): Form {
  const message = `Approve the call of ${name}?\n\n${JSON.stringify(input, null, 2)}`
  const fields = inputSchema ? editableFields(compileSchema(inputSchema).input, input) : {}
  const properties = { approved: APPROVED, ...fields }
  return { message, schema: { type: 'object', properties, required: ['approved'] } }
}

function approvedInput(answer: FormResponse, input: unknown): Pick<ApprovedInput, 'input'> | undefined {
  if (answer.action !== 'accept') return undefined
  const { approved, ...edited } = (answer.content ?? {}) as Readonly<Record<string, unknown>>
  if (approved !== true) return undefined
  // what the form has no field for stays as it is
  return { input: isObject(input) ? { ...input, ...edited } : input }
}

type FormResponse = ElicitResult<unknown> | TaskResponse

/** The form for what an answer waits for: the approval of a call, or the form that its tool requests. */
export function approvalForm(agent: Agent, approval: ToolApproval): Form {
  const { toolName, kind, message = '', schema = NO_DATA, input } = approval
  if (kind === 'elicitation') return { message, schema }
  return callForm(toolOf(agent, approval) ?? { name: toolName }, input)
}

/** The decision in the response to such a form. */
export function readApproval(
  { kind, input }: ToolApproval,
  response: FormResponse,
): Omit<ApprovalResponse, 'approvalId'> {
  if (kind === 'elicitation')
    return response.action === 'accept'
      ? { approved: true, input: response.content ?? {} }
      : { approved: false }
  const decision = approvedInput(response, input)
  return decision ? { approved: true, input: decision.input } : { approved: false }
}

/** The arguments as fields of a form, with their values as defaults. None when a required one fits no form. */
function editableFields(schema: JsonSchema, input: unknown): Readonly<Record<string, JsonSchema>> {
  const form = schema['type'] === 'object' && isObject(input) ? resumeForm(schema) : undefined
  const fields = (form?.schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  if (!form || !isObject(input) || 'approved' in fields) return {}
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = input[name]
      return [name, value === undefined ? field : { ...field, default: value }]
    }),
  )
}

interface AnswerOptions {
  readonly call: ClientCall
  readonly asked: AskedUser
  readonly logger: Logger
}

/** The answer of an agent, whose approvals and forms the user of the MCP client decides. */
export async function answerWithApprovals(
  agents: Pick<Agents, 'text' | 'continue'>,
  agent: Agent,
  { call, asked, logger }: AnswerOptions,
): Promise<Pick<AgentAnswer, 'text' | 'reason'>> {
  const { elicit, decider } = asked
  const first = await agents.text(agent.id, call)
  const { id: runId } = first
  const respond = (approvals: readonly ApprovalResponse[]) =>
    agents.continue(agent.id, {
      kind: 'respond',
      runId,
      decider,
      responses: { approvals, toolOutputs: [] },
      signal: call.signal,
    })
  let answer: AgentAnswer | AgentObject = first
  for (;;) {
    if (!answer.approvals) {
      const resumed = await resumeByForm(agents, agent, { call, asked, logger, answer })
      if (!resumed) break
      answer = resumed
      continue
    }
    const responses: ApprovalResponse[] = []
    // whoever may not decide about a call is shown no form: the run waits for somebody else
    await decider.check(subjectOf(agent, { runId, approvals: answer.approvals, user: decider.user }))
    for (const approval of answer.approvals) {
      const response = await decide(elicit, agent, approval).catch((error: unknown) => {
        // without a decision the run would wait though its client has gone
        logger.info({ err: error, runId }, 'A request for approval was not answered')
        return { approved: false, reason: 'The user did not respond' }
      })
      responses.push({ approvalId: approval.approvalId, ...response })
    }
    answer = await respond(responses).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
      const reason = messageOf(error)
      return respond(responses.map(({ approvalId }) => ({ approvalId, approved: false, reason })))
    })
  }
  const { reason } = answer
  return { text: textWithWaits(agent, answer), ...(reason !== undefined && { reason }) }
}

type AnyAnswer = AgentAnswer | AgentObject

/** Goes on with an answer by a form for the first of its waits; `undefined` when none has one, or it was not accepted. */
async function resumeByForm(
  agents: Pick<Agents, 'continue'>,
  agent: Agent,
  { call, asked, logger, answer }: AnswerOptions & { readonly answer: AnyAnswer },
): Promise<AnyAnswer | undefined> {
  const { id: runId } = answer
  const [pending] = pendingCalls({ waits: answer.waits }) ?? []
  const { wait, schema } = pending ?? {}
  const form = resumeForm(schema ?? NO_DATA)
  if (!wait || !form) return undefined
  const response = await asked
    .elicit({ message: formMessage(agent.name, wait), schema: form.schema })
    .catch((error: unknown) => {
      // the answer keeps waiting: somebody else can resume it
      logger.info({ err: error, runId }, 'A form for resume data was not answered')
    })
  if (response?.action !== 'accept') return undefined
  const resumeData = schema && form.unwrap(response.content)
  const { decider } = asked
  const { signal } = call
  const { path: stepId } = wait
  return agents.continue(agent.id, { kind: 'resume', runId, decider, stepId, resumeData, signal })
}

const NO_DATA: JsonSchema = { type: 'object', properties: {} }

/** The text of an answer; of one that waits in the middle of tools, with what it waits for and how it is resumed. */
export function textWithWaits({ id, name }: Agent, answer: AnyAnswer): string {
  const text = 'text' in answer ? answer.text : ''
  const { id: runId, waits = [] } = answer
  if (waits.length === 0) return text
  const notes = waits.map((wait) => {
    const { path, resumeSchema, wakeAt } = wait
    const takes = resumeSchema ? `, with resumeData of the schema ${JSON.stringify(resumeSchema)}` : ''
    const byItself = wakeAt === undefined ? '' : `, continues at ${wakeAt}`
    return `${formMessage(name, wait)}\n\n(stepId: ${path}${takes}${byItself})`
  })
  const how = `The answer is suspended. Resume it with POST /agents/${id}/runs/${runId}/resume { stepId, resumeData }`
  return [...(text === '' ? [] : [text]), how, ...notes].join('\n\n')
}

interface AskedCalls {
  readonly runId: string
  readonly approvals: readonly ToolApproval[]
  readonly user: User | undefined
}

/** The calls of a run that its own user is asked about. */
export function subjectOf(agent: Agent, { runId, approvals, user }: AskedCalls): DecisionSubject {
  const approvers = approvals.map((approval) => toolOf(agent, approval)?.access?.approvedBy)
  const run = { id: runId, owner: user ? userKey(user) : null, approvers }
  return { kind: 'run', agentId: agent.id, run }
}

/** The tool of a call, unless it is one of a sub-agent or of one request. */
function toolOf(agent: Agent, { kind, agentId, toolName }: ToolApproval): Tool | undefined {
  if (kind === 'elicitation' || agentId !== agent.id) return undefined
  return agent.tools.find(({ name }) => name === toolName)
}

async function decide(
  elicit: Elicit,
  agent: Agent,
  approval: ToolApproval,
): Promise<Omit<ApprovalResponse, 'approvalId'>> {
  return readApproval(approval, await elicit(approvalForm(agent, approval)))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
