import type {
  FoundRecord,
  IndexedChanges,
  OutdatedRecords,
  SearchDocument,
  SearchFilter,
  SearchPage,
  SearchRecord,
  SearchStore,
} from '../../search/search-store.ts'
import { firstChangeAt } from '../../search/search-store.ts'
import type { Databases, PostgresQueries } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { numberParameters } from '../parameters.ts'
import { valuesOf, whereAll } from '../../sql/conditions.ts'
import type { Condition } from '../../sql/conditions.ts'
import { searchRecords } from './search-records.ts'
import { textQuery, textVector } from './text-query.ts'

interface Change {
  readonly number: number
  readonly record: number
  readonly isLast: boolean
}

interface DocumentRow {
  readonly number: number
  readonly createdAt: number
  readonly execution: number | null
  readonly run: number | null
}

const MILESTONES = `SELECT m.number, m.execution AS record, NOT EXISTS (
    SELECT FROM milestones later WHERE later.execution = m.execution AND later.seq > m.seq
  ) AS "isLast"
  FROM milestones m WHERE m.number > $1 ORDER BY m.number LIMIT $2`

/** Documents of records that exist, by the name of their column. */
const putInto = (column: 'execution' | 'run', table: string) => `
  INSERT INTO search_documents (${column}, created_at, words)
  SELECT r.number, d.created_at, d.words::tsvector
  FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS d (number, created_at, words) JOIN ${table} r ON r.number = d.number
  ON CONFLICT (${column}) DO UPDATE SET words = excluded.words`

/** The full-text index in Postgres. */
export class PostgresSearch implements SearchStore {
  readonly #databases: Pick<Databases, 'telemetry' | 'reads'>

  constructor(databases: Pick<Databases, 'telemetry' | 'reads'>) {
    this.#databases = databases
  }

  async outdated(limit: number): Promise<OutdatedRecords> {
    const { telemetry: database } = this.#databases
    const [progress] = await database.rows<{ milestone: number }>({
      text: 'SELECT milestone FROM search_progress',
    })
    const from = progress?.milestone ?? 0
    const executions = await database.rows<Change>({
      name: 'search-milestones',
      text: MILESTONES,
      values: [from, limit],
    })
    const runs = await database.rows<Change>({
      name: 'search-changes',
      text: 'SELECT number, run AS record, true AS "isLast" FROM search_changes ORDER BY number LIMIT $1',
      values: [Math.max(1, limit - executions.length)],
    })
    if (executions.length === 0 && runs.length === 0) return { records: [], changes: undefined }
    const numbersOf = (changes: readonly Change[]) => [
      ...new Set(changes.filter(({ isLast }) => isLast).map(({ record }) => record)),
    ]
    const records = await searchRecords(database, {
      executions: numbersOf(executions),
      runs: numbersOf(runs),
    })
    const [beginning] = executions[0] ? await database.rows<{ events: string }>(eventsAt(executions[0])) : []
    return {
      records,
      changes: {
        milestones: { from, to: executions.at(-1)?.number ?? from },
        runs: runs.map(({ number }) => number),
      },
      since: firstChangeAt(
        beginning?.events,
        records.filter(({ kind }) => kind === 'run'),
      ),
    }
  }

