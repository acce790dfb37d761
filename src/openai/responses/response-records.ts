import type { ModelMessage } from 'ai'
import type { AgentRunRecord, AgentStep } from '../../contract/endpoints/agent.ts'
import { toModelOutput } from '../../agent/tools/model-output.ts'
import { lastMessages, withoutLeadingResults } from '../../engine/agents/agent-memory.ts'
import type { AgentResponseRecord } from '../../engine/agents/agent-history.ts'
import { AppError } from '../../lib/errors.ts'
import { isId } from '../../lib/ids.ts'
import { executionEnd, recordedEnd } from '../answer.ts'
import type { OpenaiFacts } from '../error.ts'
import type { ModelAccess, OpenaiExchange } from '../exchange.ts'
import { modelOf, requireModel } from '../models.ts'
import { invalidMember } from '../question.ts'
import { outputOf, recordId, recordOfItem } from './response-object.ts'
import type { OutputItem, ResponseMark, ShownResponse } from './response-object.ts'

/** The member of the metadata of an execution that a response has started. */
export const WORKFLOW_MARK = 'openai_response'

/** A stored response of the caller. */
export interface FoundResponse {
  readonly shown: ShownResponse
  readonly traceId: string
  readonly access: ModelAccess
  /** Its run; `undefined` for an execution of a workflow. */
  readonly run?: AgentResponseRecord | undefined
  /** The workflow of an execution. */
  readonly workflowId?: string
}

/**
 * A response of the caller. Those of others do not exist.
 *
 * @throws AppError `not_found`
 */
export async function findResponse(id: string, exchange: OpenaiExchange): Promise<FoundResponse> {
  const found = isId(recordId(id)) ? await readResponse(recordId(id), exchange).catch(asMissing) : undefined
  if (!found) throw new AppError('not_found', `Response not found: ${id}`, { beside: { param: 'id' } })
  return found
}

async function readResponse(id: string, exchange: OpenaiExchange): Promise<FoundResponse | undefined> {
  const run = await exchange.engine.history.response(id)
  return run ? ofRun(run, exchange) : ofExecution(id, exchange)
}

async function ofRun(run: AgentResponseRecord, exchange: OpenaiExchange): Promise<FoundResponse | undefined> {
  const { record, client } = run
  const { access } = await requireModel(record.agentId, exchange)
  if (access.isLimited && !isOwn(record, exchange)) return undefined
  const shown = {
    id: record.id,
    createdAt: Date.parse(record.startTime),
    mark: markIn(run),
    client,
    end: recordedEnd(record),
  }
  return { shown, traceId: record.traceId, access, run }
}

/** A user without an id can't be distinguished from others. */
function isOwn({ userId }: AgentRunRecord, { user }: OpenaiExchange): boolean {
  return user ? user.id !== undefined && user.id === userId : userId === null
}

function markIn({ response }: AgentResponseRecord): ResponseMark {
  return response as unknown as ResponseMark
}

async function ofExecution(id: string, exchange: OpenaiExchange): Promise<FoundResponse | undefined> {
  const { executions, queries } = exchange.engine
  const row = await executions.find({ executionId: id })
  const { workflowId, kind } = row
  const { [WORKFLOW_MARK]: mark } = JSON.parse(row.metadata ?? '{}') as Record<string, unknown>
  if (kind !== 'workflow' || mark === undefined) return undefined
  const model = modelOf({ kind: 'workflow', id: workflowId })
  const { access } = await requireModel(model, exchange)
  await access.toExecution('read', { executionId: id, workflowId })
  const { status, output, suspension } = await queries.detail(row)
  const end = executionEnd({ status, result: output, suspension })
  const shown = {
    id,
    createdAt: row.createdAt,
    mark: { model, ...(mark === 'background' && { background: true }), echo: {} },
    client: {},
    end,
  }
  return { shown, traceId: row.traceId, access, workflowId }
}

function asMissing(error: unknown): undefined {
  if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden'))
    return undefined
  throw error
}

/**
 * The messages of a response and of those before it, as many as the agent remembers of a conversation.
 *
 * @throws AppError `invalid_input` when there is no such response, or it has no answer.
 */
export async function earlierMessages(
  previousId: string,
  agentId: string,
  exchange: OpenaiExchange,
): Promise<readonly ModelMessage[]> {
  const agent = exchange.registry.agent(agentId)
  const first = await previousResponse(previousId, exchange)
  const isOpen = first.shown.end?.kind === 'completed' && first.shown.end.calls.length > 0
  // the calls of the client, whose results come now
  const limit = Math.max(lastMessages(agent), isOpen ? 1 : 0)
  const turns: ModelMessage[][] = []
  let count = 0
  let found: FoundResponse | undefined = first
  while (found?.run && count < limit) {
    const turn = messagesOf(found.run.record)
    turns.push(turn)
    count += turn.length
    const { previous }: ResponseMark = found.shown.mark
    // what retention or its user has deleted is forgotten
    found = previous === undefined ? undefined : await readResponse(previous, exchange).catch(asMissing)
  }
  const messages = turns.toReversed().flat()
  return withoutLeadingResults(messages.slice(Math.max(messages.length - limit, 0)))
}

async function previousResponse(id: string, exchange: OpenaiExchange): Promise<FoundResponse> {
  const param = 'previous_response_id'
  const found = await findResponse(id, exchange).catch(asMissing)
  if (!found?.run)
    throw new AppError('invalid_input', `Previous response with id "${id}" not found`, {
      beside: { param, code: 'previous_response_not_found' } satisfies OpenaiFacts,
    })
  const { end } = found.shown
  if (end?.kind === 'completed' || end?.kind === 'blocked') return found
  const why = end ? (end.kind === 'waiting' ? 'waits' : `is ${end.kind}`) : 'is in progress'
  throw invalidMember(param, `The response ${id} ${why}: only one that is complete can be continued`)
}

/** The new messages of a run and its answer, if it was shown. */
function messagesOf({ input, steps, reason, output }: AgentRunRecord): ModelMessage[] {
  if (reason !== undefined || !Array.isArray(input)) return []
  const answer = steps.flatMap((step) => stepMessages(step))
  if (answer.length === 0 && output !== null)
    answer.push({ role: 'assistant', content: typeof output === 'string' ? output : JSON.stringify(output) })
  return [...(input as ModelMessage[]), ...answer]
}

function stepMessages({ text, toolCalls, toolResults }: AgentStep): ModelMessage[] {
  const calls = toolCalls.map((call) => ({ type: 'tool-call' as const, ...call }))
  const results = toolResults.map(({ toolCallId, toolName, output, error }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: error === undefined ? toModelOutput(output) : ({ type: 'error-text', value: error } as const),
  }))
  const content = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls]
  return [
    ...(content.length > 0 ? [{ role: 'assistant' as const, content }] : []),
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
  ]
}

/**
 * An item of a stored response of the caller.
 *
 * @throws AppError `not_found`
 */
export async function findItem(itemId: string, exchange: OpenaiExchange): Promise<OutputItem> {
  const id = recordOfItem(itemId)
  const found = id === undefined ? undefined : await readResponse(id, exchange).catch(asMissing)
  const item = found && outputOf(found.shown.end, found.shown.id).find((one) => one.id === itemId)
  if (!item)
    throw new AppError('not_found', `Item with id "${itemId}" not found`, { beside: { param: 'input' } })
  return item
}
