import { z } from 'zod'
import type { Agent } from '../agent/agent.ts'
import type { AnswerFormat } from '../agent/answer/formats/answer-format.ts'
import { textFormat } from '../agent/answer/formats/text-format.ts'
import type { ApprovalResponse } from '../agent/answer/waiting/resumed-answer.ts'
import { isClientTool } from '../agent/tools/tool.ts'
import type { Decider } from '../contract/access/decision.ts'
import { recordUserId } from '../contract/access/user-key.ts'
import type { AgentStreamPart } from '../contract/agent-event.ts'
import type { User } from '../contract/auth.ts'
import type { ClientCall } from '../engine/agents/agent-call.ts'
import type { AgentHistory } from '../engine/agents/agent-history.ts'
import type { Agents, ContinueCall } from '../engine/agents/agents.ts'
import { AppError } from '../lib/errors.ts'
import { formatIssues } from '../lib/schema/schema.ts'
import { readIssues } from '../lib/schema/standard-validation.ts'
import type { TraceScope } from '../lib/telemetry/trace-scope.ts'
import { runEvents, waitIn } from './run-events.ts'
import type { AgUiEvent } from './run-events.ts'
import { readRunInput } from './run-input.ts'
import type { RunAgentInput } from './run-input.ts'
import { additionsIn, modelMessages, toolOutputs } from './run-request.ts'

export interface AgUiRequest {
  /** The JSON body, or the error that describes why it is not JSON. */
  readonly body: unknown
  readonly agent: Agent
  readonly agents: Agents
  readonly history: AgentHistory
  readonly user: User | undefined
  /** The user as somebody who responds to interrupts. */
  readonly decider: Decider
  /** Rejects with AppError when the user may not use a conversation. */
  readonly checkConversation: (id: string) => Promise<void>
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal
  readonly trace: TraceScope
}

/** The parts of an answer, the last of which has the calls of tools of the front end that it waits for. */
const FORMAT: AnswerFormat<AgentStreamPart> = {
  ...textFormat,
  finished: (generated, run) => ({
    ...(textFormat.finished(generated, run) as Extract<AgentStreamPart, { type: 'finish' }>),
    ...(generated.pending && { pendingCalls: [...generated.pending.toolCalls] }),
  }),
}

/**
 * Starts a run, or continues the one that a request responds to, and returns its events.
 *
 * @throws AppError what is wrong with the request, and what its start throws.
 */
export async function startRun(request: AgUiRequest): Promise<AsyncGenerator<AgUiEvent>> {
  const input = await readRunInput(request.body)
  await request.checkConversation(input.threadId)
  return runEvents(input, await partsOf(input, request))
}

async function partsOf(
  input: RunAgentInput,
  request: AgUiRequest,
): Promise<AsyncGenerator<AgentStreamPart> | undefined> {
  const { agent, agents, decider } = request
  const call = callOf(input, request)
  const { approvals, waits, cancelled } = resumesIn(input)
  if (cancelled.length > 0) return cancelRuns(cancelled, input, request)
  const outputs = toolOutputs(input.messages)
  const continued: ContinueCall[] = waits.map((wait) => ({ ...wait, kind: 'resume', decider }))
  if (approvals.length + outputs.length > 0) {
    const explicit = new Set(approvals.map(({ approvalId }) => approvalId))
    const responses = { approvals, toolOutputs: outputs, explicit, messageId: undefined }
    const responded = await agents.respondedChat(agent.id, call, responses)
    if (responded) continued.push({ ...responded, kind: 'respond', decider })
  }
  const last = continued.pop()
  if (!last) return agents.stream(agent.id, call, FORMAT)
  // each continues until it waits for the next
  for (const one of continued) await agents.continue(agent.id, { ...one, signal: call.signal })
  return agents.continueStreamed(agent.id, { ...last, signal: call.signal, format: () => FORMAT })
}

function callOf(input: RunAgentInput, { agent, user, signal, trace }: AgUiRequest): ClientCall {
  const messages = modelMessages(input.messages)
  if (messages.length === 0 && !input.resume?.length)
    throw new AppError('invalid_input', 'messages: Must have one of the user')
  const declared = new Set(agent.tools.filter((tool) => isClientTool(tool)).map(({ name }) => name))
  const { threadId, state, context, forwardedProps } = input
  return {
    input: messages,
    inputPath: 'messages',
    options: {
      conversationId: threadId,
      context: { state: state as unknown, context, forwardedProps: forwardedProps as unknown },
    },
    client: additionsIn(input, declared),
    waits: { approvals: true, clientTools: true },
    user,
    signal,
    trace,
    delivery: 'stream',
  }
}

interface WaitResume {
  readonly runId: string
  readonly stepId: string
  readonly resumeData: unknown
}

interface Resumes {
  readonly approvals: ApprovalResponse[]
  readonly waits: WaitResume[]
  /** The ids of runs whose waits the user does not respond to. */
  readonly cancelled: string[]
}

/** The payload for an interrupt of an approval, as its `responseSchema` says. */
const ApprovalPayload = z.object(
  {
    approved: z.boolean(),
    reason: z.string().max(10_000).optional(),
    input: z.unknown().optional(),
  },
  { error: 'Must be as the responseSchema of the interrupt' },
)

/** @throws AppError `invalid_input` naming the member. */
function resumesIn({ resume = [] }: RunAgentInput): Resumes {
  const resumes: Resumes = { approvals: [], waits: [], cancelled: [] }
  for (const [index, { interruptId, status, payload }] of resume.entries()) {
    const wait = waitIn(interruptId)
    if (wait && status === 'cancelled') resumes.cancelled.push(wait.runId)
    else if (wait) resumes.waits.push({ ...wait, resumeData: payload as unknown })
    else if (status === 'cancelled')
      resumes.approvals.push({ approvalId: interruptId, approved: false, reason: 'Cancelled' })
    else {
      const { success, data, error } = ApprovalPayload.safeParse(payload)
      if (!success)
        throw new AppError(
          'invalid_input',
          formatIssues(readIssues(error.issues, payload, 'zod'), `resume[${index}].payload`),
        )
      const { approved, reason, input } = data
      resumes.approvals.push({
        approvalId: interruptId,
        approved,
        ...(reason !== undefined && { reason }),
        ...(input !== undefined && { input }),
      })
    }
  }
  return resumes
}

/** A tool that waits in its middle has no way on without data: its run ends. */
async function cancelRuns(
  runIds: readonly string[],
  { threadId }: RunAgentInput,
  { agent, agents, history, user }: AgUiRequest,
): Promise<undefined> {
  for (const id of new Set(runIds)) {
    const filter = { id, agentId: agent.id, conversationId: threadId, userId: recordUserId(user, undefined) }
    const [run] = await history.list(filter, { limit: 1, offset: 0 })
    if (!run) throw new AppError('not_found', `Run not found: ${id}`)
    await agents.cancel(id)
  }
}
