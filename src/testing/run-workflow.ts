import type { Agent } from '../agent/agent.ts'
import type { ExecutionEvent, ExecutionResult } from '../contract/event.ts'
import type { ExecutionDetail } from '../contract/endpoints/execution.ts'
import { createClient } from '../client/create-client.ts'
import type { Client } from '../client/create-client.ts'
import { createServer } from '../server/create-server.ts'
import type { TypedWorkflow } from '../workflow/definition.ts'

export interface TestExecution<Result> {
  readonly executionId: string
  readonly status: ExecutionResult['status']
  /** The workflow's result; `null` unless it completed. */
  readonly result: Result | null
  /** What it waits for, while it is suspended. */
  readonly suspension: ExecutionResult['suspension']
  /** Resumes it and runs on. */
  resume(resumeData?: unknown): Promise<TestExecution<Result>>
  /** The whole record, with its steps and events. A failed execution's error is in it. */
  record(): Promise<ExecutionDetail>
  /** All events so far. */
  events(): Promise<ExecutionEvent[]>
}

/** Runs workflows in memory, on the real engine. Close it when the test is done. */
export interface TestRunner {
  run<Input, Result>(
    workflow: TypedWorkflow<Input, Result>,
    input: Input,
    options?: RunOptions,
  ): Promise<TestExecution<Result>>
  /** The same server's typed client, for what `run` does not do. */
  readonly client: Client
  close(): Promise<void>
}

export interface RunOptions {
  readonly userId?: string
  readonly conversationId?: string
  readonly context?: Record<string, unknown>
}

export interface TestRunnerOptions {
  /** Agents that `client` asks, beside those of the workflows. */
  readonly agents?: readonly Agent[]
}

/** Makes a runner for workflows, with those they run in turn. */
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
      return settle<Result>(client, { id: workflow.id, executionId })
    },
    close: server.close,
  }
}

/** Waits until the execution rests. A failed one is an answer too: its record holds the error. */
async function settle<Result>(
  client: Client,
  params: { id: string; executionId: string },
): Promise<TestExecution<Result>> {
  for await (const event of client.followExecution({ params })) {
    if (event.type === 'workflow-result') return testExecution(client, params, event)
  }
  throw new Error(`The execution ${params.executionId} did not come to rest`)
}

function testExecution<Result>(
  client: Client,
  params: { id: string; executionId: string },
  rest: Extract<ExecutionEvent, { type: 'workflow-result' }> & { readonly sequence: number },
): TestExecution<Result> {
  return {
    executionId: params.executionId,
    status: rest.status,
    result: rest.result as Result | null,
    suspension: rest.suspension,
    resume: async (resumeData) => {
      const stepId = rest.suspension?.stepId
      await client
        .resumeExecution({ params, body: { resumeData, options: { stepId } } })
        .catch((error: unknown) => {
          // the failed run is read from its record, like any other
          if ((error as { status?: number }).status !== 500) throw error
        })
      for await (const event of client.followExecution({ params, query: { after: String(rest.sequence) } })) {
        if (event.type === 'workflow-result') return testExecution<Result>(client, params, event)
      }
      throw new Error(`The execution ${params.executionId} did not come to rest`)
    },
    record: () => client.getExecution({ params }),
    events: async () => {
      const events: ExecutionEvent[] = []
      for await (const event of client.followExecution({ params })) {
        events.push(event)
        if (event.sequence >= rest.sequence) break
      }
      return events
    },
  }
}
