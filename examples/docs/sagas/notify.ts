import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const sent: string[] = []

export const report = createWorkflow({
  id: 'report',
  inputSchema: z.object({ email: z.string() }),
  run: ({ step }) => step.run('write', () => ({ pages: 3 })),
  onEnd: async ({ status, input, step }) => {
    await step.run('mail', ({ idempotencyKey }) => send(input.email, { text: status, idempotencyKey }))
  },
})

const send = async (to: string, { text }: { text: string; idempotencyKey: string }) => {
  sent.push(`${to}: ${text}`)
}
