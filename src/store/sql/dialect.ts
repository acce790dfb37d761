/** Maximum length of an id in an index of Postgres. */
export const MAX_ID_CHARACTERS = 512

/** Where the SQL of the backends differs. */
export interface Dialect {
  /** A condition that a column has one of the values of a parameter, which is an array. */
  readonly among: (column: string) => string
  /**
   * Whether it is a server: each query is a round trip, so that one large one is better than several, and each process
   * has rows of its own for what all of them count.
   */
  readonly isServer: boolean
  /** A condition that a column with the text of a JSON array has a string. */
  readonly jsonHas: (column: string) => string
  /** A condition with a pattern of `patternOf`: only the case of ASCII letters is ignored, whatever the locale. */
  readonly like: (column: string) => string
  /** Joins tables of which the first one is read first. */
  readonly firstJoin: string
  /** An id of a trace's subject as it is stored: an entry of an index of Postgres has a limit. */
  readonly storedId: (id: string) => string
  /** The whole number at a key of a column with the text of a JSON object. */
  readonly jsonNumber: (column: string, key: string) => string
  /** The text at a path of a column with the text of a JSON object. */
  readonly jsonText: (column: string, ...path: readonly string[]) => string
  /** The values of a column of a query, in its order, as the text of a JSON array. */
  readonly jsonArray: (column: string, query: string) => string
  /** The text of the member of a JSON object whose name is a parameter. */
  readonly jsonMember: (column: string) => string
  /** The commits with milestones, as a table of `execution`, `seq` and `events`. */
  readonly milestoneCommits: string
  /** A query of the sequence number `seq` of the last event of an execution, by its number; 0 or null before the first. */
  readonly lastSequence: (execution: string) => string
  /** The highest number of a milestone so far, also of executions that were deleted. */
  readonly newestMilestone: string
  /** Ends a query whose rows the transaction is going to change, and no other may. */
  readonly forUpdate: string
  /** Ends a query of rows to delete: those that another process deletes are left out. */
  readonly skipLocked: string
}

export const SQLITE: Dialect = {
  isServer: false,
  jsonHas: (column) => `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ?)`,
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  like: (column) => `${column} LIKE ? ESCAPE '!'`,
  firstJoin: 'CROSS JOIN',
  storedId: (id) => id,
  jsonNumber: (column, key) => `CAST(${column} ->> '$.${key}' AS INTEGER)`,
  jsonText: (column, ...path) => `CAST(${column} ->> '$.${path.join('.')}' AS TEXT)`,
  jsonArray: (column, query) => `(SELECT json_group_array(${column}) FROM (${query}))`,
  jsonMember: (column) =>
    `(SELECT CASE type WHEN 'true' THEN type WHEN 'false' THEN type ELSE CAST(atom AS TEXT) END
      FROM json_each(${column}) WHERE key = ?)`,
  milestoneCommits: '(SELECT execution, seq, events FROM journal WHERE milestone IS NOT NULL)',
  lastSequence: (execution) => `SELECT max(seq) AS seq FROM journal WHERE execution = ${execution}`,
  newestMilestone:
    '(SELECT max(pruned_milestone, coalesce((SELECT max(number) FROM milestones), 0)) FROM owner)',
  // it has one writer
  forUpdate: '',
  skipLocked: '',
}

export const POSTGRES: Dialect = {
  isServer: true,
  jsonHas: (column) => `${column}::jsonb @> to_jsonb(?::text)`,
  among: (column) => `${column} = ANY (?)`,
  like: (column) => `${column} COLLATE "C" ILIKE ? ESCAPE '!'`,
  firstJoin: 'JOIN',
  storedId: (id) => id.slice(0, MAX_ID_CHARACTERS),
  jsonNumber: (column, key) => `(${column}::json ->> '${key}')::bigint`,
  jsonText: (column, ...path) => `${column}::json #>> '{${path.join(',')}}'`,
  jsonArray: (column, query) => `(SELECT coalesce(json_agg(${column})::text, '[]') FROM (${query}) AS q)`,
  jsonMember: (column) => `${column}::jsonb ->> ?`,
  milestoneCommits: '(SELECT execution, seq, events FROM milestones JOIN journal USING (execution, seq))',
  lastSequence: (execution) => `SELECT last_sequence AS seq FROM executions WHERE number = ${execution}`,
  newestMilestone: '(SELECT milestone FROM counters)',
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
}
