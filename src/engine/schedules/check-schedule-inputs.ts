import { AppError, messageOf } from '../../lib/errors.ts'
import { parseInput } from '../record/values.ts'
import type { Registry } from '../registry.ts'

/**
 * Checks the inputs of schedules that are values.
 *
 * @throws AppError `invalid_config` when a workflow does not accept one.
 */
export async function checkScheduleInputs(registry: Registry): Promise<void> {
  for (const { id, choosesInput, workflow, inputAt } of registry.schedules) {
    if (choosesInput) continue
    try {
      await parseInput(registry.get(workflow.id), await inputAt({ scheduledAt: new Date(0) }))
    } catch (error) {
      throw new AppError('invalid_config', `schedule "${id}": ${messageOf(error)}`, { cause: error })
    }
  }
}
