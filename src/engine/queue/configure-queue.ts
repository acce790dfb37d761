import type { ExecutionsDeps } from '../executions/deps.ts'

/** Stores the limits of the current workflows, which apply to those that wait already. */
export async function configureQueue({
  store,
  registry,
  clock,
}: Pick<ExecutionsDeps, 'store' | 'registry' | 'clock'>): Promise<void> {
  const limits = registry()
    .list()
    .flatMap(({ queue }) => queue?.limits ?? [])
  await store.queue.configure(limits, clock.now())
}
