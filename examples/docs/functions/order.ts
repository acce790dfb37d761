import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const order = createWorkflow({
  id: 'order',
  inputSchema: z.object({ orderId: z.string(), total: z.number() }),
  resultSchema: z.object({ status: z.enum(['shipped', 'rejected']) }),
  run: async ({ input, step }) => {
    if (input.total > 100) {
      const { approved } = await step.suspend('approve', {
        reason: 'Amounts above 100 need approval',
        data: { total: input.total },
        resumeSchema: z.object({ approved: z.boolean() }),
        timeout: '3d',
      })
      if (!approved) return { status: 'rejected' }
    }
    const lines = await step.run('lines', () => linesOf(input.orderId))
    await Promise.all(
      lines.map((line) =>
        step.run(`book-${line}`, ({ idempotencyKey }) => book(line, { idempotencyKey }), { retries: 3 }),
      ),
    )
    await step.sleep('cool-down', '1s')
    return { status: 'shipped' }
  },
})

const linesOf = async (orderId: string) => [`${orderId}-mug`, `${orderId}-desk`]

const book = async (line: string, { idempotencyKey }: { idempotencyKey: string }) => ({
  line,
  idempotencyKey,
})
