import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { startPruneLoop } from '../lib/async/prune-loop.ts'
import type { PruneCutoff, RetentionRule } from '../lib/async/prune-loop.ts'
import type { ClockCheck } from '../lib/clock-check.ts'
import { HOUR_MS } from '../lib/clock.ts'
import type { ExecutionStore } from '../store/execution-store.ts'
import type { Store } from '../store/store.ts'

/** Executions expire after days: a later look changes nothing. */
const EVERY_MS = 600_000
/** Readers of an answer that has ended still get its parts for this time. */
const PARTS_MS = 60_000

/**
 * Deletes ended executions, agent runs, conversations, working memory, events and runs of evals that retention no longer
 * covers, and use that counts for no budget any more, now and every ten minutes, until the returned function is called.
 */
export function keepRetention(options: {
  store: Store
  clock: Clock
  clockCheck: ClockCheck
  logger: Logger
  rule: RetentionRule
  evalRetention: RetentionRule
  eventsMs: number
}): () => void {
  const { store, rule, evalRetention, eventsMs: maxAgeMs, ...rest } = options
  const { clock, clockCheck } = rest
  const prune =
    (records: Pick<ExecutionStore, 'prune'>) =>
    ({ before, keep }: PruneCutoff, limit: number) =>
      records.prune({ endedBefore: before, keep }, limit)
  const loop = { ...rest, health: store.health, everyMs: EVERY_MS }
  const ends = [
    startPruneLoop({
      ...loop,
      prunes: {
        executions: prune(store.executions),
        'agent runs': prune(store.agentRuns),
        conversations: prune(store.conversations),
        'parts of answers': (_, limit) => store.agentRuns.pruneParts(rest.clock.now() - PARTS_MS, limit),
        events: async (_, limit) =>
          clockCheck.isTrusted ? store.events.prune({ now: clock.now(), maxAgeMs }, limit) : 0,
        'working memories': prune(store.workingMemory),
        'use of budgets': async (_, limit) =>
          clockCheck.isTrusted ? store.budgets.prune(Math.floor(clock.now() / HOUR_MS), limit) : 0,
      },
      giveBack: () => store.giveSpaceBack(),
      rule: () => rule,
    }),
    startPruneLoop({
      ...loop,
      prunes: { 'runs of evals': prune(store.evals) },
      rule: () => evalRetention,
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}
