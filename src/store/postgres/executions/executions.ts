import type { ExecutionStore } from '../../execution-store.ts'
import type { Databases, Queries } from '../connection/database.ts'
import { unescapeNul } from '../escape-nul.ts'
import { PostgresExecutionLists } from './execution-lists.ts'
import { PostgresMilestones } from './execution-milestones.ts'
import { PostgresExecutionPruner } from './execution-pruner.ts'
import { PostgresExecutionReader } from './execution-reader.ts'
import { PostgresExecutionWriter } from './execution-writer.ts'
import type { ExecutionWriterDeps } from './execution-writer.ts'

export interface PostgresExecutionDeps extends Omit<ExecutionWriterDeps, 'database'> {
  readonly databases: Pick<Databases, 'writes' | 'reads'>
  /** The owner epochs of the processes that are alive. */
  readonly aliveEpochs: () => Promise<readonly number[]>
}

export function postgresExecutions({
  databases,
  aliveEpochs,
  ...deps
}: PostgresExecutionDeps): ExecutionStore {
  const { writes, reads } = databases
  const writer = new PostgresExecutionWriter({ ...deps, database: writes })
  const reader = new PostgresExecutionReader(reads)
  const lists = new PostgresExecutionLists(reads)
  const milestones = new PostgresMilestones(reads)
  const pruner = new PostgresExecutionPruner(writes)
  return {
    write: (batch) => writer.write(batch),
    get: (id) => reader.get(id),
    ownership: (id) => reader.ownership(id),
    history: (id) => reader.history(id),
    list: (filter, page) => lists.list(filter, page),
    count: (filter) => lists.count(filter),
    steps: (id) => reader.steps(id),
    events: (id, range) => reader.events(id, range),
    lastSequence: (id) => reader.lastSequence(id),
    milestones: (range) => milestones.read(range),
    newestMilestone: () => milestones.newest(),
    orphaned: () => orphaned(reads, { ownerEpoch: deps.ownerEpoch, aliveEpochs }),
    openChildren: (id) => reader.openChildren(id),
    prune: (retention, limit) => pruner.prune(retention, limit),
  }
}

const RUNNING = `ended_at IS NULL AND status = 'running'`

/** Ids of running executions whose process is dead. A process that starts meanwhile is alive before it has executions. */
async function orphaned(
  database: Queries,
  { ownerEpoch, aliveEpochs }: Pick<PostgresExecutionDeps, 'ownerEpoch' | 'aliveEpochs'>,
): Promise<string[]> {
  const owners = await database.rows<{ epoch: number }>({
    text: `SELECT DISTINCT owner_epoch AS epoch FROM executions WHERE ${RUNNING}`,
  })
  const alive = new Set([ownerEpoch, ...(await aliveEpochs())])
  const dead = owners.map(({ epoch }) => epoch).filter((epoch) => !alive.has(epoch))
  if (dead.length === 0) return []
  const rows = await database.rows<{ id: string }>({
    text: `SELECT id FROM executions WHERE ${RUNNING} AND owner_epoch = ANY($1) ORDER BY created_at, number`,
    values: [dead],
  })
  return rows.map(({ id }) => unescapeNul(id))
}
