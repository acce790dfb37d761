import type { Agent } from '../../../agent/agent.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { AgentRunRow } from '../../../store/agent-store.ts'
import type { Store } from '../../../store/store.ts'
import type { DurableOrigin } from '../durable/durable-origin.ts'
import { type AgentCall, userIdOf } from '../agent-call.ts'
import { compileSchema } from '../../../lib/schema/schema.ts'

interface RowParts {
  readonly store: Pick<Store, 'ownerEpoch'>
  readonly clock: Clock
  readonly newId: NewId
  readonly traceId: string
  readonly model: string
  readonly requester?: AgentRunRow['requester']
  readonly parentId?: string
  readonly durable?: DurableOrigin | undefined
}

/** The row of a run that starts. */
export function newRow(agent: Agent, call: AgentCall, parts: RowParts): AgentRunRow {
  const { store, clock, newId, traceId, model, requester = null, parentId = null, durable } = parts
  return {
    id: newId(),
    agentId: agent.id,
    status: 'running',
    ownerEpoch: store.ownerEpoch,
    startedAt: clock.now(),
    endedAt: null,
    userId: userIdOf(call),
    conversationId: call.options?.conversationId ?? null,
    traceId,
    input: JSON.stringify(call.input),
    output: null,
    error: null,
    model,
    usage: null,
    steps: null,
    requester,
    parentId,
    requestKey: durable?.requestKey ?? null,
    expiresAt: null,
    blockedReason: null,
    options: optionsOf(call),
  }
}

/** What is recorded of the options: what has no column of its own, and the JSON Schema of an object. */
function optionsOf({ options = {}, schema }: AgentCall): string | null {
  const { userId: _user, conversationId: _conversation, resumable: _resumable, ...rest } = options
  const recorded = { ...rest, ...(schema !== undefined && { schema: compileSchema(schema).input }) }
  const text = JSON.stringify(recorded)
  return text === '{}' ? null : text
}
