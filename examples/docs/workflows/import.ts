import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const importFile = createWorkflow({
  id: 'import',
  inputSchema: z.object({ lines: z.array(z.string()) }),
  run: async ({ input, step }) => {
    step.metadata({ lines: input.lines.length, phase: 'checking' })
    const bad = await step.run('check', () => input.lines.filter((line) => line === '').length)
    step.metadata({ phase: 'checked', bad })
    if (bad > 0) await step.suspend('correct', { reason: 'The file has empty lines' })
    return { imported: input.lines.length - bad }
  },
})
