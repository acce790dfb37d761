import type { ExecutionStore } from '../../execution-store.ts'
import type { PostgresDatabases } from '../connection/postgres-databases.ts'
import { PostgresExecutionLists } from './execution-lists.ts'
import { PostgresMilestones } from './execution-milestones.ts'
import { PostgresExecutionPruner } from './execution-pruner.ts'
import { PostgresExecutionReader } from './execution-reader.ts'
import { PostgresExecutionWriter } from './execution-writer.ts'
import type { ExecutionWriterDeps } from './execution-writer.ts'

export interface PostgresExecutionDeps extends Omit<ExecutionWriterDeps, 'database'> {
  readonly databases: Pick<PostgresDatabases, 'writes' | 'reads'>
}

interface PostgresExecutions extends ExecutionStore {
  /** Makes the first write as fast as later ones. To be called when the database can be used. */
  warm(): Promise<void>
}

export function postgresExecutions({ databases, ...deps }: PostgresExecutionDeps): PostgresExecutions {
  const { writes, reads } = databases
  const writer = new PostgresExecutionWriter({ ...deps, database: writes })
  const reader = new PostgresExecutionReader(reads)
  const lists = new PostgresExecutionLists(reads)
  const milestones = new PostgresMilestones(reads)
  const pruner = new PostgresExecutionPruner(writes)
  return {
    write: (batch) => writer.write(batch),
    warm: () => writer.warm(),
    get: (id) => reader.get(id),
    ownership: (id) => reader.ownership(id),
    history: (id) => reader.history(id),
    list: (filter, page) => lists.list(filter, page),
    histories: (filter, page) => lists.histories(filter, page),
    count: (filter) => lists.count(filter),
    steps: (id) => reader.steps(id),
    events: (id, range) => reader.events(id, range),
    workflowEvents: (id) => reader.workflowEvents(id),
    lastSequence: (id) => reader.lastSequence(id),
    milestones: (range) => milestones.read(range),
    newestMilestone: () => milestones.newest(),
    openChildren: (id) => reader.openChildren(id),
    prune: (retention, limit) => pruner.prune(retention, limit),
  }
}
