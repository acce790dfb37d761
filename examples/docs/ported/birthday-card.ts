import { createAgent, createWorkflow } from 'agentserver'
import { z } from 'zod'

const writer = createAgent({
  id: 'card-writer',
  name: 'Card writer',
  instructions: 'Write the text of a birthday card in two sentences.',
})
const painter = createAgent({
  id: 'card-painter',
  name: 'Card painter',
  instructions: 'Draw the picture of a birthday card as an SVG of 400 by 300.',
})

export interface Mail {
  readonly to: string
  readonly text: string
  readonly picture?: string
  readonly url?: string
}

/** Stands for the mail service. */
export const outbox: Mail[] = []

export const birthdayCard = createWorkflow({
  id: 'birthday-card',
  inputSchema: z.object({
    name: z.string(),
    email: z.email(),
    birthday: z.iso.datetime(),
    guests: z.array(z.email()).max(50),
  }),
  uses: [writer, painter],
  run: async ({ input: { name, email, birthday, guests }, step }) => {
    const [text, picture] = await Promise.all([
      step.agent('text', writer, { prompt: `A card for ${name}` }),
      step.agent('picture', painter, {
        prompt: `A picture for ${name}`,
        schema: z.object({ svg: z.string() }),
      }),
    ])

    const replies = await Promise.all(
      guests.map(async (guest, index) => {
        const reply = await step.suspend(`rsvp-${index}`, {
          reason: `${guest} is invited to the birthday of ${name}`,
          resumeSchema: z.object({ comes: z.boolean() }),
          timeout: '14d',
          onTimeout: 'continue',
          notify: ({ url, step: within }) =>
            within.run('invite', () => void outbox.push({ to: guest, text: `Do you come to ${name}?`, url })),
        })
        return { guest, comes: 'comes' in reply && reply.comes }
      }),
    )
    const coming = replies.filter(({ comes }) => comes).map(({ guest }) => guest)

    await step.sleepUntil('birthday', birthday)
    await step.run('send', () => {
      outbox.push({
        to: email,
        text: `${text.text} ${coming.length} guests come.`,
        picture: picture.object.svg,
      })
    })
    return { coming }
  },
})
