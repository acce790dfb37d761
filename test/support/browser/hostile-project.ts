import { ConsoleProject } from './console-project.ts'

/** Markup, a script, bidirectional and control characters, a joined emoji and a very long word. */
export const HOSTILE = `<img src=x onerror="globalThis.harm=1"><script>globalThis.harm=1</script> \u202Eabc \u0000 \u001B[31mred \u{1F469}\u200D\u{1F4BB} ${'W'.repeat(600)}`

/** A project in which every user-provided or generated text is hostile. */
export function hostileProject(): ConsoleProject {
  return new ConsoleProject({
    'agentserver.config.ts': `
      import { andThen, createAgent, createMcpServer, createTool, createWorkflow, defineConfig } from 'agentserver'
      import { z } from 'zod'
      import { broken, order } from './src/workflows.ts'
      const HOSTILE = ${JSON.stringify(HOSTILE)}
      const say = createTool({
        name: 'say', description: HOSTILE, inputSchema: z.object({ [HOSTILE]: z.string().describe(HOSTILE) }),
        execute: () => ({ [HOSTILE]: HOSTILE }),
      })
      const helper = createAgent({ id: 'helper', name: HOSTILE, description: HOSTILE, instructions: HOSTILE, tools: [say] })
      const hostile = createWorkflow({ id: 'hostile', name: HOSTILE, purpose: HOSTILE })
        .andThen({ id: 'say', name: HOSTILE, execute: ({ logger }) => {
          logger.warn({ [HOSTILE]: HOSTILE }, HOSTILE)
          return { [HOSTILE]: HOSTILE, large: 'x'.repeat(1_000_000) }
        } })
        .andThen({ id: 'ask', name: HOSTILE, execute: ({ suspend, resumeData }) => {
          if (resumeData === undefined) return suspend(HOSTILE, { [HOSTILE]: HOSTILE })
          throw Object.assign(new Error(HOSTILE), { name: HOSTILE })
        } })
      export default defineConfig({
        agents: [helper], tools: [say], workflows: [hostile, order, broken],
        mcpServers: [createMcpServer({ id: 'desk', name: HOSTILE, version: '1', description: HOSTILE, tools: [say] })],
      })
    `,
  })
}
