import { AppError, messageOf } from '../lib/errors.ts'
import { parseInput } from './record/values.ts'
import type { Registry } from './registry.ts'

/**
 * Checks the inputs that a configuration has: the examples of workflows, and the inputs of schedules that are values.
 *
 * @throws AppError `invalid_config` when a workflow does not accept one.
 */
export async function checkDeclaredInputs(registry: Registry): Promise<void> {
  for (const workflow of registry.list()) {
    const { id, examples = [] } = workflow.definition
    for (const [index, example] of examples.entries())
      await named(`workflow "${id}": examples[${index}]`, async () => parseInput(workflow, example))
  }
  for (const { id, choosesInput, workflow, inputAt } of registry.schedules)
    if (!choosesInput)
      await named(`schedule "${id}"`, async () =>
        parseInput(registry.get(workflow.id), await inputAt({ scheduledAt: new Date(0) })),
      )
}

async function named(place: string, check: () => Promise<unknown>): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw new AppError('invalid_config', `${place}: ${messageOf(error)}`, { cause: error })
  }
}