  async index(
    documents: readonly SearchDocument[],
    { milestones: { from, to }, runs }: IndexedChanges,
  ): Promise<boolean> {
    const { telemetry: database } = this.#databases
    const ofKind = (kind: SearchRecord['kind']) => documents.filter(({ record }) => record.kind === kind)
    const isDone = await database.transaction(async (tx) => {
      // only one process indexes a change: the others wait here, and find that it is done
      const [progress] = await tx.rows<{ milestone: number }>({
        text: 'SELECT milestone FROM search_progress FOR UPDATE',
      })
      const [waiting] = await tx.rows<{ total: number }>({
        text: 'SELECT count(*) AS total FROM search_changes WHERE number = ANY ($1)',
        values: [runs],
      })
      if (progress?.milestone !== from || waiting?.total !== runs.length) return false
      await tx.change({ text: 'UPDATE search_progress SET milestone = $1', values: [to] })
      await tx.change({ text: 'DELETE FROM search_changes WHERE number = ANY ($1)', values: [runs] })
      await put(tx, 'put-executions', putInto('execution', 'executions'), ofKind('execution'))
      await put(tx, 'put-runs', putInto('run', 'agent_runs'), ofKind('run'))
      return true
    })
    // an execution that was deleted meanwhile
    if (isDone)
      await database.change({
        name: 'search-orphans',
        text: `DELETE FROM search_documents WHERE execution = ANY ($1)
          AND NOT EXISTS (SELECT FROM executions WHERE number = search_documents.execution)`,
        values: [ofKind('execution').map(({ record }) => record.number)],
      })
    return isDone
  }

  async find(filter: SearchFilter, { limit, before }: SearchPage): Promise<readonly FoundRecord[]> {
    const { reads: database } = this.#databases
    const conditions = conditionsOf(filter, before)
    const rows = await database.rows<DocumentRow>({
      text: numberParameters(
        `SELECT number, created_at AS "createdAt", execution, run FROM search_documents d ${whereAll(conditions)}
         ORDER BY created_at DESC, number DESC LIMIT ?`,
      ),
      values: [...valuesOf(conditions), limit],
    })
    const records = await searchRecords(database, {
      executions: rows.flatMap(({ execution }) => execution ?? []),
      runs: rows.flatMap(({ run }) => run ?? []),
    })
    const keyOf = (execution: number | null, run: number | null) => `${execution ?? ''} ${run ?? ''}`
    const byKey = new Map(
      records.map((record) => [
        record.kind === 'run' ? keyOf(null, record.number) : keyOf(record.number, null),
        record,
      ]),
    )
    return rows.flatMap(({ number, createdAt, execution, run }) => {
      const found = byKey.get(keyOf(execution, run))
      return found ? { ...found, position: `${createdAt}-${number}` } : []
    })
  }
}

function eventsAt({ number }: Change) {
  return {
    name: 'search-beginning',
    text: `SELECT left(events, 1024) AS events FROM journal JOIN milestones USING (execution, seq) WHERE number = $1`,
    values: [number],
  }
}

async function put(
  tx: PostgresQueries,
  name: string,
  text: string,
  documents: readonly SearchDocument[],
): Promise<void> {
  if (documents.length === 0) return
  await tx.change({
    name: `search-${name}`,
    text,
    values: [
      documents.map(({ record }) => record.number),
      documents.map(({ record }) => record.createdAt),
      documents.map((document) => textVector(document)),
    ],
  })
}

function conditionsOf(filter: SearchFilter, before: string | undefined): Condition[] {
  const { from, openTo } = filter
  const query = textQuery(filter)
  const [createdAt, number = '0'] = before?.split('-') ?? []
  return [
    ...(query === undefined ? [] : [{ text: 'words @@ ?::tsquery', values: [query] }]),
    ...(from === undefined ? [] : [{ text: 'created_at >= ?', values: [Math.trunc(from)] }]),
    ...(createdAt === undefined
      ? []
      : [{ text: '(created_at, number) < (?, ?)', values: [Number(createdAt), Number(number)] }]),
    ...(openTo ? [{ text: OPEN_TO, values: [escapeNul(openTo.owner), escapeNul(openTo.userId)] }] : []),
  ]
}

const OPEN_TO = `CASE WHEN d.run IS NULL
  THEN EXISTS (SELECT FROM executions e WHERE e.number = d.execution AND (e.owner IS NULL OR e.owner = ?))
  ELSE EXISTS (SELECT FROM agent_runs r WHERE r.number = d.run AND r.user_id IS NOT DISTINCT FROM ?) END`
