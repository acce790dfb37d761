import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import type { StepTime } from '../../usage-store.ts'
import { isWorkflowLevel } from '../../execution-store.ts'
import type { ExecutionChange, ExecutionRow, ExecutionWrite } from '../../execution-store.ts'
import { CHANGE_COLUMNS, EXECUTION_COLUMNS } from '../../rows/executions/execution-columns.ts'
import { journalTexts } from '../../rows/executions/journal-row.ts'
import type { StepEntry } from '../../rows/executions/journal-row.ts'
import { escapeNul } from '../escape-nul.ts'

/** The change of one execution, as the function `write_executions` takes it. */
interface BatchPart {
  /** Position in the batch. */
  readonly place: number
  /** Parts of one unit are applied together or not at all: the place of the first of them. */
  readonly unit: number
  /** Parts that change the same execution are in different rounds, which follow each other. */
  readonly round: number
  readonly id: string
  /** The row by its column names. */
  readonly insert?: Readonly<Record<string, unknown>>
  readonly payload?: Pick<ExecutionRow, 'input' | 'context' | 'user'>
  readonly condition?: {
    readonly status: string
    readonly ownerEpoch?: number
    readonly lastSequence?: number
  }
  /** Changed columns by their names. */
  readonly set?: Readonly<Record<string, unknown>>
  /** JSON array. */
  readonly steps?: string
  /** JSON array. */
  readonly events?: string
  /** Sequence number of the first event, unless the numbers count from the last stored one. */
  readonly first?: number
  /** Sequence number of the last event. */
  readonly last?: number
  readonly appends?: boolean
  readonly milestone?: boolean
  /** What the part adds to the counts of hours. */
  readonly counts?: readonly { readonly hour: number; readonly counted: string }[]
  /** Steps that have ended. */
  readonly times?: readonly StepEnd[]
  /** Shows when the write is sent again whether it was stored. Without one it can be applied twice. */
  readonly token?: number
}

/** A step that has ended. */
interface StepEnd {
  readonly day: number
  readonly workflow_id: string
  readonly step: string
  readonly bucket: number
  readonly failed: boolean
}

export interface ExecutionBatch {
  /** JSON array of BatchPart. */
  readonly writes: string
  /** Of each write, in their order. */
  readonly units: readonly number[]
}

const ENDS: Readonly<Record<string, string>> = {
  completed: 'completed',
  error: 'errors',
  cancelled: 'cancelled',
}

/** What jsonb refuses: NUL and lone surrogates, as JSON.stringify writes them. */
const REFUSED = /(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][\da-f]{2})/g

export function executionBatch(writes: readonly ExecutionWrite[]): ExecutionBatch {
  const parts: BatchPart[] = []
  const rounds = new Map<string, number>()
  const units = writes.map((write) => {
    const unit = parts.length
    const members = withFollowers(write)
    const round = Math.max(...members.map(({ id }) => rounds.get(id) ?? 0))
    for (const member of members) {
      rounds.set(member.id, round + 1)
      parts.push({ place: parts.length, unit, round, ...partOf(member) })
    }
    return unit
  })
  return { writes: storableJson(JSON.stringify(parts)), units }
}

/** A write and those that belong together with it. */
export function withFollowers(write: ExecutionWrite): ExecutionWrite[] {
  return [write, ...(write.together ?? []).flatMap((other) => withFollowers(other))]
}

