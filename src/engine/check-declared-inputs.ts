import { MAX_EXAMPLE_LENGTH } from '../contract/schema-examples.ts'
import { AppError, messageOf } from '../lib/errors.ts'
import { toJson } from '../lib/json/to-json.ts'
import { parseInput } from './record/values.ts'
import type { RegisteredWorkflow, Registry } from './registry.ts'

/**
 * Checks the inputs of schedules that are values.
 *
 * @throws AppError `invalid_config` when a workflow does not accept one.
 */
export async function checkScheduleInputs(registry: Registry): Promise<void> {
  for (const { id, choosesInput, workflow, inputAt } of registry.schedules)
    if (!choosesInput)
      await named(`schedule "${id}"`, async () =>
        parseInput(registry.get(workflow.id), await inputAt({ scheduledAt: new Date(0) })),
      )
}

/**
 * Checks the examples of workflows, as clients receive and send them.
 *
 * @throws AppError `invalid_config` when one is not JSON, is too long, or is not accepted by its workflow.
 */
export async function checkExamples(registry: Registry): Promise<void> {
  for (const workflow of registry.list())
    for (const [index, example] of (workflow.definition.examples ?? []).entries())
      await named(`workflow "${workflow.definition.id}": examples[${index}]`, async () =>
        checkExample(workflow, example),
      )
}

async function checkExample(workflow: RegisteredWorkflow, example: unknown): Promise<void> {
  const text = toJson(example, 'input')
  if (text.length > MAX_EXAMPLE_LENGTH)
    throw new AppError(
      'invalid_config',
      `has ${text.length} characters as JSON; at most ${MAX_EXAMPLE_LENGTH}`,
    )
  await parseInput(workflow, JSON.parse(text))
}

async function named(place: string, check: () => Promise<unknown>): Promise<void> {
  try {
    await check()
  } catch (error) {
    throw new AppError('invalid_config', `${place}: ${messageOf(error)}`, { cause: error })
  }
}
