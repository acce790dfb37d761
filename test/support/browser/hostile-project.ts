import { ConsoleProject } from './console-project.ts'

/** Markup, a script, bidirectional and control characters, a joined emoji and a very long word. */
export const HOSTILE = `<img src=x onerror="globalThis.harm=1"><script>globalThis.harm=1</script> \u202Eabc \u0000 \u001B[31mred \u{1F469}\u200D\u{1F4BB} ${'W'.repeat(600)}`

/** The longest id, without a place where it may break. */
export const LONG_ID = 'W'.repeat(128)

/** A project in which every user-provided or generated text is hostile. */
export function hostileProject(): ConsoleProject {
  return new ConsoleProject({
    'agentserver.config.ts': `
      import { andThen, createAgent, createMcpServer, createSchedule, createTool, createWorkflow, defineConfig } from 'agentserver'
      import { scriptedModel } from 'agentserver/testing'
      import { z } from 'zod'
      import { broken, order } from './src/workflows.ts'
      const HOSTILE = ${JSON.stringify(HOSTILE)}
      const LONG_ID = '${LONG_ID}'
      const say = createTool({
        name: 'say', description: HOSTILE, inputSchema: z.object({ [HOSTILE]: z.string().describe(HOSTILE) }),
        execute: () => ({ [HOSTILE]: HOSTILE }),
      })
      const helper = createAgent({ id: 'helper', name: HOSTILE, description: HOSTILE, instructions: HOSTILE, tools: [say] })
      const speaker = createAgent({
        id: LONG_ID, name: HOSTILE, instructions: HOSTILE, model: scriptedModel([HOSTILE], { repeatLast: true }),
      })
      const hostile = createWorkflow({ id: 'hostile', name: HOSTILE, purpose: HOSTILE })
        .andThen({ id: 'say', name: HOSTILE, execute: ({ logger }) => {
          logger.warn({ [HOSTILE]: HOSTILE }, HOSTILE)
          return { [HOSTILE]: HOSTILE, large: 'x'.repeat(1_000_000) }
        } })
        .andThen({ id: 'ask', name: HOSTILE, execute: ({ suspend, resumeData }) => {
          if (resumeData === undefined) return suspend(HOSTILE, { [HOSTILE]: HOSTILE })
          throw Object.assign(new Error(HOSTILE), { name: HOSTILE })
        } })
      const approval = createWorkflow({ id: 'approval', name: HOSTILE })
        .andThen({
          id: LONG_ID, name: HOSTILE, suspendSchema: z.any(),
          resumeSchema: z.object({ [HOSTILE]: z.boolean().describe(HOSTILE) }),
          execute: ({ suspend, resumeData }) => resumeData ?? suspend(HOSTILE, { [HOSTILE]: HOSTILE }),
        })
      const asked = createWorkflow({ id: 'asked', name: HOSTILE })
        .andAgent({ id: 'answer', name: HOSTILE, agent: speaker, prompt: () => HOSTILE })
        .andThen({ id: LONG_ID, name: HOSTILE, execute: ({ data }) => ({ [HOSTILE]: data }) })
      const waits = createWorkflow({ id: 'waits', name: HOSTILE })
        .andWaitForEvent({ id: LONG_ID, event: LONG_ID, key: () => HOSTILE.replaceAll(String.fromCharCode(0), '') })
      const queued = createWorkflow(
        { id: LONG_ID, name: HOSTILE, concurrency: { limit: 1, key: () => HOSTILE } },
        andThen({ id: 'run', name: HOSTILE, execute: ({ signal }) => new Promise((_, fail) => {
          signal.addEventListener('abort', () => fail(new Error(HOSTILE)))
        }) }),
      )
      export default defineConfig({
        agents: [helper, speaker], tools: [say], workflows: [hostile, approval, asked, waits, queued, order, broken],
        schedules: [createSchedule({ id: LONG_ID.slice(48), every: '1d', workflow: queued, input: { [HOSTILE]: HOSTILE } })],
        mcpServers: [createMcpServer({ id: 'desk', name: HOSTILE, version: '1', description: HOSTILE, tools: [say] })],
      })
    `,
    'hostile.eval.ts': `
      import { createEval } from 'agentserver'
      const HOSTILE = ${JSON.stringify(HOSTILE)}
      const LONG_ID = '${LONG_ID}'
      export default createEval({
        id: LONG_ID, target: { agent: LONG_ID }, scorers: [() => ({ score: 0, reason: HOSTILE })],
        cases: [{ id: HOSTILE, input: HOSTILE, expected: { [HOSTILE]: HOSTILE } }],
      })
    `,
  })
}
