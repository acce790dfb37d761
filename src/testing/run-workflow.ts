import type { Agent } from '../agent/agent.ts'
import type { ExecutionEvent, ExecutionResult } from '../contract/event.ts'
import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import { createClient } from '../client/create-client.ts'
import type { Client } from '../client/create-client.ts'
import { createServer } from '../server/create-server.ts'
import type { TypedWorkflow } from '../workflow/definition.ts'

/** An execution of a test run that has completed, failed, suspended or been cancelled. */
export interface TestExecution<Result> {
  readonly executionId: string
  readonly status: ExecutionResult['status']
  /** The workflow's result; `null` unless it completed. */
  readonly result: Result | null
  /** The suspended step with its reason and data; `null` unless the execution is suspended. */
  readonly suspension: ExecutionResult['suspension']
  /** Resumes the execution and waits until it settles again. */
  resume(resumeData?: unknown): Promise<TestExecution<Result>>
  /** The complete record with its steps. A failed execution has its error there. */
  record(): Promise<ExecutionDetail>
  /** All events so far. */
  events(): Promise<ExecutionEvent[]>
}

/** Runs workflows in memory with the real engine. Call `close` at the end of the test. */
export interface TestRunner {
  /**
   * Starts an execution and waits until it completes, fails, suspends or is cancelled. A failed execution resolves
   * too; its error is in `record()`. Rejects when the input does not match the workflow's schema.
   */
  run<Input, Result>(
    workflow: TypedWorkflow<Input, Result>,
    input: Input,
    options?: RunOptions,
  ): Promise<TestExecution<Result>>
  /** The typed client of the same server, for everything else. */
  readonly client: Client
  close(): Promise<void>
}

/** Options of one run. They have the same meaning as `options` of the execute request. */
export interface RunOptions {
  readonly userId?: string
  readonly conversationId?: string
  readonly context?: Record<string, unknown>
}

export interface TestRunnerOptions {
  /** Agents to call with `client`, in addition to those of the workflows. */
  readonly agents?: readonly Agent[]
}

/**
 * Creates a test runner for workflows. Workflows that are used by their steps are included.
 *
 * @example
 * const runner = createTestRunner([order])
 * const execution = await runner.run(order, { amount: 250 })
 * expect(execution.status).toBe('suspended')
 * expect((await execution.resume({ approved: true })).result).toEqual({ paid: 250 })
 * await runner.close()
 */
export function createTestRunner(
  workflows: readonly TypedWorkflow<never, unknown>[],
  { agents = [] }: TestRunnerOptions = {},
): TestRunner {
  const server = createServer({ workflows, agents, database: ':memory:' }, { production: false })
  const client = createClient({ baseUrl: 'http://localhost', fetch: server.fetch })
  return {
    client,
    run: async <Input, Result>(
      workflow: TypedWorkflow<Input, Result>,
      input: Input,
      options: RunOptions = {},
    ) => {
      const params = { id: workflow.id }
      const { executionId } = await client.executeWorkflow({
        params,
        headers: { prefer: 'respond-async' },
        body: { input, options },
      })
      return untilSettled<Result>(client, { id: workflow.id, executionId })
    },
    close: server.close,
  }
}

/**
 * Waits until the execution completes, fails, suspends or is cancelled. `after` is the sequence of the last
 * known event.
 */
async function untilSettled<Result>(
  client: Client,
  params: { id: string; executionId: string },
  after = 0,
): Promise<TestExecution<Result>> {
  for await (const event of client.followExecution({ params, query: { after: String(after) } })) {
    if (event.type === 'workflow-result') return testExecution(client, params, event)
  }
  throw new Error(`The execution ${params.executionId} did not settle`)
}

function testExecution<Result>(
  client: Client,
  params: { id: string; executionId: string },
  settled: Extract<ExecutionEvent, { type: 'workflow-result' }> & { readonly sequence: number },
): TestExecution<Result> {
  return {
    executionId: params.executionId,
    status: settled.status,
    result: settled.result as Result | null,
    suspension: settled.suspension,
    resume: async (resumeData) => {
      const stepId = settled.suspension?.stepId
      await client
        .resumeExecution({ params, body: { resumeData, options: { stepId } } })
        .catch((error: unknown) => {
          // a 500 means that the resumed execution failed, which is a result of the test
          if ((error as { status?: number }).status !== 500) throw error
        })
      return untilSettled<Result>(client, params, settled.sequence)
    },
    record: () => client.getExecution({ params }),
    events: async () => {
      const events: ExecutionEvent[] = []
      for await (const event of client.followExecution({ params })) {
        events.push(event)
        if (event.sequence >= settled.sequence) break
      }
      return events
    },
  }
}
