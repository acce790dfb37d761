import type { ForwardParts, LivePart, PartListener } from '../../../agent/answer/live/part-listener.ts'
import { partListener } from '../../../agent/answer/live/part-listener.ts'
import { isInRound, stepIdAt } from '../../../contract/step-path.ts'
import type { EventHub } from '../../../lib/async/event-hub.ts'
import type { LiveItem } from '../../../lib/async/live-queue.ts'
import { toIso } from '../../../lib/clock.ts'
import { eventRow } from '../../record/execution-events.ts'
import type { EventDraft } from '../../record/execution-events.ts'
import type { DurableRecord } from '../../record/execution-record.ts'

interface LiveAnswerOptions {
  readonly record: Pick<DurableRecord, 'id' | 'now' | 'sequence'>
  /** The path of the step that asks. */
  readonly path: string
  readonly forwardParts: ForwardParts | undefined
}

/** Sends what happens in the answer to a step to those who follow its execution now. It is not stored. */
export function liveAnswer(
  live: EventHub<LiveItem>,
  { record, path, forwardParts }: LiveAnswerOptions,
): PartListener {
  const { id: executionId } = record
  const stepId = stepIdAt(path)
  const place = { stepId, ...((isInRound(path) || path !== stepId) && { path }) }
  const send = (part: LivePart) => {
    const { type, fields, json } = draftOf(part)
    const draft = { type, fields: { ...place, agentId: part.agentId, runId: part.runId, ...fields }, json }
    const { sequence: after } = record
    const { data } = eventRow(draft, { executionId, seq: after, timestamp: toIso(record.now()) })
    live.publish(executionId, { after, data })
  }
  return partListener(
    { isReading: () => live.has(executionId), send },
    ['text', 'calls', 'reports'],
    forwardParts,
  )
}

type Draft = Required<Pick<EventDraft, 'type' | 'fields' | 'json'>>

function draftOf(part: LivePart): Draft {
  if (part.kind === 'text') return { type: 'agent-delta', fields: { id: part.id, text: part.text }, json: {} }
  const { toolCallId, toolName } = part
  const call = { toolCallId, toolName }
  switch (part.kind) {
    case 'call':
      return { type: 'agent-tool-call', fields: call, json: { input: part.input } }
    case 'result': {
      const { output, error, isPreliminary } = part
      const fields = {
        ...call,
        ...(error !== undefined && { error }),
        ...(isPreliminary && { preliminary: true }),
      }
      return { type: 'agent-tool-result', fields, json: output === undefined ? {} : { output } }
    }
    case 'report': {
      const { type: name, id, transient, data } = part
      const fields = { ...call, name, ...(id !== undefined && { id }), ...(transient && { transient }) }
      return { type: 'agent-data', fields, json: { data } }
    }
  }
}
