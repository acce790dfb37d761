import { BREAKPOINT } from '../../contract/breakpoints/breakpoint.ts'
import { SuspendSignal } from '../run/errors.ts'
import type { StepTask } from '../run/step-task.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { pausedRow } from '../record/step-rows.ts'
import { isAtBreakpoint, pausesBefore } from './breakpoints.ts'

/**
 * Suspends before a step that has a breakpoint and has not started, or that waits at one: its row, without an attempt,
 * has the data, so that the step stays suspended while other branches continue, also after a crash.
 *
 * @throws SuspendSignal
 */
export function pauseBefore(record: DurableRecord, task: StepTask, checkpoint: () => void): void {
  const row = record.steps.get(task.path)
  if (row ? !isAtBreakpoint(row) : !pausesBefore(record.row.pauseAt, task)) return
  checkpoint()
  if (!row) record.stage({ step: pausedRow(task, record.now()) })
  throw new SuspendSignal(task, { reason: BREAKPOINT, data: task.input, resumeSchema: null })
}
