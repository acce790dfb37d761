import type { SearchFacet, SearchKind, SearchTerm } from '../../contract/search/search-query.ts'
import type { AgentRunRow } from '../agent-store.ts'

/**
 * The full-text index of executions and agent runs. It is derived from their records: what changes is found there later,
 * by whoever indexes, so that a change itself costs nothing more. A deleted record is deleted from the index at once.
 */
export interface SearchStore {
  /** Records whose document is missing or older than they are, in the order of their changes. */
  outdated(limit: number): Promise<OutdatedRecords>
  /**
   * Stores documents, and that the index is up to date with these changes, in one transaction. Returns `false`, and
   * stores nothing, if another process has indexed them.
   */
  index(documents: readonly SearchDocument[], changes: IndexedChanges): Promise<boolean>
  /** Newest first. */
  find(filter: SearchFilter, page: SearchPage): Promise<readonly FoundRecord[]>
}

/** The texts of a record, each no longer than {@link MAX_TEXT_CHARS}. JSON may therefore be incomplete. */
export interface SearchRecord {
  readonly kind: SearchKind
  readonly number: number
  readonly id: string
  /** Id of the workflow or the agent. */
  readonly subjectId: string
  readonly subjectName: string
  readonly status: string
  readonly createdAt: number
  readonly endedAt: number | null
  readonly userId: string | null
  readonly conversationId: string | null
  readonly traceId: string
  /** The execution, or the run, that it is a part of. */
  readonly parentId: string | null
  /** Of a run, as in its row. */
  readonly requester: AgentRunRow['requester']
  /** JSON of the authenticated user who started an execution. */
  readonly user: string | null
  /** The key of the user whom an execution belongs to. */
  readonly owner: string | null
  /** JSON of what an execution is found by. */
  readonly metadata: string | null
  readonly input: string
  readonly output: string | null
  /** JSON of an execution's error; the message of a run's. */
  readonly error: string | null
  /** JSON of a suspension, or why a guardrail blocked a run. */
  readonly detail: string | null
  /** Results of steps, as JSON texts; the calls of a run as one. */
  readonly steps: readonly string[]
  /** Ids of the users who resumed the execution, or decided about calls of the run. */
  readonly deciders: readonly string[]
}

export interface OutdatedRecords {
  readonly records: readonly SearchRecord[]
  /** `undefined` if the index is up to date. */
  readonly changes: IndexedChanges | undefined
  /** The time of the first of the changes, in milliseconds since the epoch. */
  readonly since?: number | undefined
}

/** The time of the first change: of an execution, by the events of its commit, or of a run; undefined without any. */
export function firstChangeAt(events: string | undefined, runs: readonly SearchRecord[]): number | undefined {
  // the first event has its own time before any value of the user
  const [, timestamp = ''] = /"timestamp":"([^"]+)"/.exec(events ?? '') ?? []
  const at = Date.parse(timestamp)
  const times = runs.map(({ createdAt, endedAt }) => endedAt ?? createdAt)
  if (!Number.isNaN(at)) times.push(at)
  return times.length === 0 ? undefined : Math.min(...times)
}

export interface IndexedChanges {
  /** Milestones after `from`, up to `to`. */
  readonly milestones: { readonly from: number; readonly to: number }
  /** Numbers of changes of runs. */
  readonly runs: readonly number[]
}

export interface SearchDocument {
  readonly record: Pick<SearchRecord, 'kind' | 'number' | 'createdAt'>
  /** In the order in which phrases have them. */
  readonly words: readonly string[]
  readonly facets: readonly SearchFacetValue[]
}

export type SearchFacetValue = readonly [facet: SearchFacet, value: string]

export interface SearchFilter {
  readonly terms: readonly SearchTerm[]
  /** Of each facet, one of the values, in lower case. */
  readonly facets: Readonly<Partial<Record<SearchFacet, readonly string[]>>>
  /** Creation time, inclusive. */
  readonly from?: number | undefined
  /** Only records that are open to a user; see `RecordLimit`. */
  readonly openTo?: { readonly owner: string | null; readonly userId: string | null } | undefined
}

export interface SearchPage {
  readonly limit: number
  /** The position of the last record of the page before. */
  readonly before?: string | undefined
}

export interface FoundRecord extends SearchRecord {
  readonly position: string
}

/** Maximum length of each text of a record that is indexed. */
export const MAX_TEXT_CHARS = 4096
/** Maximum number of steps whose results are indexed. */
export const MAX_STEP_ROWS = 50
