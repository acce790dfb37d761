import type { ResponseBody } from '../../contract/endpoints/openai.ts'
import { AppError } from '../../lib/errors.ts'
import {
  endError,
  executionEnd,
  openAnswer,
  wholeAnswer,
  withEarlyError,
  workflowInput,
  workflowParts,
} from '../answer.ts'
import type { ShownEnd, StreamedPart } from '../answer.ts'
import { executionHeader } from '../exchange.ts'
import type { OpenaiExchange, OpenaiReply } from '../exchange.ts'
import { requireModel } from '../models.ts'
import { callOf, invalidMember } from '../question.ts'
import { responseEvents } from './response-events.ts'
import { markOf, recordId, responseId, responseObject } from './response-object.ts'
import type { ShownResponse } from './response-object.ts'
import { lastInput, responseQuestion } from './response-question.ts'
import { findResponse, earlierMessages, WORKFLOW_MARK } from './response-records.ts'

/**
 * Answers `POST /v1/responses`.
 *
 * @throws AppError of requests that are not valid, and of answers that fail.
 */
export async function startResponse(body: ResponseBody, exchange: OpenaiExchange): Promise<OpenaiReply> {
  const { target } = await requireModel(body.model, exchange)
  const isStored = body.store !== false
  if (body.background === true && !isStored) throw invalidMember('background', 'Requires store')
  if (target.kind === 'workflow') return respondByWorkflow(target.id, body, exchange)
  const { previous_response_id: previousId } = body
  const earlier = previousId ? await earlierMessages(previousId, target.id, exchange) : []
  const question = await responseQuestion(body, earlier, exchange)
  const mark = markOf(body, previousId ? recordId(previousId) : undefined)
  const call = {
    ...callOf(question, exchange),
    inputPath: 'input',
    earlier,
    ...(isStored && { response: { ...mark } }),
  }
  const { client = {} } = call
  const { engine, signal, newId } = exchange
  const shown = (runId: string) => ({
    // without its record it has no id by which it could be found
    id: isStored ? runId : newId(),
    createdAt: exchange.now(),
    mark,
    client,
    isStored,
  })
  if (body.background === true) return inBackground(shown, { body, exchange, call, agentId: target.id })
  if (body.stream === true) {
    const opened = await openAnswer(engine.agents, target.id, { ...call, signal })
    return streamed(opened.id, await withEarlyError(opened), shown(opened.id))
  }
  const { id, end } = await wholeAnswer(engine.agents, target.id, { ...call, signal })
  return whole(id, { ...shown(id), end })
}

interface Background {
  readonly body: ResponseBody
  readonly exchange: OpenaiExchange
  readonly call: ReturnType<typeof callOf>
  readonly agentId: string
}

/** A recorded answer, which continues without its client and after a crash. */
async function inBackground(
  shown: (runId: string) => Omit<ShownResponse, 'end' | 'output'>,
  { body, exchange, call, agentId }: Background,
): Promise<OpenaiReply> {
  const { agents } = exchange.engine
  const recorded = { ...call, options: { ...call.options, resumable: true } }
  if (body.stream === true) {
    const opened = await openAnswer(agents, agentId, { ...recorded, signal: exchange.signal })
    return streamed(opened.id, opened.parts, shown(opened.id))
  }
  const { id, parts } = await openAnswer(agents, agentId, {
    ...recorded,
    signal: new AbortController().signal,
  })
  void readToEnd(parts)
  return whole(id, { ...shown(id), end: undefined })
}

/** Its end is in the record, also when it can't be read here. */
async function readToEnd(parts: AsyncGenerator<StreamedPart>): Promise<void> {
  try {
    while ((await parts.next()).done !== true);
  } catch {
    await parts.return(undefined)
  }
}

async function respondByWorkflow(
  workflowId: string,
  body: ResponseBody,
  exchange: OpenaiExchange,
): Promise<OpenaiReply> {
  const { engine, user, trace, hasUsers, newId, now } = exchange
  if (body.previous_response_id) throw invalidMember('previous_response_id', 'Is not supported by workflows')
  const input = workflowInput(lastInput(body))
  const isStored = body.store !== false
  const metadata = {
    ...body.metadata,
    ...(isStored && { [WORKFLOW_MARK]: body.background === true ? 'background' : 'stored' }),
  }
  const userId = hasUsers ? undefined : (body.user ?? undefined)
  const started = await engine.executions.execute(workflowId, input, { user, userId, trace, metadata })
  const { executionId } = started
  const shown = {
    id: isStored ? executionId : newId(),
    createdAt: now(),
    mark: markOf(body, undefined),
    client: {},
    isStored,
  }
  if (body.stream === true) {
    await started.stored()
    return streamed(executionId, workflowParts(started.result), shown)
  }
  if (body.background === true) {
    await started.stored()
    return whole(executionId, { ...shown, end: undefined })
  }
  const end = executionEnd(await started.result())
  return whole(executionId, { ...shown, end })
}

function whole(id: string, response: ShownResponse): OpenaiReply {
  const { end } = response
  if (end?.kind === 'failed' || end?.kind === 'cancelled') throw endError(end)
  return { kind: 'json', body: responseObject(response), headers: executionHeader(id) }
}

function streamed(
  id: string,
  parts: AsyncGenerator<StreamedPart>,
  response: Omit<ShownResponse, 'end' | 'output'>,
): OpenaiReply {
  return { kind: 'stream', events: responseEvents(parts, response), headers: executionHeader(id) }
}

/** Answers `GET /v1/responses/:id`. */
export async function getResponse(id: string, exchange: OpenaiExchange): Promise<OpenaiReply> {
  const { shown } = await findResponse(id, exchange)
  return { kind: 'json', body: responseObject(shown) }
}

/** Answers `POST /v1/responses/:id/cancel`. One that has ended is returned as it is. */
export async function cancelResponse(id: string, exchange: OpenaiExchange): Promise<OpenaiReply> {
  const found = await findResponse(id, exchange)
  if (!hasEnded(found.shown.end)) await cancelRecord(found, exchange)
  return getResponse(id, exchange)
}

function hasEnded(end: ShownEnd | undefined): boolean {
  return end !== undefined && end.kind !== 'waiting'
}

async function cancelRecord(
  { shown: { id }, workflowId, access }: Awaited<ReturnType<typeof findResponse>>,
  { engine, user }: OpenaiExchange,
): Promise<void> {
  if (workflowId === undefined) {
    await engine.agents.cancel(id)
    return
  }
  const ref = { executionId: id, workflowId }
  await access.toExecution('cancel', ref)
  try {
    await engine.executions.cancel(ref, undefined, { user })
  } catch (error) {
    // it has ended meanwhile
    if (!(error instanceof AppError) || error.code !== 'not_cancellable') throw error
  }
}

/** Answers `DELETE /v1/responses/:id`. One that has not ended is cancelled first. */
export async function deleteResponse(id: string, exchange: OpenaiExchange): Promise<OpenaiReply> {
  const found = await findResponse(id, exchange)
  const { shown, traceId, workflowId } = found
  const isOpen = !hasEnded(shown.end)
  if (workflowId !== undefined)
    await found.access.toExecution('delete', { executionId: shown.id, workflowId })
  if (isOpen) await cancelRecord(found, exchange)
  const { erasure } = exchange.engine
  const records =
    workflowId === undefined
      ? await erasure.ofRuns([{ id: shown.id, traceId, isOpen }])
      : await erasure.ofExecution({ executionId: shown.id, workflowId })
  await exchange.erase(records)
  return { kind: 'json', body: { id: responseId(shown.id), object: 'response.deleted', deleted: true } }
}
