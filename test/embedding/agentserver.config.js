import { andThen, createWorkflow, defineConfig } from 'agentserver'

const greet = createWorkflow(
  { id: 'greet' },
  andThen({ id: 'greet', execute: ({ data }) => ({ text: `Hello ${data.name}` }) }),
)

export default defineConfig({ workflows: [greet] })
