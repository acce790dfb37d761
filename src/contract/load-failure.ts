import { z } from 'zod'

/** Why the configuration failed to load, as shown in the console and the terminal. */
export const LoadFailure = z
  .object({
    name: z
      .string()
      .describe('SyntaxError, ResolveError, ConfigError, or the name of the error that the code threw'),
    message: z.string(),
    file: z.string().nullable().describe('File with the error, relative to the project; null when unknown'),
    line: z.int().nullable().describe('Line, from 1'),
    column: z.int().nullable().describe('Column, from 1'),
    frame: z.string().nullable().describe('Source lines with a caret below the column'),
  })
  .meta({ id: 'LoadFailure' })
export type LoadFailure = Readonly<z.infer<typeof LoadFailure>>
