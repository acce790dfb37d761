import { SEARCH_KINDS } from '../../contract/search/search-query.ts'
import type { StepChange } from '../execution-store.ts'
import { IS_LISTED } from '../rows/executions/execution-columns.ts'
import { REFERRING } from '../rows/executions/journal-row.ts'
import { firstChangeAt, MAX_STEP_ROWS, MAX_TEXT_CHARS } from '../search/search-store.ts'
import type {
  FoundRecord,
  OutdatedRecords,
  SearchFilter,
  SearchPage,
  SearchRecord,
  SearchStore,
} from '../search/search-store.ts'
import { valuesOf, whereAll } from './conditions.ts'
import type { Condition } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import type { Sql } from './sql.ts'

/** How many events or decisions of one record are read for its document. */
const MAX_DECISIONS = 100
const PROGRESS = 'SELECT milestone FROM search_progress'
/** The milestones after a number, with the numbers of their executions. */
const MILESTONES = `SELECT m.number, m.execution AS record, NOT EXISTS (
    SELECT 1 FROM milestones later WHERE later.execution = m.execution AND later.seq > m.seq
  ) AS "isLast" FROM milestones m WHERE m.number > ? ORDER BY m.number LIMIT ?`
/** The beginning of the events of a milestone, behind their references to values. */
const BEGINNING = `SELECT substr(j.events, 1, CASE WHEN j.events LIKE '${REFERRING}%' THEN 1048576 ELSE 1024 END) AS events
  FROM milestones m JOIN journal j ON j.execution = m.execution AND j.seq = m.seq WHERE m.number = ?`
const CHANGES = 'SELECT number, run AS record, true AS "isLast" FROM search_changes ORDER BY number LIMIT ?'

const shortened = (column: string, name = column) => `substr(${column}, 1, ${MAX_TEXT_CHARS}) AS ${name}`
const SHORTENED = ['output', 'error'].map((column) => shortened(column)).join(', ')

const textsOf = ({ among, jsonArray }: Dialect) => ({
  executions: `SELECT 'execution' AS kind, e.number, e.id, workflow_id AS "subjectId", workflow_name AS "subjectName", status,
      created_at AS "createdAt", ended_at AS "endedAt", user_id AS "userId", conversation_id AS "conversationId",
      trace_id AS "traceId", parent_id AS "parentId", NULL AS requester, owner, metadata,
      ${shortened('p."user"', '"user"')}, ${shortened('p.input', 'input')}, ${SHORTENED}, ${shortened('suspension', 'detail')},
      ${jsonArray(
        'steps',
        `SELECT steps FROM journal WHERE execution = e.number AND octet_length(steps) < 65536 AND steps <> '[]'
         ORDER BY seq LIMIT ${MAX_STEP_ROWS}`,
      )} AS steps,
      ${jsonArray(
        'events',
        `SELECT events FROM journal WHERE execution = e.number AND events LIKE '%"workflow-resumed"%'
         ORDER BY seq LIMIT ${MAX_DECISIONS}`,
      )} AS decisions
    FROM executions e JOIN payloads p ON p.execution = e.number WHERE ${among('e.number')} AND ${IS_LISTED}`,
  runs: `SELECT 'run' AS kind, number, id, agent_id AS "subjectId", agent_id AS "subjectName", status,
      started_at AS "createdAt", ended_at AS "endedAt", user_id AS "userId", conversation_id AS "conversationId",
      trace_id AS "traceId", parent_id AS "parentId", requester, NULL AS owner, NULL AS "user", NULL AS metadata,
      ${shortened('input')}, ${SHORTENED}, ${shortened('blocked_reason', 'detail')}, ${shortened('steps', 'calls')},
      ${jsonArray(
        'decision',
        `SELECT decision FROM agent_approvals WHERE run = agent_runs.number AND decision IS NOT NULL LIMIT ${MAX_DECISIONS}`,
      )} AS decisions
    FROM agent_runs WHERE ${among('number')}`,
})

/** A document `d` that was found, with the place of its kind in `SEARCH_KINDS`; its position is one of a page. */
interface FoundDocument {
  readonly kind: 0 | 1
  readonly record: number
  readonly position: string
}

/** The full-text index, but for how words are stored and found. */
export abstract class SqlSearch implements Omit<SearchStore, 'index'> {
  readonly #sql: Sql
  /** What the index is made of. */
  readonly #records: Sql
  readonly #texts: ReturnType<typeof textsOf>

  constructor(sql: Sql, records: Sql) {
    this.#sql = sql
    this.#records = records
    this.#texts = textsOf(sql.dialect)
  }

  /** SQL from the columns on that selects the documents of a page, but for the limit, the newest first. */
  protected abstract selection(filter: SearchFilter, page: SearchPage): Condition

