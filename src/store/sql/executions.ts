import { isFinal } from '../../contract/is-final.ts'
import type {
  EventRange,
  EventRow,
  ExecutionFilter,
  ExecutionRow,
  ExecutionStore,
  Milestone,
} from '../execution-store.ts'
import type { Page } from '../page.ts'
import {
  EXECUTION_COLUMNS,
  EXECUTION_CONDITIONS,
  kindCondition,
} from '../rows/executions/execution-columns.ts'
import {
  REFERRING,
  REFERRING_TO_EXECUTION,
  eventsOf,
  foldSteps,
  historyOf,
  workflowLevelEvents,
} from '../rows/executions/journal-row.ts'
import type { EventsRow, HistoryRow, JournalRow } from '../rows/executions/journal-row.ts'
import type { SearchFilter } from '../search/search-store.ts'
import { conditionsOf, valuesOf, whereAll } from './conditions.ts'
import type { Condition } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import type { Sql, SqlParams } from './sql.ts'

/** Larger values are left out of lists: those of a page would not fit into memory. */
const MAX_LISTED_BYTES = 262_144
/** Rows that are read from a file at first, and at most, at a time when the result is limited by characters. */
const FEW_ROWS = 4
const MAX_ROWS_AT_ONCE = 8
/** Of a longer text, an event is copied: a part of it would keep the whole in memory. */
const LONG_TEXT = 65_536
/** Octets of a UTF-16 unit in UTF-8, at most: a server applies a limit in characters to octets, which it need not read. */
const MAX_OCTETS = 3
/** JSON has no line breaks, and the JSON arrays of the journal none in succession. */
const SEPARATOR = '\n\n'
const OMITTED_EVENTS = '[]'

const isLarge = (column: string) => `octet_length(${column}) > ${MAX_LISTED_BYTES}`
const unlessLarge = (column: string, otherwise = 'NULL') =>
  `CASE WHEN ${isLarge(column)} THEN ${otherwise} ELSE ${column} END`

const columnsWithout = (left?: string) =>
  EXECUTION_COLUMNS.filter(([column]) => column !== left)
    .map(([column, key]) => `e.${column} AS "${key}"`)
    .join(', ')
const ROW = `${columnsWithout()}, p.input AS input, p.context AS context, p."user" AS "user"`
const FROM = 'FROM executions e JOIN payloads p ON p.execution = e.number'
const NUMBER_OF_ID = '(SELECT number FROM executions WHERE id = ?)'

/** The changes of steps of an execution, as one JSON array of arrays; null without any. */
const stepsOf = (number: string) => `(SELECT '[' || string_agg(steps, ',') || ']' FROM
  (SELECT steps FROM journal WHERE execution = ${number} AND octet_length(steps) > 2 ORDER BY seq) AS changes)`

const GET = `SELECT ${ROW} ${FROM} WHERE e.id = ?`
const OWNERSHIP = `SELECT id, workflow_id AS "workflowId", parent_id AS "parentId", owner FROM executions WHERE id = ?`
export const STEPS = `SELECT ${stepsOf(NUMBER_OF_ID)} AS steps`
const OPEN_CHILDREN = `SELECT id FROM executions WHERE parent_id = ? AND status IN ('running', 'suspended') ORDER BY number`
/** A value that the events of a commit may refer to; null where they don't. */
const valueWhere = (referring: string, value: string) =>
  `CASE WHEN substr(events, 1, ${referring.length}) = '${referring}' THEN ${value} END`
const EVENTS = `SELECT seq, events, ${valueWhere(REFERRING, 'steps')} AS steps,
    ${valueWhere(REFERRING_TO_EXECUTION, '(SELECT input FROM payloads p WHERE p.execution = journal.execution)')} AS input,
    ${valueWhere(REFERRING_TO_EXECUTION, '(SELECT output FROM executions e WHERE e.number = journal.execution)')} AS output
  FROM journal
  WHERE execution = ${NUMBER_OF_ID} AND seq > CAST(? AS bigint) AND octet_length(events) > 2 ORDER BY seq LIMIT ?`

const EVENTS_SIZE = ['steps', 'input', 'output'].reduce(
  (sum, value) => `${sum} + coalesce(octet_length(${value}), 0)`,
  'octet_length(events)',
)

/** Those rows of a page before which there are at most so many octets, from which `free` are left out. */
const within = (page: string, order: string, size: string, free = '0') => `SELECT * FROM (
    SELECT *, sum(${size}) OVER positions - (${size}) - ${free} AS before FROM (${page}) AS page
    WINDOW positions AS (ORDER BY ${order})
  ) AS sized WHERE before <= ? ORDER BY ${order}`

