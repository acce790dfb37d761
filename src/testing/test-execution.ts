import { requireObject } from '../lib/require-object.ts'
import type { Client } from '../client/create-client.ts'
import { type SettledEvent, untilSettled } from '../client/until-settled.ts'
import type { User } from '../contract/auth.ts'
import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import type { ExecutionEvent, ExecutionResult } from '../contract/event.ts'

/** An execution of a test run that has completed, failed, suspended or been cancelled. */
export interface TestExecution<Result> {
  readonly executionId: string
  readonly status: ExecutionResult['status']
  /** The workflow's result; `null` unless it completed. */
  readonly result: Result | null
  /** The error of a failed execution, with the id of the step; otherwise `undefined`. */
  readonly error: ExecutionResult['error']
  /** The suspended step with its reason and data; `undefined` unless the execution is suspended. */
  readonly suspension: ExecutionResult['suspension']
  /** Resumes the execution and waits until it settles again. Default user: that of the run. */
  resume(resumeData?: unknown, options?: TestResumeOptions): Promise<TestExecution<Result>>
  /**
   * Waits until the execution settles again, after its time has come or another call resumed it. If it has settled several
   * times since, the newest counts.
   */
  settled(): Promise<TestExecution<Result>>
  /** The complete record with its steps. */
  record(): Promise<ExecutionDetail>
  /** All events so far. */
  events(): Promise<ExecutionEvent[]>
}

/** Options of one resume. */
export interface TestResumeOptions {
  /** The authenticated user who resumes the execution. */
  readonly user?: User
}

/** How the execution is accessed. */
export interface ExecutionAccess {
  readonly params: { readonly id: string; readonly executionId: string }
  /** Reads the record and the events, whoever owns the execution. */
  readonly reader: Client
  /** The client of a user, or of the user who started the run. */
  readonly clientOf: (user: User | undefined) => Client
  /** Waits for what the execution does, on the clock of the runner. */
  readonly wait: <Value>(settled: Promise<Value>) => Promise<Value>
}

/** Waits until the execution completes, fails, suspends or is cancelled. `after` is the sequence of the last known event. */
export async function settledExecution<Result>(
  access: ExecutionAccess,
  after = 0,
): Promise<TestExecution<Result>> {
  const { reader, params, wait } = access
  return testExecution(access, await wait(untilSettled(reader, params, { after })))
}

/** Waits as `settledExecution` does; of what has happened in the meantime, only the newest counts. */
async function settledAgain<Result>(access: ExecutionAccess, after: number): Promise<TestExecution<Result>> {
  const { reader, params, wait } = access
  for (let known = after; ;) {
    const settled = await wait(untilSettled(reader, params, { after: known }))
    const { events } = await reader.getExecution({ params })
    // events are numbered from 1
    if (events.length <= settled.sequence) return testExecution(access, settled)
    known = settled.sequence
  }
}

function testExecution<Result>(access: ExecutionAccess, settled: SettledEvent): TestExecution<Result> {
  const { params, reader, clientOf } = access
  return {
    executionId: params.executionId,
    status: settled.status,
    result: settled.result as Result | null,
    error: settled.error,
    suspension: settled.suspension,
    resume: async (resumeData, options = {}) => {
      requireObject('resume', 'options', options, { user: 'object' })
      const { user } = options
      const stepId = settled.suspension?.stepId
      await clientOf(user)
        .resumeExecution({ params, body: { resumeData, options: { stepId } } })
        .catch((error: unknown) => {
          // a 500 means that the resumed execution failed, which is a result of the test
          if ((error as { status?: number }).status !== 500) throw error
        })
      return settledExecution<Result>(access, settled.sequence)
    },
    settled: () => settledAgain<Result>(access, settled.sequence),
    record: () => reader.getExecution({ params }),
    events: async () => {
      const events: ExecutionEvent[] = []
      for await (const event of reader.followExecution({ params })) {
        events.push(event)
        if (event.sequence >= settled.sequence) break
      }
      return events
    },
  }
}
