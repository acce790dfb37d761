import type { EndRequest } from '../run/outcome.ts'
import type { Run } from '../run/run.ts'
import { AppError } from '../../lib/errors.ts'
import { whenAvailable } from '../database-outage.ts'
import { WakeUp } from '../../lib/async/wake-up.ts'
import type { ExecutionResult } from '../../contract/event.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { NOBODY } from '../../store/queue-store.ts'
import { recordedResult, resultOf, stoppedError } from '../record/result.ts'
import type { CommandDeps } from './live-runs.ts'

// An execution runs elsewhere when its status is `running`, it has no run in this process, and its owner is alive. One that
// waits for a slot has nobody as its owner: it counts as one that runs elsewhere, until its job continues it.
// Machines see each other's changes in the store: a command writes its request there, and the owner looks.

type Row = Pick<ExecutionRow, 'id' | 'status' | 'ownerEpoch'>

/** Whether an execution runs on another machine that is alive. */
export async function runsRemotely({ runs, store }: CommandDeps, row: Row): Promise<boolean> {
  if (row.status !== 'running' || row.ownerEpoch === store.ownerEpoch || runs.get(row.id)) return false
  return row.ownerEpoch === NOBODY || store.dispatcher.isAlive(row.ownerEpoch)
}

/**
 * Waits until an execution that does not run here is not `running` any more, and returns its row. Returns `undefined`
 * as soon as it runs here, the server stops, the execution does not exist, or `leave` is true of its current row.
 */
export async function awaitRemote(
  { runs, store, hub }: CommandDeps,
  id: string,
  leave: (row: ExecutionRow) => Promise<boolean> = () => Promise.resolve(false),
): Promise<ExecutionRow | undefined> {
  const wakeUp = new WakeUp()
  const unsubscribe = hub.subscribe(id, wakeUp.notify)
  const { stopSignal } = runs
  stopSignal.addEventListener('abort', wakeUp.notify)
  try {
    for (;;) {
      if (runs.stopping || runs.get(id)) return undefined
      const row = await whenAvailable(store, () => store.executions.get(id), stopSignal)
      if (row?.status !== 'running') return row
      if (await whenAvailable(store, () => leave(row), stopSignal)) return undefined
      await wakeUp.wait()
    }
  } finally {
    unsubscribe()
    stopSignal.removeEventListener('abort', wakeUp.notify)
  }
}

/**
 * The result of a run, also when another machine has taken the execution over meanwhile.
 *
 * @throws AppError as {@link resultOf} does.
 */
export async function resultOfRun(deps: CommandDeps, run: Run): Promise<ExecutionResult> {
  const { row } = run.record
  const end = await run.ended
  return end.kind === 'fenced' ? awaitResult(deps, row.id) : resultOf(row, end)
}

/**
 * Waits until an execution settles, wherever it runs.
 *
 * @throws AppError `not_found`, `execution_failed`, `unavailable` when this server stops.
 */
export async function awaitResult(deps: CommandDeps, id: string): Promise<ExecutionResult> {
  for (;;) {
    const row = await awaitRemote(deps, id)
    if (row) return recordedResult(row)
    const run = deps.runs.get(id)
    if (run) return resultOfRun(deps, run)
    if (deps.runs.stopping) throw stoppedError(id, undefined)
    if (!(await deps.store.executions.get(id))) throw new AppError('not_found', `Execution not found: ${id}`)
  }
}

/**
 * Stores a request to suspend an execution at its next step boundary, which its owner reads; `text` is its JSON.
 * `false` when the execution does not run any more.
 */
export async function storeSuspendRequest(deps: CommandDeps, id: string, text: string): Promise<boolean> {
  const { runs, store, clock, hub } = deps
  const set = { suspendRequest: text, updatedAt: clock.now() }
  const [applied = false] = await store.executions.write([{ id, update: { from: 'running', set } }])
  const stored = applied !== false
  // this machine may have taken it over in the meantime
  if (stored) runs.get(id)?.requestSuspend(JSON.parse(text) as EndRequest)
  hub.publish(id)
  return stored
}

/**
 * Notifies those who wait for executions of changes by other machines, and applies these to the executions that run
 * here, until the returned function is called.
 */
export function followRemoteChanges(deps: CommandDeps): () => void {
  const { runs, hub, store, logger } = deps
  return store.changes.follow({
    *watched() {
      yield* hub.topics()
      yield* runs.ids()
    },
    onChange: (topic) => {
      hub.publish(topic)
      applyRemoteChange(deps, topic).catch((err: unknown) => {
        // the changes are reported again when the database can be used again
        if (store.health.problem) return
        logger.warn({ err, executionId: topic }, 'A change by another machine could not be read')
      })
    },
  })
}

/** Applies what other machines did to an execution that runs here: took it over, cancelled it, requested it to suspend. */
async function applyRemoteChange({ runs, store }: CommandDeps, id: string): Promise<void> {
  const run = runs.get(id)
  if (!run?.record.owned || run.record.closed) return
  const row = await store.executions.get(id)
  if (run.record.closed) return
  if (row?.status !== 'running') run.abandon('ended')
  else if (row.ownerEpoch !== store.ownerEpoch) run.abandon('fenced')
  else if (row.suspendRequest !== null) run.requestSuspend(JSON.parse(row.suspendRequest) as EndRequest)
  // it may wait for an event
  else run.wake()
}
