import type { AgentRunEnd, AgentRunRow, AgentRunStore } from '../agent-store.ts'
import type { RunSuspension } from '../agents/agent-approvals.ts'
import type { AnswerParts } from '../agents/agent-journal.ts'
import type { RunningMessages } from '../agents/conversation-store.ts'
import type { JobChange } from '../dispatcher.ts'
import { AGENT_RUN_COLUMNS, KEPT_REQUEST } from '../rows/agent-run-columns.ts'
import { countedUsage } from '../rows/counted-usage.ts'
import { runningMessagesText } from '../rows/running-messages.ts'
import { SqlAgentRuns } from '../sql/agent-runs.ts'
import { tx } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'
import { ConversationWriter } from './conversation-writer.ts'
import { CallCounter, HourTally } from './counts.ts'
import type { Database, Statement } from './driver.ts'
import { GroupCommit } from './group-commit.ts'
import { inTransaction } from './transaction.ts'

// a run that had no continuation has one before its status changes, by which its end is noticed
const SUSPEND = `UPDATE agent_runs SET status = 'suspended', continuation = ?, expires_at = ?, output = ?, usage = ?, steps = ?
  WHERE id = ? AND owner_epoch = ? AND status = 'running' RETURNING number`
const ADD_APPROVAL = `INSERT INTO agent_approvals (id, run, kind, tool_call_id, tool_name, input, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

/** Agent runs in SQLite. Runs that begin or end in one turn of the event loop are stored in one transaction. */
export class SqliteAgentRuns extends SqlAgentRuns implements AgentRunStore {
  readonly #database: Database
  readonly #commits: GroupCommit
  readonly #conversations: ConversationWriter
  readonly #insert: Statement
  readonly #finish: Statement
  readonly #append: Statement
  readonly #tally: HourTally
  readonly #calls: CallCounter

  constructor(database: Database, sql: Sql, ownerEpoch: number) {
    // no other process writes to the database
    super(sql, { ownerEpoch, aliveEpochs: async () => [], onCommitted: () => undefined })
    const names = [
      ...AGENT_RUN_COLUMNS.map(([column]) => column),
      'continuation',
      'conversation',
      'running_messages',
    ]
    this.#database = database
    this.#commits = new GroupCommit(database)
    this.#conversations = new ConversationWriter(database)
    this.#tally = new HourTally(database)
    this.#calls = new CallCounter(database)
    this.#insert = database.prepare(
      `INSERT INTO agent_runs (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    this.#finish = database.prepare(
      `UPDATE agent_runs SET status = ?, ended_at = ?, output = ?, error = ?, usage = ?, steps = ?,
         model = coalesce(?, model), blocked_reason = ?, continuation = ${KEPT_REQUEST}
       WHERE id = ? AND ended_at IS NULL AND owner_epoch = ? RETURNING requester`,
    )
    this.#append = database.prepare(
      `INSERT OR REPLACE INTO agent_parts (run, seq, data)
       SELECT number, ?, ? FROM agent_runs WHERE id = ? AND owner_epoch = ? AND status = 'running'`,
    )
  }

  insert(row: AgentRunRow, continuation?: string, runningMessages?: RunningMessages): Promise<void> {
    return this.#commits.run(() => {
      const values = [...AGENT_RUN_COLUMNS.map(([, key]) => row[key]), continuation ?? null]
      const begun = runningMessages
        ? [this.#conversations.begin(runningMessages), runningMessagesText(runningMessages)]
        : [null, null]
      this.#insert.run(...values, ...begun)
    })
  }

  finish(id: string, end: AgentRunEnd, runningMessages?: RunningMessages): Promise<boolean> {
    const { status, endedAt, output, error, usage, steps, model = null, blockedReason = null } = end
    const ending = [status, endedAt, output, error, usage, steps, model, blockedReason]
    return this.#commits.run(() => {
      const [done] = this.#finish.all(...ending, id, this.owner.ownerEpoch)
      if (done === undefined) return false
      if (runningMessages) this.#conversations.extend(runningMessages, endedAt)
      const { requester } = done as Pick<AgentRunRow, 'requester'>
      // the usage of a sub-agent is in that of the run that called it; a trial is no use of the project
      if (requester !== 'lab') this.#count({ endedAt, usage: requester === 'agent' ? null : usage })
      this.#calls.add(end.calls ?? [], endedAt)
      return true
    })
  }

  suspend(id: string, suspension: RunSuspension, jobs: JobChange = {}): Promise<boolean> {
    const { continuation, approvals, suspendedAt, expiresAt, output, usage, steps } = suspension
    const values = [continuation, expiresAt, output, usage, steps, id, this.owner.ownerEpoch]
    const calls = this.#calls
    return this.change(id, function* () {
      const [row] = yield* tx.all<{ number: number }>(SUSPEND, values)
      if (!row) return false
      for (const { id: approval, kind, toolCallId, toolName, input } of approvals)
        yield* tx.run(ADD_APPROVAL, [approval, row.number, kind, toolCallId, toolName, input, suspendedAt])
      calls.add(suspension.calls ?? [], suspendedAt)
      yield* tx.jobs(jobs)
      return true
    })
  }

  async appendParts(parts: readonly AnswerParts[]): Promise<boolean[]> {
    const { ownerEpoch } = this.owner
    return inTransaction(this.#database, () =>
      parts.map(({ runId, seq, data }) => Number(this.#append.run(seq, data, runId, ownerEpoch).changes) > 0),
    )
  }

  /** Stores what waits for its transaction. */
  flush(): void {
    this.#commits.flush()
  }

  #count({ endedAt, usage }: Pick<AgentRunEnd, 'endedAt' | 'usage'>): void {
    const { inputTokens, outputTokens, costNano } = countedUsage(usage)
    this.#tally.count(endedAt, 'answers')
    this.#tally.count(endedAt, 'inputTokens', inputTokens)
    this.#tally.count(endedAt, 'outputTokens', outputTokens)
    this.#tally.count(endedAt, 'costNano', costNano)
    this.#tally.store()
  }
}