  async outdated(limit: number): Promise<OutdatedRecords> {
    const sql = this.#records
    const from = (await sql.first<{ milestone: number }>(PROGRESS))?.milestone ?? 0
    const executions = await sql.all<Change>(MILESTONES, [from, limit])
    const runs = await sql.all<Change>(CHANGES, [Math.max(1, limit - executions.length)])
    if (executions.length === 0 && runs.length === 0) return { records: [], changes: undefined }
    const runRecords = await this.#runs(sql, recordsOf(runs))
    const [first] = executions
    const beginning = first && (await sql.first<{ events: string }>(BEGINNING, [first.number]))
    return {
      records: [...(await this.#executions(sql, recordsOf(executions))), ...runRecords],
      changes: {
        milestones: { from, to: executions.at(-1)?.number ?? from },
        runs: runs.map(({ number }) => number),
      },
      since: firstChangeAt(beginning?.events, runRecords),
    }
  }

  async find(filter: SearchFilter, page: SearchPage): Promise<FoundRecord[]> {
    const { text, values } = this.selection(filter, page)
    const documents = await this.#sql.filtered<FoundDocument>(`SELECT d.kind, d.record, ${text} LIMIT ?`, [
      ...values,
      page.limit,
    ])
    const ofKind = (wanted: 0 | 1) =>
      documents.filter(({ kind }) => kind === wanted).map(({ record }) => record)
    const found = [
      ...(await this.#executions(this.#sql, ofKind(0))),
      ...(await this.#runs(this.#sql, ofKind(1))),
    ]
    const byKey = new Map(found.map((record) => [`${record.kind} ${record.number}`, record]))
    return documents.flatMap(({ kind, record, position }) => {
      const known = byKey.get(`${SEARCH_KINDS[kind]} ${record}`)
      return known ? { ...known, position } : []
    })
  }

  async #executions(sql: Sql, numbers: readonly number[]): Promise<SearchRecord[]> {
    const rows = numbers.length === 0 ? [] : await sql.all<ExecutionText>(this.#texts.executions, [numbers])
    return rows.map(({ steps, decisions, ...row }) => ({
      ...row,
      steps: textsIn(steps).flatMap((changes) => stepResults(changes)),
      deciders: decidersIn(textsIn(decisions)),
    }))
  }

  async #runs(sql: Sql, numbers: readonly number[]): Promise<SearchRecord[]> {
    const rows = numbers.length === 0 ? [] : await sql.all<RunText>(this.#texts.runs, [numbers])
    return rows.map(({ calls, decisions, ...row }) => ({
      ...row,
      steps: calls ? [calls] : [],
      deciders: decidersIn(textsIn(decisions)),
    }))
  }
}

/** Selects documents by conditions, in an order. */
export function selectionOf(columns: string, conditions: readonly Condition[], order: string): Condition {
  return { text: `${columns} ${whereAll(conditions)} ORDER BY ${order}`, values: valuesOf(conditions) }
}

/** A condition on the owner and the user id, whose records are open to a user. */
export const OPEN_TO = `CASE d.kind
  WHEN 0 THEN EXISTS (SELECT 1 FROM executions e WHERE e.number = d.record AND (e.owner IS NULL OR e.owner = ?))
  ELSE EXISTS (SELECT 1 FROM agent_runs r WHERE r.number = d.record AND r.user_id IS NOT DISTINCT FROM ?) END`

interface Change {
  readonly number: number
  readonly record: number
  /** Whether no later change follows. */
  readonly isLast: boolean | number
}

type RecordText = Omit<SearchRecord, 'steps' | 'deciders'> & {
  /** JSON arrays of texts. */
  readonly decisions: string
}
interface ExecutionText extends RecordText {
  readonly steps: string
}
interface RunText extends RecordText {
  readonly calls: string | null
}

function textsIn(array: string): string[] {
  return array === '[]' ? [] : (JSON.parse(array) as string[])
}

function recordsOf(changes: readonly Change[]): number[] {
  return [...new Set(changes.filter(({ isLast }) => isLast).map(({ record }) => record))]
}

/** The results in the changes of steps, which are a JSON array. Damaged ones have none. */
function stepResults(steps: string): string[] {
  if (steps === '[]') return []
  try {
    const changes = JSON.parse(steps) as readonly Partial<StepChange>[]
    return changes
      .flatMap(({ output, error, suspendData, resumeData }) => [output, error, suspendData, resumeData])
      .filter((text) => typeof text === 'string')
      .map((text) => text.slice(0, MAX_TEXT_CHARS))
  } catch {
    // a damaged record does not stop the index
    return []
  }
}

/** The ids of users in JSON of decisions about tool calls, and of events. Damaged JSON has none. */
function decidersIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => idsIn(text)))]
}

function idsIn(text: string): string[] {
  try {
    const values = [JSON.parse(text)].flat() as ({ decidedBy?: unknown; resumedBy?: unknown } | null)[]
    return values
      .map((value) => value?.decidedBy ?? value?.resumedBy)
      .filter((id): id is string => typeof id === 'string')
  } catch {
    // a damaged record does not stop the index
    return []
  }
}