const textsOf = ({ firstJoin, lastSequence, milestoneCommits, newestMilestone }: Dialect) => {
  const histories = `${ROW}, ${stepsOf('e.number')} AS steps, coalesce((${lastSequence('e.number')}), 0) AS "lastSequence"`
  /** The commits with milestones of the execution `e`, as one text; null without any. */
  const commitsOf = (condition: string, events = 'events') =>
    `(SELECT string_agg(seq || ' ' || events, '${SEPARATOR}') FROM (SELECT seq, ${events} AS events
      FROM ${milestoneCommits} AS c WHERE c.execution = e.number ${condition} ORDER BY seq) AS commits) AS commits`
  const milestones = `SELECT ${ROW}, m.number, ${commitsOf('AND c.seq <= m.seq')},
      NOT EXISTS (SELECT 1 FROM milestones o WHERE o.execution = m.execution AND o.seq < m.seq) AS "isFirst",
      NOT EXISTS (SELECT 1 FROM milestones o WHERE o.execution = m.execution AND o.seq > m.seq) AS "isLast"
    FROM milestones m ${firstJoin} executions e ON e.number = m.execution JOIN payloads p ON p.execution = e.number
    WHERE m.number > ? ORDER BY m.number LIMIT ?`
  return {
    histories,
    history: `SELECT ${histories} ${FROM} WHERE e.id = ?`,
    listed: `${columnsWithout('output')}, ${unlessLarge('e.output')} AS output,
      ${unlessLarge('p.input', "'null'")} AS input, ${unlessLarge('p.context', "'null'")} AS context, p."user" AS "user",
      ${isLarge('p.input')} AS "largeInput", ${isLarge('e.output')} AS "largeOutput",
      ${commitsOf('', unlessLarge('events', `'${OMITTED_EVENTS}'`))}`,
    lastSequence: lastSequence(NUMBER_OF_ID),
    newestMilestone: `SELECT ${newestMilestone} AS number`,
    workflowEvents: `SELECT seq, events, ${valueWhere(REFERRING, 'p.input')} AS input, ${valueWhere(REFERRING, 'e.output')} AS output
      FROM ${milestoneCommits} AS c JOIN executions e ON e.number = c.execution
        JOIN payloads p ON p.execution = c.execution WHERE c.execution = ${NUMBER_OF_ID} ORDER BY seq`,
    milestones,
    // of the first commit, the events up to the position do not count
    sizedEvents: within(EVENTS, 'seq', EVENTS_SIZE, `first_value(${EVENTS_SIZE}) OVER positions`),
    sizedMilestones: within(
      milestones,
      'number',
      'octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(commits), 0)',
    ),
  }
}

interface Commits {
  readonly commits: string | null
}

interface ListedRow extends ExecutionRow, Commits {
  readonly largeInput: boolean | number
  readonly largeOutput: boolean | number | null
}

interface MilestoneRow extends ExecutionRow, Commits {
  readonly number: number
  readonly isFirst: boolean | number
  readonly isLast: boolean | number
  readonly before?: number
}

type Commit = Pick<JournalRow, 'seq' | 'events'>

interface RowsQuery {
  readonly all: string
  /** The same with a limit in octets. */
  readonly sized: string
  readonly of?: SqlParams
  readonly range: EventRange
}

