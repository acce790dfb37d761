import { z } from 'zod'

/** How a tool call of a sub-agent has ended, or what it has yielded so far. */
export const ToolOutcome = {
  output: z.unknown().optional(),
  error: z.string().optional(),
  preliminary: z.literal(true).optional(),
}
