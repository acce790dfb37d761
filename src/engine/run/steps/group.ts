import type { StepRow } from '../../../store/execution-store.ts'
import { SKIPPED } from '../../../workflow/definition.ts'
import { stepStarted } from '../../record/execution-events.ts'
import type { DurableRecord } from '../../record/execution-record.ts'
import { recordedOutcome, startedRow } from '../../record/step-rows.ts'
import type { StepTask } from '../step-task.ts'
import { SuspendSignal } from '../errors.ts'
import type { RunTrace } from '../run-trace.ts'

interface Group extends StepTask {
  readonly record: DurableRecord
  readonly trace: RunTrace
  checkpoint(): void
  skip(row: StepRow): string
  complete(row: StepRow, output: string): string
  fail(row: StepRow, error: unknown): never
}

/** Runs a step that consists of other steps: recorded like one, without attempts of its own. */
export async function runGroup(group: Group, body: () => Promise<string | typeof SKIPPED>): Promise<string> {
  const { record, trace } = group
  const before = record.steps.get(group.path)
  const recorded = before && before.status !== 'suspended' && recordedOutcome(before, group)
  if (recorded && 'output' in recorded) return recorded.output
  group.checkpoint()
  const fresh = !before || before.attempts === 0
  const started = startedRow(group, record.now(), fresh ? before : { ...before, attempts: 0 })
  const row = { ...started, exempt: before?.exempt ?? false, trial: before?.trial ?? null }
  record.stage({ step: row, ...(fresh && { events: [stepStarted(group, row.attempts)] }) })
  const span = trace.start(group, 1)
  // the body may have recorded its items, and evaluated a function
  const current = () => record.steps.get(group.path) ?? row
  try {
    const result = await span.run(body)
    const output = result === SKIPPED ? group.skip(current()) : group.complete(current(), result)
    trace.end(group, span, result === SKIPPED ? 'skipped' : { output })
    return output
  } catch (error) {
    trace.fail(group, span, error)
    if (error instanceof SuspendSignal) record.stage({ step: { ...current(), status: 'suspended' } })
    else group.fail(current(), error)
    throw error
  }
}