/** Queries of executions and of their journal. `foundBy` has the condition of what the full-text index finds. */
export function sqlExecutions(
  sql: Sql,
  foundBy: (filter: Pick<SearchFilter, 'terms' | 'facets'>) => Condition[],
): Omit<ExecutionStore, 'write' | 'prune'> {
  const { isServer, jsonMember } = sql.dialect
  const texts = textsOf(sql.dialect)

  function conditionsFor(filter: ExecutionFilter): Condition[] {
    const { search, status, metadata = {} } = filter
    return [
      { text: kindCondition(filter), values: [] },
      ...conditionsOf<keyof typeof EXECUTION_CONDITIONS>(EXECUTION_CONDITIONS, filter),
      // selects one of the two partial indexes on the status
      ...(status ? [{ text: `ended_at IS ${isFinal(status) ? 'NOT NULL' : 'NULL'}`, values: [] }] : []),
      ...Object.entries(metadata).map((values) => ({ text: `${jsonMember('metadata')} = ?`, values })),
      ...(search ? foundBy(search) : []),
    ]
  }

  /** The subquery reads an index only, so that deep offsets skip index entries and not rows. */
  function page<Row>(columns: string, filter: ExecutionFilter, { limit, offset }: Page): Promise<Row[]> {
    const conditions = conditionsFor(filter)
    return sql.filtered(
      `SELECT ${columns} FROM (SELECT number FROM executions ${whereAll(conditions)}
        ORDER BY created_at DESC, number DESC LIMIT ? OFFSET ?) page
      JOIN executions e ON e.number = page.number JOIN payloads p ON p.execution = e.number
      ORDER BY e.created_at DESC, e.number DESC`,
      [...valuesOf(conditions), limit, offset],
    )
  }

  /**
   * Calls `add` with rows until it returns false. A server is told the size; from a file, few rows are read at a time, as
   * one can have megabytes.
   */
  async function readRows<Row>(
    { all, sized, of = [], range }: RowsQuery,
    positionOf: (row: Row) => number,
    add: (row: Row) => boolean,
  ): Promise<void> {
    const { after, limit, chars } = range
    const pages = chars !== undefined && !isServer
    for (
      let count = pages ? FEW_ROWS : limit, last = after;
      ;
      count = Math.min(2 * count, MAX_ROWS_AT_ONCE)
    ) {
      const rows = await (chars === undefined || pages
        ? sql.all<Row>(all, [...of, last, count])
        : sql.all<Row>(sized, [...of, last, count, MAX_OCTETS * chars]))
      if (!rows.every(add) || !pages || rows.length < count) return
      last = positionOf(rows.at(-1) as Row)
    }
  }

  return {
    get: (id) => sql.first(GET, [id]),
    ownership: (id) => sql.first(OWNERSHIP, [id]),
    async history(id) {
      const row = await sql.first<HistoryRow>(texts.history, [id])
      return row && historyOf(row)
    },
    async list(filter, range) {
      const rows = await page<ListedRow>(texts.listed, filter, range)
      return rows.map(({ commits: text, largeInput, largeOutput, ...row }) => {
        const commits = commitsIn(text)
        // the values of large events are not listed either
        const given = { input: largeInput ? null : row.input, output: largeOutput ? null : row.output }
        const hasLarge = {
          input: largeInput,
          output: largeOutput,
          events: largeInput || largeOutput || commits.some(({ events }) => events === OMITTED_EVENTS),
        }
        const omitted = (['input', 'output', 'events'] as const).filter((value) => hasLarge[value])
        return { ...row, events: workflowLevelEvents(commits, given), omitted }
      })
    },
    async histories(filter, range) {
      return (await page<HistoryRow>(texts.histories, filter, range)).map((row) => historyOf(row))
    },
    heads(filter, { limit, offset }) {
      const conditions = conditionsFor(filter)
      return sql.filtered(
        `SELECT id, status, created_at AS "createdAt" FROM executions ${whereAll(conditions)}
          ORDER BY created_at DESC, number DESC LIMIT ? OFFSET ?`,
        [...valuesOf(conditions), limit, offset],
      )
    },
    async count(filter) {
      const conditions = conditionsFor(filter)
      const text = `SELECT count(*) AS total FROM executions ${whereAll(conditions)}`
      return (await sql.filtered<{ total: number }>(text, valuesOf(conditions)))[0]?.total ?? 0
    },
    async steps(id) {
      return foldSteps((await sql.first<Pick<HistoryRow, 'steps'>>(STEPS, [id]))?.steps ?? null)
    },
    async events(id, range) {
      const { after, limit, chars = Number.POSITIVE_INFINITY } = range
      const found: EventRow[] = []
      let size = 0
      const add = (event: EventRow, isPart: boolean) => {
        if (event.seq <= after) return true
        size += event.data.length
        if (found.length === limit || (found.length > 0 && size > chars)) return false
        return found.push(isPart ? { ...event, data: Buffer.from(event.data).toString() } : event) > 0
      }
      const query = { all: EVENTS, sized: texts.sizedEvents, of: [id], range }
      await readRows<EventsRow>(
        query,
        ({ seq }) => seq,
        (commit) => eventsOf(commit).every((event) => add(event, commit.events.length > LONG_TEXT)),
      )
      return found
    },
    async workflowEvents(id) {
      const commits = await sql.all<EventsRow>(texts.workflowEvents, [id])
      return commits.flatMap((commit) => workflowLevelEvents([commit], commit))
    },
    async lastSequence(id) {
      return (await sql.first<{ seq: number | null }>(texts.lastSequence, [id]))?.seq ?? 0
    },
    async milestones(range) {
      const { limit, chars = Number.POSITIVE_INFINITY } = range
      const found: Milestone[] = []
      let size = 0
      const add = ({ number, isFirst, isLast, commits, before: _, ...row }: MilestoneRow) => {
        const events = workflowLevelEvents(commitsIn(commits), row)
        size += events.reduce(
          (sum, { data }) => sum + data.length,
          row.input.length + (row.output?.length ?? 0),
        )
        if (found.length === limit || (found.length > 0 && size > chars)) return false
        const milestone = { number, isFirst: Boolean(isFirst), isLast: Boolean(isLast) }
        return found.push({ ...milestone, execution: { ...row, events } }) > 0
      }
      const query = { all: texts.milestones, sized: texts.sizedMilestones, range }
      await readRows<MilestoneRow>(query, ({ number }) => number, add)
      return found
    },
    async newestMilestone() {
      return (await sql.first<{ number: number }>(texts.newestMilestone))?.number ?? 0
    },
    async openChildren(id) {
      return (await sql.all<{ id: string }>(OPEN_CHILDREN, [id])).map((child) => child.id)
    },
  }
}

function commitsIn(text: string | null): Commit[] {
  return (text?.split(SEPARATOR) ?? []).map((commit) => {
    const end = commit.indexOf(' ')
    return { seq: Number(commit.slice(0, end)), events: commit.slice(end + 1) }
  })
}
