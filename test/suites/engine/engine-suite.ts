import { afterEach, describe } from 'vitest'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { actorTests } from './actor-tests.ts'
import { agentToolTests } from './agent-tool-tests.ts'
import { agentRetryTests } from './agent-retry-tests.ts'
import { agentWaitTests } from './agent-wait-tests.ts'
import { agentTests } from './agent-tests.ts'
import { breakpointTests } from './breakpoint-tests.ts'
import { cancelTests } from './cancel-tests.ts'
import { changedCodeTests } from './changed-code-tests.ts'
import { chainTests } from './chain-tests.ts'
import { childTests } from './child-tests.ts'
import { compensationTests } from './compensation-tests.ts'
import { crashLoopTests } from './crash-loop-tests.ts'
import { durableAgentTests } from './durable-agent-tests.ts'
import { EngineProcess } from './engine-process.ts'
import type { EngineBackend, ProcessOptions } from './engine-process.ts'
import { eventRuleTests } from './event-rule-tests.ts'
import { eventStartTests } from './event-start-tests.ts'
import { eventTests } from './event-tests.ts'
import { failureTests } from './failure-tests.ts'
import { followTests } from './follow-tests.ts'
import { functionTests } from './function-tests.ts'
import { hookTests } from './hook-tests.ts'
import { groupTests } from './group-tests.ts'
import { loopTests } from './loop-tests.ts'
import { limitTests } from './limit-tests.ts'
import { jobTests } from './job-tests.ts'
import { linkTests } from './link-tests.ts'
import { metadataTests } from './metadata-tests.ts'
import { requestedSuspendTests } from './requested-suspend-tests.ts'
import { replayTests } from './replay-tests.ts'
import { parentResumeTests } from './parent-resume-tests.ts'
import { resumeTests } from './resume-tests.ts'
import { sleepTests } from './sleep-tests.ts'
import { scheduleTests } from './schedule-tests.ts'
import { stepTests } from './step-tests.ts'
import { storeFailureTests } from './store-failure-tests.ts'
import { suspendTests } from './suspend-tests.ts'
import { recoveryTests } from './recovery-tests.ts'
import { timeoutTests } from './timeout-tests.ts'
import { valueTests } from './value-tests.ts'

/** Starts engines for a test, each on its own database, and stops them after it. */
export interface Engines {
  start(workflows: readonly WorkflowDefinition[], options?: ProcessOptions): Promise<EngineProcess>
  /** The next process on the same database; the one before was stopped or crashed. */
  next(before: EngineProcess, workflows?: readonly WorkflowDefinition[]): Promise<EngineProcess>
}

/** The subjects of the tests, in parts that a database server can be tested with at the same time. */
const PARTS = {
  steps: [
    ['steps', stepTests],
    ['functions', functionTests],
    ['changed code', changedCodeTests],
    ['time-outs of workflows', timeoutTests],
    ['compensations', compensationTests],
    ['hooks', hookTests],
    ['groups of steps', groupTests],
    ['chains within steps', chainTests],
    ['branches and loops', loopTests],
    ['failures', failureTests],
    ['values', valueTests],
    ['cancel', cancelTests],
    ['child executions', childTests],
  ],
  waits: [
    ['sleeps and time-outs of suspensions', sleepTests],
    ['schedules', scheduleTests],
    ['limits', limitTests],
    ['waits for events', eventTests],
    [
      'events that start workflows',
      (engines) => {
        eventStartTests(engines)
        eventRuleTests(engines)
      },
    ],
    ['links to suspensions', linkTests],
    ['suspend by a step', suspendTests],
    ['suspend by a request', requestedSuspendTests],
    ['breakpoints', breakpointTests],
    ['resume', resumeTests],
    ['agents', agentTests],
    ['agents that survive their process', durableAgentTests],
    ['tools of agents that make recorded calls', agentToolTests],
    ['agents of steps that wait for people and clients', agentWaitTests],
    ['retries of steps whose agents have waited', agentRetryTests],
  ],
  records: [
    ['metadata and changes of many executions', metadataTests],
    ['owners and actors', actorTests],
    ['resuming parent and child', parentResumeTests],
    ['replay', replayTests],
    ['recovery', recoveryTests],
    ['jobs', jobTests],
    ['crash loops', crashLoopTests],
    ['database failures', storeFailureTests],
    ['streams and lists', followTests],
  ],
} satisfies Record<string, readonly (readonly [subject: string, tests: (engines: Engines) => void])[]>

export type EnginePart = keyof typeof PARTS

/** Tests of the engine on a store: all, or one part. */
export function engineSuite(name: string, backend: EngineBackend, part?: EnginePart): void {
  const subjects = part ? PARTS[part] : Object.values(PARTS).flat()
  // oxlint-disable-next-line vitest/valid-title -- the caller names it
  describe(name, () => {
    const processes: EngineProcess[] = []
    let databases = 0
    const kept = async (starting: Promise<EngineProcess>) => {
      const process = await starting
      processes.push(process)
      return process
    }
    const engines: Engines = {
      start: (workflows, options = {}) =>
        kept(EngineProcess.start({ backend, database: `d${++databases}`, workflows, options })),
      next: (before, workflows) => kept(before.next(workflows)),
    }
    afterEach(async () => {
      for (const process of processes.splice(0)) await process.dispose()
    })
    for (const [subject, tests] of subjects)
      // oxlint-disable-next-line vitest/valid-title -- see PARTS
      describe(subject, () => {
        tests(engines)
      })
  })
}
