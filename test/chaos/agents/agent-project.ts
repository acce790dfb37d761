/** The number of tools that each run calls. */
export const TOOLS = 5

/** The tools of each answer of the model; the last one is a text. */
export const ANSWERS: readonly (readonly number[])[] = [[1], [2, 3], [4], [5], []]

/** The text that a run ends with. */
export function textOf(run: string): string {
  const outputs = Array.from({ length: TOOLS }, (_, index) => `${run}/${index + 1}`)
  return `Done: ${outputs.join(' ')}`
}

/** The project that is killed. Every tool notes its begin and end in the file `notes.log`. */
export const AGENT_FILES = {
  'agentserver.config.ts': `
    import { appendFileSync } from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'

    const note = (what, run, n, key) => appendFileSync('notes.log', [Date.now(), what, run, 'tool:' + n, key].join(' ') + '\\n')
    const tool = (n) => createTool({
      name: 'tool' + n,
      description: 'Returns its number',
      inputSchema: z.object({ run: z.string() }),
      execute: async ({ run }, { idempotencyKey }) => {
        note('begin', run, n, idempotencyKey)
        await wait(30)
        note('end', run, n, idempotencyKey)
        return run + '/' + n
      },
    })
    const common = { name: 'X', instructions: 'x', model: 'openai/test', tools: [1, 2, 3, 4, 5].map(tool) }
    const kept = createAgent({ ...common, id: 'kept', resumable: true })
    const plain = createAgent({ ...common, id: 'plain' })
    const flow = createWorkflow({ id: 'flow' })
      .andAgent({ id: 'ask', agent: plain, prompt: ({ data }) => data.run })
      .andThen({ id: 'text', execute: ({ data }) => data.text })
    export default defineConfig({ agents: [kept, plain], workflows: [flow] })
  `,
}
