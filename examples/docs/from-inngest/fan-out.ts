import { createWorkflow, defineEvent } from 'agentserver'
import { z } from 'zod'

export const due = defineEvent({
  name: 'digest.due',
  schema: z.object({ week: z.string(), userId: z.string() }),
})

/** Stands for the mail service. */
export const outbox: string[] = []

/** Sends an event for each user. */
export const digests = createWorkflow({
  id: 'digests',
  inputSchema: z.object({ week: z.string() }),
  on: [{ event: 'week.ended' }],
  run: async ({ input: { week }, step }) => {
    const users = await step.run('users', () => usersOf(week))
    await Promise.all(
      users.map((userId) =>
        step.sendEvent(`user-${userId}`, due, { week, userId }),
      ),
    )
    return { users: users.length }
  },
})

/** Is started by each of these events: five at the same time, ten in a minute. */
export const digest = createWorkflow({
  id: 'digest',
  inputSchema: due.schema,
  on: [{ event: due }],
  concurrency: 5,
  rateLimit: { limit: 10, per: '1m' },
  run: async ({ input: { week, userId }, step }) => {
    const text = await step.run(
      'write',
      () => `Your week ${week}`,
      { retries: 3 },
    )
    await step.run(
      'mail',
      () => void outbox.push(`${userId}: ${text}`),
      { retries: 3 },
    )
  },
})

const usersOf = async (_week: string) =>
  Array.from({ length: 25 }, (_, index) => `u${index + 1}`)
