import type { z } from 'zod'
import { AppError } from '../lib/errors.ts'
import { formatIssues } from '../lib/schema/schema.ts'
import { readIssues } from '../lib/schema/standard-validation.ts'

/** An argument of a call of the project's code. @throws AppError `invalid_input` naming the argument, or its member. */
export function validArgument<S extends z.ZodType>(schema: S, value: unknown, name: string): z.infer<S> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new AppError('invalid_input', formatIssues(readIssues(error.issues, value, 'zod'), name))
}
