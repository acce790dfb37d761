import { afterEach, describe } from 'vitest'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { agentTests } from './agent-tests.ts'
import { cancelTests } from './cancel-tests.ts'
import { childTests } from './child-tests.ts'
import { EngineProcess } from './engine-process.ts'
import type { EngineBackend, ProcessOptions } from './engine-process.ts'
import { failureTests } from './failure-tests.ts'
import { followTests } from './follow-tests.ts'
import { groupTests } from './group-tests.ts'
import { outsideSuspendTests } from './outside-suspend-tests.ts'
import { replayTests } from './replay-tests.ts'
import { resumeTests } from './resume-tests.ts'
import { stepTests } from './step-tests.ts'
import { storeFailureTests } from './store-failure-tests.ts'
import { suspendTests } from './suspend-tests.ts'
import { takeOverTests } from './take-over-tests.ts'
import { valueTests } from './value-tests.ts'

/** Starts engines for the running test, each on a database of its own, and stops them after it. */
export interface Engines {
  start(workflows: readonly WorkflowDefinition[], options?: ProcessOptions): Promise<EngineProcess>
  /** The next process on the same database; the one before was stopped or crashed. */
  next(before: EngineProcess, workflows?: readonly WorkflowDefinition[]): Promise<EngineProcess>
}

/** What every engine host must do, whatever it stores executions in. */
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
    describe('steps made of steps', () => {
      groupTests(engines)
    })
    describe('failures', () => {
      failureTests(engines)
    })
    describe('values', () => {
      valueTests(engines)
    })
    describe('cancel', () => {
      cancelTests(engines)
    })
    describe('suspend by a step', () => {
      suspendTests(engines)
    })
    describe('suspend from outside', () => {
      outsideSuspendTests(engines)
    })
    describe('resume', () => {
      resumeTests(engines)
    })
    describe('child executions', () => {
      childTests(engines)
    })
    describe('replay', () => {
      replayTests(engines)
    })
    describe('taking over', () => {
      takeOverTests(engines)
    })
    describe('agents', () => {
      agentTests(engines)
    })
    describe('a database that fails', () => {
      storeFailureTests(engines)
    })
    describe('reading', () => {
      followTests(engines)
    })
  })
}
