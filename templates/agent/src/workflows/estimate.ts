import { createWorkflow, NonRetryableError } from 'agentserver'
import { z } from 'zod'
import { clerk } from '../agents/clerk.ts'
import { evaluate } from '../arithmetic/evaluate.ts'

const EstimateInput = z.object({
  title: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[^"\n]+$/, 'Must be one line without double quotes'),
  lines: z
    .array(
      z.object({
        what: z.string().min(1),
        price: z.string().regex(/^\d{1,9}(\.\d{1,4})?$/),
        count: z.int().min(1).max(10_000),
      }),
    )
    .min(1)
    .max(8),
})

const EstimateResult = z.object({ title: z.string(), total: z.string(), note: z.string() })

/** The shape of the agent's answer. Any other answer fails the attempt, which is then retried. */
const Sum = z.object({
  total: z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .describe('The value that the tool returned'),
})

const AddedNote = z.object({ note: z.string().describe('The note as it was added') })

export const estimate = createWorkflow({
  id: 'estimate',
  name: 'Estimate',
  purpose: 'Estimate a cost and store a note of it',
  inputSchema: EstimateInput,
  examples: [{ title: 'Office', lines: [{ what: 'chair', price: '49.90', count: 3 }] }],
  resultSchema: EstimateResult,
})
  .andThen({
    id: 'expression',
    execute: ({ data }) => ({
      title: data.title,
      expression: data.lines.map(({ price, count }) => `${count} * ${price}`).join(' + '),
    }),
  })
  .andAgent({
    id: 'sum',
    agent: clerk,
    retries: { limit: 2, delayMs: 100 },
    timeoutMs: 60_000,
    prompt: ({ data }) => `Calculate "${data.expression}".`,
    schema: Sum,
    map: ({ data, result }) => ({ ...data, total: result.object.total }),
  })
  .andThen({
    id: 'check',
    purpose: 'Verify the total, because a model can copy a number wrongly',
    execute: ({ data }) => ({ ...data, total: checkedTotal(data) }),
  })
  .andAgent({
    id: 'note',
    agent: clerk,
    retries: { limit: 2, delayMs: 100 },
    timeoutMs: 60_000,
    prompt: ({ data }) => `Add a note: "${data.title}: ${data.total}".`,
    schema: AddedNote,
    map: ({ data, result }) => ({ title: data.title, total: data.total, note: result.object.note }),
  })

/** The agent's total, verified. */
export function checkedTotal({ expression, total }: { expression: string; total: string }): string {
  const exact = evaluate(expression).toString()
  if (evaluate(total).toString() !== exact)
    throw new NonRetryableError(`The agent returned ${total}, but ${expression} is ${exact}`)
  return exact
}
