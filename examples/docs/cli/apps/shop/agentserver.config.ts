import { createWorkflow, defineConfig } from 'agentserver'

const greet = createWorkflow({ id: 'greet' }).andThen({ id: 'say', execute: () => 'Welcome to the shop' })

export default defineConfig({ workflows: [greet] })
