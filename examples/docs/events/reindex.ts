import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const reindex = createWorkflow({
  id: 'reindex',
  inputSchema: z.object({ page: z.string(), text: z.string() }),
  on: [{ event: 'page.edited' }],
  debounce: { per: '2s', key: ({ input }) => input.page },
  run: async ({ input, step }) => step.run('index', () => ({ words: input.text.split(' ').length })),
})
