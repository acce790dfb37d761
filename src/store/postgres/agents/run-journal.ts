import type { AgentJournalStore, AnswerParts, StoredParts } from '../../agents/agent-journal.ts'
import type { Databases } from '../connection/database.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { escapeNul } from '../escape-nul.ts'

const OWNED = "owner_epoch = $1 AND status = 'running'"

const CLAIM = `WITH run AS (UPDATE agent_runs SET owner_epoch = $1
    WHERE id = $2 AND owner_epoch = $3 AND status = 'running' AND continuation IS NOT NULL RETURNING number),
  forgotten AS (DELETE FROM agent_parts USING run WHERE run = run.number)
  SELECT 1 FROM run`

/** The runs are locked, so that none is claimed by another machine in the meantime. */
const APPEND = `WITH given AS (
    SELECT id, seq, text FROM unnest($2::text[], $3::bigint[], $4::text[]) AS given (id, seq, text)),
  run AS (SELECT number, id FROM agent_runs WHERE id = ANY ($2::text[]) AND ${OWNED} FOR NO KEY UPDATE),
  appended AS (INSERT INTO agent_parts (run, seq, data) SELECT number, seq, text FROM given JOIN run USING (id)
    ON CONFLICT (run, seq) DO UPDATE SET data = excluded.data)
  SELECT id FROM run`

export interface RunJournalDeps {
  readonly databases: Pick<Databases, 'writes' | 'reads'>
  readonly ownerEpoch: number
  /** Called after each commit with the ids of the runs that it has changed. */
  readonly onCommitted: (ids: readonly string[]) => void
  /** Aborts when the store closes: writes wait no more. */
  readonly closing: AbortSignal
}

/** What agent runs need to continue, and the parts of their answers, in Postgres. */
export class PostgresRunJournal implements AgentJournalStore {
  readonly #deps: RunJournalDeps
  readonly #writes: RepeatedWrites

  constructor(deps: RunJournalDeps) {
    this.#deps = deps
    this.#writes = new RepeatedWrites(deps.closing)
  }

  async continuation(id: string): Promise<string | null> {
    const text = 'SELECT continuation FROM agent_runs WHERE id = $1'
    const values = [escapeNul(id)]
    const [row] = await this.#deps.databases.reads.rows<{ continuation: string | null }>({ text, values })
    return row?.continuation ?? null
  }

  async claim(id: string, from: number): Promise<boolean> {
    const values = [this.#deps.ownerEpoch, escapeNul(id), from]
    const rows = await this.#deps.databases.writes.rows({ name: 'claim-agent-run', text: CLAIM, values })
    if (rows.length > 0) this.#deps.onCommitted([id])
    return rows.length > 0
  }

  async appendParts(parts: readonly AnswerParts[]): Promise<boolean[]> {
    const ids = parts.map(({ runId }) => escapeNul(runId))
    const values = [this.#deps.ownerEpoch, ids, parts.map(({ seq }) => seq), parts.map(({ data }) => data)]
    const { writes } = this.#deps.databases
    const query = { name: 'append-agent-parts', text: APPEND, values }
    const owned = await this.#writes.run(() => writes.rows<{ id: string }>(query))
    const written = new Set(owned.map(({ id }) => id))
    this.#deps.onCommitted([
      ...new Set(parts.flatMap(({ runId }, index) => (written.has(ids[index] ?? '') ? [runId] : []))),
    ])
    return ids.map((id) => written.has(id))
  }

  async parts(
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<StoredParts[]> {
    return this.#deps.databases.reads.rows<StoredParts>({
      name: 'agent-parts',
      text: `SELECT seq, data FROM agent_parts JOIN agent_runs ON number = run
        WHERE id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      values: [escapeNul(id), after, limit],
    })
  }

  async pruneParts(endedBefore: number, limit: number): Promise<number> {
    const rows = await this.#deps.databases.writes.rows<{ run: number }>({
      text: `WITH ended AS (SELECT number FROM agent_runs
          WHERE number IN (SELECT run FROM agent_parts) AND ended_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED),
        deleted AS (DELETE FROM agent_parts USING ended WHERE run = ended.number)
        SELECT number AS run FROM ended`,
      values: [endedBefore, limit],
    })
    return rows.length
  }
}
