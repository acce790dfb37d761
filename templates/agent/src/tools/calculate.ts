import { createTool } from 'agentserver'
import { z } from 'zod'
import { evaluate } from '../arithmetic/evaluate.ts'

export const calculate = createTool({
  name: 'calculate',
  description:
    'Calculates an arithmetic expression exactly. Supports decimal numbers, + - * / ^ and parentheses.',
  inputSchema: z.object({
    expression: z.string().min(1).max(200).describe('The expression, such as 3 * (1249.90 + 89.5)'),
  }),
  outputSchema: z.object({
    value: z.string().describe('A decimal number, or a fraction if no decimal number is exact'),
  }),
  execute: ({ expression }) => ({ value: evaluate(expression).toString() }),
})
