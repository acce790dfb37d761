import { requireObject } from '../lib/require-object.ts'
import type { ApiClient } from '../client/api.ts'
import { untilSettled } from '../client/until-settled.ts'
import type { SettledEvent } from '../client/until-settled.ts'
import type { User } from '../contract/auth.ts'
import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import type { ExecutionEvent, ExecutionResult } from '../contract/event.ts'

/** An execution of a test run that has completed, failed, suspended or been cancelled. */
export interface TestExecution<Result> {
  /** Id of the execution. */
  readonly executionId: string
  /** Status of the execution. */
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
   * The latest state in which the execution has completed, failed, suspended or been cancelled: after `advance`, after a
   * resume, or after an event. While it runs, waits until it does.
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
  readonly reader: ApiClient
  /** The client of a user, or of the user who started the run. */
  readonly clientOf: (user: User | undefined) => ApiClient
  /** Waits for what the execution does, on the clock of the runner. */
  readonly wait: <Value>(settled: Promise<Value>) => Promise<Value>
  /** Resolves when the server does nothing any more, or only waits. */
  readonly quiet: () => Promise<void>
}

/** Waits until the execution completes, fails, suspends or is cancelled. `after` is the sequence of the last known event. */
export async function settledExecution<Result>(
  access: ExecutionAccess,
  after = 0,
): Promise<TestExecution<Result>> {
  const { reader, params, wait } = access
  return testExecution(access, await wait(untilSettled(reader, params, { after })))
}

/** The latest settled state of an execution. While it runs, waits until it settles. */
async function latestExecution<Result>(
  access: ExecutionAccess,
  known: SettledEvent,
): Promise<TestExecution<Result>> {
  const { reader, params, wait, quiet } = access
  // what an event or another call has begun
  await quiet()
  for (let latest = known; ;) {
    const { status, events } = await reader.getExecution({ params })
    // events are numbered from 1
    const sequence = 1 + events.findLastIndex(({ type }) => type === 'workflow-result')
    const isNew = sequence > latest.sequence
    if (!isNew && status !== 'running') return testExecution(access, latest)
    latest = await wait(untilSettled(reader, params, { after: isNew ? sequence - 1 : latest.sequence }))
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
    settled: () => latestExecution<Result>(access, settled),
    record: () => reader.getExecution({ params }),
    events: async () => {
      const events: ExecutionEvent[] = []
      for await (const event of reader.followExecution({ params, query: { include: 'contract' } })) {
        events.push(event)
        if (event.sequence >= settled.sequence) break
      }
      return events
    },
  }
}
