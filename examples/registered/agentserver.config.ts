import { createWorkflow, defineConfig, getExecution, startWorkflow } from 'agentserver'
import { z } from 'zod'

const order = createWorkflow({ id: 'order', inputSchema: z.object({ amount: z.number() }) }).andThen({
  id: 'pay',
  execute: ({ data }) => ({ paid: data.amount }),
})

const config = defineConfig({
  workflows: [order],
  configureApp: (app) => {
    app.post('/orders', async (c) => {
      const { executionId } = await startWorkflow('order', { amount: 250 })
      return c.json({ executionId }, 202)
    })

    app.get('/orders/:executionId', async (c) => {
      const { status, output } = await getExecution('order', c.req.param('executionId'))
      return c.json({ status, paid: output?.paid })
    })
  },
})

export default config
