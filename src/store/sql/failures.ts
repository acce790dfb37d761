import { MAX_GROUPED } from '../../contract/endpoints/failures.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import type { FailureFilter, FailureGroup, FailureHour, FailureStore, OpenFailure } from '../failure-store.ts'
import type { Page } from '../page.ts'
import { conditionsOf, valuesOf, whereAll } from './conditions.ts'
import type { Sql } from './sql.ts'

/** The newest failures and completed replays of failures, read from an index alone. */
const NEWEST = `(SELECT failure, status, workflow_id, ended_at, number FROM executions
  WHERE failure IS NOT NULL AND ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ${MAX_GROUPED}) AS newest`

const ofStatus = (status: string, value: string) => `CASE WHEN status = '${status}' THEN ${value} END`
const LAST = `max(${ofStatus('error', 'ended_at')})`
const COMPLETED = `max(${ofStatus('completed', 'ended_at')})`
const IS_OPEN = `${LAST} > coalesce(${COMPLETED}, 0)`

/** A group whose failures have been deleted may have replays that are left. */
const EXISTS = `${LAST} IS NOT NULL`

interface GroupRow extends Omit<FailureGroup, 'id' | 'last'> {
  readonly failure: string
  readonly id: string
  readonly workflowId: string
  readonly workflowName: string
  readonly error: string | null
}

/** Queries of the failures by their groups. */
export class SqlFailures implements FailureStore {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async list(filter: FailureFilter, { limit, offset }: Page): Promise<readonly FailureGroup[]> {
    const { text, values } = groupsOf(filter)
    const rows = await this.#sql.filtered<GroupRow>(
      `SELECT g.failure, g.count, g."firstAt", g."lastAt", g."completedAt", e.id,
        e.workflow_id AS "workflowId", e.workflow_name AS "workflowName", e.error
      FROM (${text} ORDER BY "lastAt" DESC, newest DESC LIMIT ? OFFSET ?) AS g
      JOIN executions e ON e.number = g.newest ORDER BY g."lastAt" DESC, g.newest DESC`,
      [...values, limit, offset],
    )
    return rows.map(({ failure, count, firstAt, lastAt, completedAt, ...last }) => ({
      id: failure,
      count,
      firstAt,
      lastAt,
      completedAt,
      last,
    }))
  }

  async count(filter: FailureFilter): Promise<number> {
    const { text, values } = groupsOf(filter)
    const query = `SELECT count(*) AS total FROM (${text}) AS g`
    return (await this.#sql.filtered<{ total: number }>(query, values))[0]?.total ?? 0
  }

  openSince(time: number, limit: number): Promise<OpenFailure[]> {
    return this.#sql.all(
      `SELECT failure AS id, ${LAST} AS "lastAt" FROM ${NEWEST} WHERE ended_at > ?
      GROUP BY failure HAVING ${IS_OPEN} ORDER BY "lastAt" DESC LIMIT ?`,
      [time, limit],
    )
  }

  hours(ids: readonly string[], from: number): Promise<FailureHour[]> {
    return this.#sql.all(
      `SELECT failure AS id, ended_at / ${HOUR_MS} AS hour, count(*) AS count FROM ${NEWEST}
      WHERE ended_at >= ? AND status = 'error' AND ${this.#sql.dialect.among('failure')}
      GROUP BY failure, ended_at / ${HOUR_MS} ORDER BY hour`,
      [from * HOUR_MS, ids],
    )
  }
}

function groupsOf({ open, ...filter }: FailureFilter) {
  const conditions = conditionsOf({ workflowId: 'workflow_id = ?' }, filter)
  const isOpen = open === undefined ? [] : [open ? IS_OPEN : `NOT (${IS_OPEN})`]
  return {
    text: `SELECT failure, count(${ofStatus('error', '1')}) AS count, min(${ofStatus('error', 'ended_at')}) AS "firstAt",
        ${LAST} AS "lastAt", ${COMPLETED} AS "completedAt", max(${ofStatus('error', 'number')}) AS newest
      FROM ${NEWEST} ${whereAll(conditions)} GROUP BY failure HAVING ${[EXISTS, ...isOpen].join(' AND ')}`,
    values: valuesOf(conditions),
  }
}
