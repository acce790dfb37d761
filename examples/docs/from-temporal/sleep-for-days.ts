import { createWorkflow, defineEvent } from 'agentserver'
import { z } from 'zod'

export const complete = defineEvent({
  name: 'complete',
  schema: z.object({ reason: z.string() }),
})

/** Stands for the mail service. */
export const outbox: string[] = []

export const reminders = createWorkflow({
  id: 'reminders',
  inputSchema: z.object({
    email: z.email(),
    days: z.int().positive().default(30),
  }),
  run: async ({ input: { email, days }, step }) => {
    for (let mails = 1; ; mails++) {
      await step.run(
        `mail-${mails}`,
        () =>
          void outbox.push(`${email}: sleeping for ${days} days`),
      )
      const event = await step.waitForEvent(`sleep-${mails}`, {
        event: complete,
        key: email,
        timeout: `${days}d`,
        onTimeout: 'continue',
      })
      if ('reason' in event) return { mails, reason: event.reason }
    }
  },
})
