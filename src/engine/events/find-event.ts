import type { Logger } from 'pino'
import type { StepRow } from '../../store/execution-store.ts'
import type { Store } from '../../store/store.ts'
import type { NumberedEvent, SentEventRow } from '../../store/event-store.ts'
import { encodeValue, SchemaMismatchError } from '../record/values.ts'
import type { Callers } from '../../contract/access/callers.ts'
import { openTo } from '../registry.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { CompiledSchema, JsonSchema } from '../../lib/schema/schema.ts'
import type { SuspendRequest } from '../run/step-task.ts'
import type { FoundEvent } from '../run/steps/wait-for-event.ts'
import { startedIdOf } from './started-id.ts'
import { mayCause, senderOf } from './senders.ts'
import type { MayReceive, Receiver } from './senders.ts'

/** Events that are read at once. */
const BATCH = 100

/** What the search for events needs. */
export interface EventSearchDeps {
  readonly store: Store
  readonly logger: Logger
  /** How long before a wait begins its event may come, in milliseconds. */
  readonly eventsMs: number
  readonly mayReceive: MayReceive
  /** The maximum size of a step's result as JSON, in bytes. */
  readonly resultBytes: number
}

interface Waiting {
  readonly execution: Receiver
  readonly workflow: RegisteredWorkflow
  /** Ids of the events that the execution has taken. */
  readonly taken: readonly string[]
}

/** The stored event, and its form for a step. */
export interface FoundEventRow extends FoundEvent {
  readonly event: NumberedEvent
}

/**
 * The oldest event for a step which waits. Events that the step's schema refuses, which came before the step waited, and
 * those whose sender may not resume the execution or send to the step, are passed over.
 */
export async function findEvent(
  deps: EventSearchDeps,
  { execution, workflow, taken }: Waiting,
  step: StepRow,
): Promise<FoundEventRow | undefined> {
  const { event: name, eventKey: key, path, startedAt } = step
  if (name === null) return undefined
  const since = startedAt - deps.eventsMs
  for (let after = 0; ;) {
    const range = { since, after, limit: BATCH, except: taken }
    const events = await deps.store.events.list({ name, key }, range)
    for (const event of events) {
      // it waits for the next one
      if (execution.id === startedIdOf(workflow.definition.id, event.id)) continue
      if (!(await isReceiver(deps, event, { execution, openTo: openTo(workflow, step) }))) continue
      const data = await dataFor(deps, event, { workflow, step })
      if (data !== undefined) return { id: event.id, data, event }
      const ids = { executionId: execution.id, eventId: event.id }
      deps.logger.debug(ids, `The event "${name}" does not match the schema of the step at ${path}`)
    }
    const last = events.at(-1)
    if (!last || events.length < BATCH) return undefined
    after = last.number
  }
}

interface Wait {
  readonly execution: Receiver
  /** Who may send it; `undefined` while the workflow does not have the step. */
  readonly openTo: Callers | undefined
}

/** Whether an event may resume an execution that waits for it. */
export async function isReceiver(
  { mayReceive }: Pick<EventSearchDeps, 'mayReceive'>,
  event: Pick<SentEventRow, 'sender'>,
  { execution, openTo: callers }: Wait,
): Promise<boolean> {
  return mayCause(senderOf(event), callers, (sender) => mayReceive(sender, execution, 'resume'))
}

async function dataFor(
  { resultBytes: limit }: EventSearchDeps,
  { data }: NumberedEvent,
  {
    workflow,
    step: { path, suspendData },
  }: { readonly workflow: RegisteredWorkflow; readonly step: StepRow },
): Promise<string | undefined> {
  const place = workflow.placeAt(path)
  const schema = place ? workflow.schemasOf(place.step).resume : ownSchema(suspendData)
  if (!schema) return data
  try {
    return await encodeValue(JSON.parse(data), { name: 'event data', schema, limit })
  } catch (error) {
    if (error instanceof SchemaMismatchError) return undefined
    throw error
  }
}

/** The schema of the data of a recorded call, which its record has. */
export function ownSchema(suspendData: string | null): CompiledSchema | undefined {
  const { resumeSchema } = JSON.parse(suspendData ?? '{}') as Partial<SuspendRequest>
  return resumeSchema ? compileSchema(resumeSchema as JsonSchema) : undefined
}