function partOf(write: ExecutionWrite): Omit<BatchPart, 'place' | 'unit' | 'round'> {
  const { id, insert, update } = write
  const { steps = [], events = [], cancelStepsAt, uncounted = false } = write
  const { stepTimes = [] } = uncounted ? {} : write
  const changes = cancelStepsAt === undefined ? steps : [...steps, { cancelOpenAt: cancelStepsAt }]
  const counts = uncounted ? [] : countsOf(write)
  const isEntry = changes.length > 0 || events.length > 0
  return {
    id: escapeNul(id),
    ...(insert && {
      insert: insertedColumns(insert),
      payload: { input: insert.input, context: insert.context, user: insert.user },
    }),
    ...(update && {
      condition: {
        status: update.from,
        ...(update.ownerEpoch !== undefined && { ownerEpoch: update.ownerEpoch }),
        ...(update.lastSequence !== undefined && { lastSequence: update.lastSequence }),
      },
    }),
    ...(!insert && { set: update ? changedColumns(update.set) : {} }),
    ...entryOf(changes, write),
    ...(counts.length > 0 && { counts }),
    ...(stepTimes.length > 0 && { times: stepTimes.map((time) => stepEnd(time)) }),
    ...((insert || isEntry || update?.set.ownerEpoch !== undefined) && { token: newToken() }),
  }
}

function entryOf(changes: readonly StepEntry[], write: ExecutionWrite): Partial<BatchPart> {
  const { appends, milestone, events = [] } = write
  const texts = journalTexts(changes, events, write)
  const steps = changes.length > 0 ? { steps: texts.steps } : {}
  const [first] = events
  const last = events.at(-1)
  if (!first || !last) return steps
  return {
    ...steps,
    events: texts.events,
    last: last.seq,
    ...(appends ? { appends } : { first: first.seq }),
    milestone: milestone || events.some((event) => isWorkflowLevel(event)),
  }
}

function countsOf({ insert, update }: ExecutionWrite): { hour: number; counted: string }[] {
  const { status, endedAt } = update?.set ?? insert ?? {}
  const end = status && ENDS[status]
  return [
    ...(insert ? [{ hour: hourOf(insert.createdAt), counted: 'started' }] : []),
    ...(end !== undefined && typeof endedAt === 'number' ? [{ hour: hourOf(endedAt), counted: end }] : []),
  ]
}

function stepEnd({ workflowId, step, endedAt, bucket, failed }: StepTime): StepEnd {
  return { day: Math.floor(endedAt / DAY_MS), workflow_id: workflowId, step, bucket, failed }
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS)
}

function insertedColumns(row: ExecutionRow): Record<string, unknown> {
  const columns = EXECUTION_COLUMNS.map(([column, key]) => [
    column,
    isPlain(key) ? escapeNul(row[key]) : row[key],
  ])
  return { ...(Object.fromEntries(columns) as object), origin_id: originOf(row.forkedFrom) }
}

/** Columns whose text is not JSON, in which NUL is escaped. */
const PLAIN_COLUMNS = [
  'id',
  'workflowId',
  'workflowName',
  'userId',
  'conversationId',
  'parentId',
  'definitionHash',
  'traceId',
  'spanId',
  'scheduleId',
] as const satisfies readonly (keyof ExecutionRow)[]

function isPlain(key: keyof ExecutionRow): key is (typeof PLAIN_COLUMNS)[number] {
  return (PLAIN_COLUMNS as readonly string[]).includes(key)
}

/** The id in `forkedFrom`; null if there is none, or the record is damaged. */
function originOf(forkedFrom: string | null): string | null {
  if (forkedFrom === null) return null
  try {
    const { executionId } = JSON.parse(forkedFrom) as { executionId?: unknown }
    return typeof executionId === 'string' ? escapeNul(executionId) : null
  } catch {
    return null
  }
}

function changedColumns(set: ExecutionChange): Record<string, unknown> {
  const keys = Object.keys(set) as (keyof ExecutionChange)[]
  return Object.fromEntries(keys.map((key) => [CHANGE_COLUMNS[key], set[key] ?? null]))
}

function newToken(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
}

/** JSON that jsonb can hold: lone surrogates are replaced, as in any UTF-8; a NUL in JSON text becomes its escape. */
export function storableJson(json: string): string {
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json
  return json.replaceAll(REFUSED, (_, before: string, code: string) =>
    code === '0000' ? `${before}\\\\u0000` : `${before}\ufffd`,
  )
}
