import { AGENT_FILES } from '../chaos/agents/agent-project.ts'
import { CHAOS_FILES } from '../chaos/chaos-project.ts'

/** The workflow whose time is measured: three steps that do nothing. */
export const QUICK = 'quick'

/** A workflow that sleeps for an hour, unless it is cancelled. */
export const HOUR = 'hour'

/** Ended executions that are kept: those of half a minute. */
const KEPT = 1000
/** Spans, and records of logs, that are kept. */
const KEPT_TELEMETRY = 20_000

/** The modules that are saved in turns: the one with most of the workflows, that with the agents, and the configuration. */
export const SAVED = ['workflows.ts', 'agents.ts', 'agentserver.config.ts'] as const

/** The workflows and agents that chaos happens to, and two workflows more, with a retention of seconds. */
export const SOAK_FILES: Readonly<Record<string, string>> = {
  'workflows.ts': CHAOS_FILES['agentserver.config.ts'],
  'agents.ts': AGENT_FILES['agentserver.config.ts'],
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    import agents from './agents.ts'
    import workflows from './workflows.ts'

    const quick = createWorkflow({ id: '${QUICK}' })
      .andThen({ id: 'one', execute: async ({ data }) => data })
      .andThen({ id: 'two', execute: async ({ data }) => data })
      .andThen({ id: 'three', execute: async ({ data }) => data })
    const hour = createWorkflow({ id: '${HOUR}' }).andSleep({ id: 'sleep', for: '1h' })

    export default defineConfig({
      ...workflows,
      agents: agents.agents,
      workflows: [...workflows.workflows, ...agents.workflows, quick, hour],
      retention: {
        executions: { count: ${KEPT} },
        events: '20s',
        telemetry: { count: ${KEPT_TELEMETRY} },
      },
    })
  `,
}
