import type { AgentJournalStore, AnswerParts, RecordedCall, StoredParts } from '../../agents/agent-journal.ts'
import type { AgentRunRow } from '../../agent-store.ts'
import type { Suspicion } from '../../crash.ts'
import type { Databases } from '../connection/database.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'

const OWNED = "owner_epoch = $1 AND status = 'running'"

const CLAIM = `WITH run AS (UPDATE agent_runs SET owner_epoch = $1, crashes = $4, suspected = $5, trial = 'waiting'
    WHERE id = $2 AND owner_epoch = $3 AND status = 'running' AND continuation IS NOT NULL RETURNING number),
  forgotten AS (DELETE FROM agent_parts USING run WHERE run = run.number)
  SELECT 1 FROM run`

/** The runs are locked, so that none is claimed by another machine in the meantime. */
const GIVEN = (column: string, type: string) => `given AS (
  SELECT id, ${column}, text FROM unnest($2::text[], $3::${type}[], $4::text[]) AS given (id, ${column}, text)),
  run AS (SELECT number, id, crashes, suspected FROM agent_runs WHERE id = ANY ($2::text[]) AND ${OWNED} FOR NO KEY UPDATE)`

const RECORD = `WITH ${GIVEN('key', 'text')},
  recorded AS (INSERT INTO agent_calls (run, key, value) SELECT number, key, text FROM given JOIN run USING (id)
    ON CONFLICT (run, key) DO UPDATE SET value = excluded.value),
  progress AS (UPDATE agent_runs SET crashes = 0, suspected = 0 FROM run
    WHERE agent_runs.number = run.number AND run.crashes + run.suspected <> 0)
  SELECT id FROM run`

const APPEND = `WITH ${GIVEN('seq', 'bigint')},
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

/** The calls of agent runs, and the parts of their answers, in Postgres. */
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

  async claim(id: string, from: number, { crashes, suspected }: Omit<Suspicion, 'trial'>): Promise<boolean> {
    const values = [this.#deps.ownerEpoch, escapeNul(id), from, crashes, suspected]
    const rows = await this.#deps.databases.writes.rows({ name: 'claim-agent-run', text: CLAIM, values })
    if (rows.length > 0) this.#deps.onCommitted([id])
    return rows.length > 0
  }

  async begin(id: string): Promise<boolean> {
    return this.#setTrial([id], null)
  }

  async pass(id: string): Promise<void> {
    await this.#setTrial([id], 'passed')
  }

  async progress(id: string): Promise<void> {
    const text = 'UPDATE agent_runs SET crashes = 0, suspected = 0 WHERE id = $1 AND crashes + suspected <> 0'
    await this.#deps.databases.writes.change({ text, values: [escapeNul(id)] })
  }

  async leave(ids: readonly string[]): Promise<void> {
    await this.#setTrial(ids, 'waiting')
  }

  async #setTrial(ids: readonly string[], trial: AgentRunRow['trial']): Promise<boolean> {
    const text = `UPDATE agent_runs SET trial = $3 WHERE id = ANY ($2::text[]) AND ${OWNED}`
    const values = [this.#deps.ownerEpoch, ids.map(escapeNul), trial]
    return (await this.#deps.databases.writes.change({ text, values })) > 0
  }

  async record(calls: readonly RecordedCall[]): Promise<boolean[]> {
    const keys = calls.map(({ key }) => escapeNul(key))
    return this.#write(
      { name: 'record-agent-calls', text: RECORD },
      calls.map(({ runId, value }) => ({ runId, text: value })),
      keys,
    )
  }

  async calls(id: string): Promise<ReadonlyMap<string, string>> {
    // on the connections that write: what this process has recorded is needed to continue
    const rows = await this.#deps.databases.writes.rows<{ key: string; value: string }>({
      name: 'agent-calls',
      text: 'SELECT key, value FROM agent_calls JOIN agent_runs ON number = run WHERE id = $1',
      values: [escapeNul(id)],
    })
    return new Map(rows.map(({ key, value }) => [unescapeNul(key), value]))
  }

  async appendParts(parts: readonly AnswerParts[]): Promise<boolean[]> {
    const rows = parts.map(({ runId, data }) => ({ runId, text: data }))
    const numbers = parts.map(({ seq }) => seq)
    const written = await this.#write({ name: 'append-agent-parts', text: APPEND }, rows, numbers)
    this.#deps.onCommitted([...new Set(parts.flatMap(({ runId }, index) => (written[index] ? [runId] : [])))])
    return written
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

  async #write(
    query: { readonly name: string; readonly text: string },
    rows: readonly { readonly runId: string; readonly text: string }[],
    column: readonly unknown[],
  ): Promise<boolean[]> {
    const ids = rows.map(({ runId }) => escapeNul(runId))
    const values = [this.#deps.ownerEpoch, ids, column, rows.map(({ text }) => text)]
    const { writes } = this.#deps.databases
    const owned = await this.#writes.run(() => writes.rows<{ id: string }>({ ...query, values }))
    const written = new Set(owned.map(({ id }) => id))
    return ids.map((id) => written.has(id))
  }
}
