import type { ScheduledJob } from '../../dispatcher.ts'
import type { QueueStore } from '../../queue-store.ts'
import type { JobTable } from '../dispatch/job-table.ts'
import type { Database } from '../driver.ts'
import { inTransaction } from '../transaction.ts'
import type { Queue } from './queue.ts'

interface QueueDeps {
  readonly database: Database
  readonly queue: Queue
  readonly jobs: JobTable
}

export function sqliteQueue({ database, queue, jobs }: QueueDeps): QueueStore {
  const change = (work: () => readonly ScheduledJob[]) => {
    try {
      inTransaction(database, () => jobs.change({ add: work() }))
    } catch (error) {
      jobs.discard()
      throw error
    }
    jobs.committed()
  }
  return {
    configure: async (limits, now) => change(() => queue.configure(limits, now)),
    admit: async (workflowId, now) => change(() => queue.admit(workflowId, now)),
    waiting: async (ids) => queue.waiting(ids),
    list: async (limit) => queue.list(limit),
  }
}
