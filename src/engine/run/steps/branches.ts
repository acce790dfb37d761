import { isWithin } from '../../../contract/step-path.ts'
import { Scope } from '../../../lib/async/scope.ts'
import type { StepRow } from '../../../store/execution-store.ts'
import type { RunActivity } from './run-activity.ts'
import type { DurableRecord } from '../../record/execution-record.ts'
import type { ChildRuns } from './child.ts'
import { RunAborted, SuspendSignal } from '../errors.ts'
import { resultIn } from '../../record/step-rows.ts'
import { suspendedExecution } from './agent-wait.ts'

/** A nested step, or a group, that runs in parallel with others. */
export interface Branch {
  /** Of its steps. */
  readonly paths: readonly string[]
  readonly run: (scope: Scope) => Promise<string>
}

interface GroupOptions {
  readonly parent: Scope
  readonly activity: RunActivity
}

interface AllOptions extends GroupOptions {
  /** The number of branches that run at the same time. */
  readonly concurrency: number
}

/**
 * Runs branches in parallel and waits for all. The first failure aborts the others and is thrown immediately.
 * If none fails but some suspend, the group suspends when the others are done. A suspended branch keeps its place among
 * those that run at the same time.
 */
export async function runAll(
  branches: readonly Branch[],
  { parent, activity, concurrency }: AllOptions,
): Promise<string[]> {
  const scope = new Scope(parent)
  const suspended: (SuspendSignal | undefined)[] = []
  const results: string[] = []
  const waiting = branches.entries()
  const runInTurn = async () => {
    for (const [index, branch] of waiting) {
      try {
        results[index] = await branch.run(scope)
      } catch (error) {
        if (!(error instanceof SuspendSignal)) throw error
        suspended[index] = error
        return
      }
    }
  }
  try {
    const count = Math.min(concurrency, branches.length)
    await inGroup(
      activity,
      Array.from({ length: count }, () => runInTurn),
      (running) => Promise.all(running),
    )
    const first = firstSuspended(suspended)
    if (first) throw first
    return results
  } catch (error) {
    scope.abort(new RunAborted('branch-failed', 'Another branch failed'))
    throw error
  } finally {
    scope.close()
  }
}

/**
 * Runs branches in parallel until the first completes; the others are aborted. If none completes, the group
 * suspends with the first branch that suspended, or else throws the first failure.
 */
export async function runRace(
  branches: readonly Branch[],
  { parent, activity }: GroupOptions,
): Promise<string> {
  const scope = new Scope(parent)
  const suspended: (SuspendSignal | undefined)[] = []
  const failures: unknown[] = []
  try {
    const running = branches.map((branch, index) => async () => {
      try {
        return await branch.run(scope)
      } catch (error) {
        if (error instanceof SuspendSignal) suspended[index] = error
        else failures.push(error)
        throw error
      }
    })
    return await inGroup(activity, running, (all) => Promise.any(all))
  } catch {
    // a branch that was stopped may win when it runs again
    throw firstSuspended(suspended) ?? failures.find((error) => error instanceof RunAborted) ?? failures[0]
  } finally {
    scope.abort(new RunAborted('lost-race', 'Another branch was first'))
  }
}

/** Starts branches, and waits for them as `settled` says. The step around them does nothing in the meantime. */
async function inGroup<One, All>(
  activity: RunActivity,
  branches: readonly (() => Promise<One>)[],
  settled: (running: Promise<One>[]) => Promise<All>,
): Promise<All> {
  activity.change(branches.length - 1)
  const running = branches.map((branch) => branch().finally(() => activity.change(-1)))
  try {
    return await settled(running)
  } finally {
    activity.change(1)
  }
}

/** The result of the branch that won a race before a crash, of the rows of the last steps of all branches. */
export function recordedWinner(branches: readonly StepRow[]): string | undefined {
  const [won] = branches
    .filter(
      ({ status, type }) =>
        status === 'completed' || status === 'skipped' || (status === 'error' && type === 'andTap'),
    )
    .toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
  return won && (resultIn(won) ?? won.input)
}

export interface CancelDeps {
  readonly record: Pick<DurableRecord, 'steps' | 'now' | 'stage'>
  readonly children: Pick<ChildRuns, 'cancelChild' | 'endAnswer'>
}

/** Records the open steps of these branches as cancelled, and cancels their children and the runs of their agents. */
export async function cancelOpen(
  { record, children }: CancelDeps,
  branches: readonly Pick<Branch, 'paths'>[],
  reason: string,
): Promise<void> {
  const openSteps = () =>
    [...record.steps.values()].filter(
      ({ path: inner, status }) =>
        (status === 'running' || status === 'suspended') &&
        branches.some(({ paths }) => paths.some((path) => isWithin(inner, path))),
    )
  const waiting = openSteps().flatMap(({ suspendData }) => suspendedExecution(suspendData)?.id ?? [])
  // before the steps: after a crash, those that are open are found again
  if (waiting.length > 0) await Promise.all(waiting.map((id) => children.endAnswer(id)))
  const endedAt = record.now()
  const open = openSteps()
  for (const row of open) record.stage({ step: { ...row, status: 'cancelled', endedAt } })
  const running = open.flatMap(({ childId }) => childId ?? [])
  await Promise.all(running.map((id) => children.cancelChild(id, { reason })))
}

/** A step that suspended itself comes before one that was stopped from outside before it started. */
export function firstSuspended(suspended: readonly (SuspendSignal | undefined)[]): SuspendSignal | undefined {
  return suspended.find((signal) => signal && !signal.external) ?? suspended.find((signal) => signal)
}
