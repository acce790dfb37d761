import { createMcpServer, createTool, defineConfig } from 'agentserver'
import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

const handbook = createMcpServer({
  id: 'handbook',
  name: 'Handbook',
  resources: [
    {
      uri: 'handbook://rules',
      name: 'House rules',
      mimeType: 'text/markdown',
      read: () => readFile('rules.md', 'utf8'),
      watch: ({ signal }, changed) => {
        watch('rules.md', { signal }, () => changed())
      },
    },
    {
      uri: 'handbook://teams/{team}',
      name: 'Team',
      description: 'Members of a team',
      read: ({ params }) => (params['team'] === 'support' ? { members: ['Ada', 'Grace'] } : undefined),
    },
  ],
  prompts: [
    {
      name: 'reply',
      description: 'Answers a customer by the house rules',
      arguments: [
        { name: 'question', required: true },
        {
          name: 'tone',
          complete: (typed) => ['friendly', 'formal'].filter((tone) => tone.startsWith(typed)),
        },
      ],
      get: ({ question, tone = 'friendly' }) => `Answer in a ${tone} tone, by the house rules: ${question}`,
    },
  ],
  tools: [
    createTool({
      name: 'give-feedback',
      description: 'Collects feedback on a rule from the user and summarizes it',
      inputSchema: z.object({ rule: z.string() }),
      execute: async ({ rule }, { elicit, sample, logger }) => {
        if (!elicit) return 'Your client does not support elicitation'
        const answer = await elicit({
          message: `What do you think of the rule "${rule}"?`,
          schema: z.object({ stars: z.int().min(1).max(5), why: z.string() }),
        })
        if (answer.action !== 'accept') return 'No feedback'
        logger.info({ rule, stars: answer.content.stars }, 'Feedback')
        if (!sample) return answer.content.why
        const summary = await sample({
          messages: [
            { role: 'user', content: { type: 'text', text: `In ten words: ${answer.content.why}` } },
          ],
          maxTokens: 50,
        })
        return summary.content.type === 'text' ? summary.content.text : answer.content.why
      },
    }),
  ],
})

export default defineConfig({ mcpServers: [handbook] })
