import { createWorkflow } from 'agentserver'
import { createServer } from 'agentserver/server'
import { z } from 'zod'

const greet = createWorkflow({
  id: 'greet',
  inputSchema: z.object({ name: z.string() }),
  run: ({ input }) => `Hello ${input.name}`,
})

const server = createServer({ workflows: [greet], database: ':memory:' })
const { url } = await server.listen({ port: 0 })

const response = await fetch(`${url}/workflows/greet/execute`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ input: { name: 'Ada' } }),
})
const { data } = await response.json()
console.log(data.status, data.result)
await server.close()
