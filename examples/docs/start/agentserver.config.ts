import { createAgent, createTool, createWorkflow, defineConfig, resumeExecution } from 'agentserver'
import { z } from 'zod'

export const findOrder = createTool({
  name: 'findOrder',
  description: 'Finds an order by its number',
  inputSchema: z.object({ order: z.number() }),
  execute: ({ order }) => ({ order, status: 'shipped' }),
})

export const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Answer questions about orders. Be brief.',
  tools: [findOrder],
})

export const leave = createWorkflow({ id: 'leave', inputSchema: z.object({ days: z.number() }) }).andThen({
  id: 'approve',
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: ({ data, suspend, resumeData }) =>
    resumeData ? { ...data, ...resumeData } : suspend('Waits for approval'),
})

export default defineConfig({
  agents: [clerk],
  workflows: [leave],
  configureApp: (app) => {
    app.post('/questions', async (c) => {
      const { question } = await c.req.json<{ question: string }>()
      const userId = c.get('user')?.id
      const { text } = await clerk.generate(question, { userId, signal: c.req.raw.signal })
      return c.json({ text })
    })

    app.get('/orders/:order', async (c) =>
      c.json(await findOrder.run({ order: Number(c.req.param('order')) })),
    )

    app.post('/leave', async (c) => {
      const input = await c.req.json<{ days: number }>()
      const { executionId } = await leave.start(input, { userId: c.get('user')?.id })
      return c.json({ executionId }, 202)
    })

    app.post('/leave/:executionId/approve', async (c) => {
      const { status, result } = await resumeExecution('leave', c.req.param('executionId'), {
        approved: true,
      })
      return c.json({ status, result })
    })
  },
})
