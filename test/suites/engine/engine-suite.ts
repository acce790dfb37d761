import { afterEach, describe } from 'vitest'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { actorTests } from './actor-tests.ts'
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
import { valueTests } from './value-tests.ts'

/** Starts engines for a test, each on its own database, and stops them after it. */
export interface Engines {
  start(workflows: readonly WorkflowDefinition[], options?: ProcessOptions): Promise<EngineProcess>
  /** The next process on the same database; the one before was stopped or crashed. */
  next(before: EngineProcess, workflows?: readonly WorkflowDefinition[]): Promise<EngineProcess>
}

/** Tests of the engine on a store. */
export function engineSuite(name: string, backend: EngineBackend): void {
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
    describe('steps', () => {
      stepTests(engines)
    })
    describe('functions', () => {
      functionTests(engines)
    })
    describe('changed code', () => {
      changedCodeTests(engines)
    })
    describe('compensations', () => {
      compensationTests(engines)
    })
    describe('hooks', () => {
      hookTests(engines)
    })
    describe('groups of steps', () => {
      groupTests(engines)
    })
    describe('chains within steps', () => {
      chainTests(engines)
    })
    describe('branches and loops', () => {
      loopTests(engines)
    })
    describe('sleeps and time-outs of suspensions', () => {
      sleepTests(engines)
    })
    describe('schedules', () => {
      scheduleTests(engines)
    })
    describe('limits', () => {
      limitTests(engines)
    })
    describe('waits for events', () => {
      eventTests(engines)
    })
    describe('events that start workflows', () => {
      eventStartTests(engines)
      eventRuleTests(engines)
    })
    describe('links to suspensions', () => {
      linkTests(engines)
    })
    describe('metadata and changes of many executions', () => {
      metadataTests(engines)
    })
    describe('failures', () => {
      failureTests(engines)
    })
    describe('values', () => {
      valueTests(engines)
    })
    describe('owners and actors', () => {
      actorTests(engines)
    })
    describe('cancel', () => {
      cancelTests(engines)
    })
    describe('suspend by a step', () => {
      suspendTests(engines)
    })
    describe('suspend by a request', () => {
      requestedSuspendTests(engines)
    })
    describe('breakpoints', () => {
      breakpointTests(engines)
    })
    describe('resume', () => {
      resumeTests(engines)
    })
    describe('child executions', () => {
      childTests(engines)
    })
    describe('resuming parent and child', () => {
      parentResumeTests(engines)
    })
    describe('replay', () => {
      replayTests(engines)
    })
    describe('recovery', () => {
      recoveryTests(engines)
    })
    describe('jobs', () => {
      jobTests(engines)
    })
    describe('crash loops', () => {
      crashLoopTests(engines)
    })
    describe('agents', () => {
      agentTests(engines)
    })
    describe('agents that survive their process', () => {
      durableAgentTests(engines)
    })
    describe('agents of steps that wait for people and clients', () => {
      agentWaitTests(engines)
    })
    describe('retries of steps whose agents have waited', () => {
      agentRetryTests(engines)
    })
    describe('database failures', () => {
      storeFailureTests(engines)
    })
    describe('streams and lists', () => {
      followTests(engines)
    })
  })
}
