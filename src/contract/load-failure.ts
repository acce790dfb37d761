import { z } from 'zod'

/** Why the configuration did not load, as the console and the terminal show it. */
export const LoadFailure = z
  .object({
    name: z.string().describe('SyntaxError, ResolveError, ConfigError, or the name of what the code threw'),
    message: z.string(),
    file: z.string().nullable().describe('Relative to the project; null when none of its files is to blame'),
    line: z.int().nullable().describe('Counted from 1'),
    column: z.int().nullable().describe('Counted from 1'),
    frame: z.string().nullable().describe('A few lines of source with a caret below the column'),
  })
  .meta({ id: 'LoadFailure' })
export type LoadFailure = Readonly<z.infer<typeof LoadFailure>>
