import { AppError } from '../../lib/errors.ts'
import { toJson } from '../../lib/json/index.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import type { RegisteredWorkflow } from '../registry.ts'

/**
 * A workflow's input, parsed by its schema, as JSON text.
 *
 * @throws AppError `invalid_input` naming the fields that do not fit.
 */
export async function validInput(workflow: RegisteredWorkflow, input: unknown): Promise<string> {
  if (!workflow.input) {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new AppError('invalid_input', 'Input validation failed: input: Expected an object')
    return toJson(input, 'input')
  }
  const checked = await workflow.input.validate(input)
  if (!checked.ok)
    throw new AppError('invalid_input', `Input validation failed: ${formatIssues(checked.issues, 'input')}`)
  return toJson(checked.value, 'input')
}
