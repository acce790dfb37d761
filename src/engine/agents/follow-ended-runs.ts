import type { Logger } from 'pino'
import type { Store } from '../../store/store.ts'
import type { AgentRun } from './agent-run.ts'

interface FollowDeps {
  readonly store: Store
  readonly logger: Logger
}

/** Calls `onEnded` for each run of this process that another machine has ended, until the returned function is called. */
export function followEndedRuns(
  { store, logger }: FollowDeps,
  live: ReadonlyMap<string, AgentRun>,
  onEnded: (run: AgentRun) => void,
): () => void {
  const look = async (id: string) => {
    const [row] = await store.agentRuns.list({ id }, { limit: 1, offset: 0 })
    const run = live.get(id)
    if (run && row?.status !== 'running') onEnded(run)
  }
  return store.changes.follow({
    watched: () => live.keys(),
    onChange: (topic) => {
      if (!live.has(topic)) return
      look(topic).catch((err: unknown) => {
        // the changes are reported again when the database can be used again
        if (store.health.problem) return
        logger.warn({ err, runId: topic }, 'A change by another machine could not be read')
      })
    },
  })
}
