import type {
  EventRange,
  EventRow,
  ExecutionHistory,
  ExecutionRow,
  OwnershipRow,
  StepRow,
} from '../../execution-store.ts'
import { eventsOf, foldSteps, historyOf, workflowLevelEvents } from '../../rows/executions/journal-row.ts'
import type { HistoryRow, JournalRow } from '../../rows/executions/journal-row.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'
import {
  EXECUTION_ROW,
  HISTORY_ROW,
  MAX_OCTETS,
  commitsOf,
  commitsUpTo,
  originalRow,
  stepsOf,
} from './execution-rows.ts'
import type { StoredCommits } from './execution-rows.ts'

const FROM = 'FROM executions e JOIN payloads p ON p.execution = e.number'

const NUMBER_OF_ID = '(SELECT number FROM executions WHERE id = $1)'

/** Queries of one execution, each a single round trip. */
export class PostgresExecutionReader {
  readonly #database: PostgresQueries

  constructor(database: PostgresQueries) {
    this.#database = database
  }

  async get(id: string): Promise<ExecutionRow | undefined> {
    const text = `SELECT ${EXECUTION_ROW} ${FROM} WHERE e.id = $1`
    const row = await this.#one<ExecutionRow>('execution', text, id)
    return row && originalRow(row)
  }

  async ownership(id: string): Promise<OwnershipRow | undefined> {
    const row = await this.#one<OwnershipRow>(
      'execution_ownership',
      'SELECT id, workflow_id AS "workflowId", parent_id AS "parentId", owner FROM executions WHERE id = $1',
      id,
    )
    return row && originalRow(row)
  }

  async history(id: string): Promise<ExecutionHistory | undefined> {
    const text = `SELECT ${HISTORY_ROW} ${FROM} WHERE e.id = $1`
    const row = await this.#one<HistoryRow>('execution_history', text, id)
    return row && historyOf(originalRow(row))
  }

  async steps(id: string): Promise<StepRow[]> {
    const text = `SELECT ${stepsOf(NUMBER_OF_ID)} AS steps`
    const found = await this.#one<Pick<HistoryRow, 'steps'>>('execution_steps', text, id)
    return foldSteps(found?.steps ?? null)
  }

  async workflowEvents(id: string): Promise<EventRow[]> {
    const text = `SELECT w.* FROM executions e CROSS JOIN LATERAL (${commitsUpTo('e.last_sequence')}) w WHERE e.id = $1`
    const found = await this.#one<StoredCommits>('workflow_events', text, id)
    return found ? workflowLevelEvents(commitsOf(found)) : []
  }

  async lastSequence(id: string): Promise<number> {
    const text = 'SELECT last_sequence AS "lastSequence" FROM executions WHERE id = $1'
    return (await this.#one<{ lastSequence: number }>('last_sequence', text, id))?.lastSequence ?? 0
  }

  async openChildren(id: string): Promise<string[]> {
    const rows = await this.#database.rows<{ id: string }>({
      name: 'open_children',
      text: `SELECT id FROM executions WHERE parent_id = $1 AND status IN ('running', 'suspended') ORDER BY number`,
      values: [escapeNul(id)],
    })
    return rows.map((row) => unescapeNul(row.id))
  }

  async events(
    id: string,
    { after, limit, chars = Number.POSITIVE_INFINITY }: EventRange,
  ): Promise<EventRow[]> {
    const rows = await this.#database.rows<Pick<JournalRow, 'seq' | 'events'>>(
      commitsAfter(escapeNul(id), { after, limit, chars }),
    )
    const found: EventRow[] = []
    let size = 0
    for (const event of rows.flatMap((row) => eventsOf(row))) {
      if (event.seq <= after) continue
      size += event.data.length
      if (found.length === limit || (found.length > 0 && size > chars)) break
      // a copy does not keep the text of the whole commit in memory
      found.push({ ...event, data: Buffer.from(event.data).toString() })
    }
    return found
  }

  async #one<Row>(name: string, text: string, id: string): Promise<Row | undefined> {
    return (await this.#database.rows<Row>({ name, text, values: [escapeNul(id)] }))[0]
  }
}

/** The commits that events are read from: the first, and further ones while those before do not have all characters. */
function commitsAfter(id: string, { after, limit, chars }: Required<EventRange>) {
  const commits = `SELECT seq, events FROM journal WHERE execution = ${NUMBER_OF_ID} AND seq > $2::bigint AND octet_length(events) > 2
    ORDER BY seq LIMIT $3`
  if (chars === Number.POSITIVE_INFINITY)
    return { name: 'execution_events', text: commits, values: [id, after, limit] }
  // of the first one, the events up to `after` do not count
  return {
    name: 'execution_events_within',
    text: `SELECT seq, events FROM (
        SELECT seq, events, sum(octet_length(events)) OVER commits - octet_length(events)
          - first_value(octet_length(events)) OVER commits AS before
        FROM (${commits}) rows WINDOW commits AS (ORDER BY seq)
      ) sized WHERE before <= $4 ORDER BY seq`,
    values: [id, after, limit, MAX_OCTETS * chars],
  }
}
