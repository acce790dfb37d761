import type { Store } from '../../src/store/store.ts'
import { fillStore } from './fill-store.ts'
import { pageTime } from './page-time.ts'
import { startServer } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import type { Measurement } from './report.ts'

const EXECUTIONS = 100_000

/** Pages of a long history. */
export async function history(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  await fillStore(root, fill)
  const server = await startServer('start', { cwd: root })
  const time = (query: string) => pageTime(`${server.url}/workflows/executions?${query}`)
  try {
    const page = { unit: 'ms', bar: { atMost: 5 } }
    return [
      { name: 'page of 20 among 100,000', measured: await time('limit=20'), ...page },
      { name: '… of one workflow', measured: await time('limit=20&workflowId=w3'), ...page },
      {
        name: '… of one workflow and status',
        measured: await time('limit=20&workflowId=w3&status=error'),
        ...page,
      },
      { name: '… without a match', measured: await time('limit=20&workflowId=w3&status=cancelled'), ...page },
      { name: '… of an unknown user', measured: await time('limit=20&userId=nobody'), ...page },
      {
        name: '… at offset 99,900',
        measured: await time('limit=20&offset=99900'),
        unit: 'ms',
        bar: { atMost: 60 },
      },
    ]
  } finally {
    await server.stop()
    removeProject(root)
  }
}

async function fill(store: Store): Promise<void> {
  const now = Date.now()
  for (let done = 0; done < EXECUTIONS; done += 1000) {
    await store.executions.write(Array.from({ length: 1000 }, (_, index) => ended(done + index, now)))
  }
}

function ended(number: number, now: number) {
  const id = `bench-${number}`
  const createdAt = now - (EXECUTIONS - number) * 10
  return {
    id,
    insert: {
      id,
      workflowId: `w${number % 5}`,
      workflowName: 'Workflow',
      status: number % 50 === 3 ? ('error' as const) : ('completed' as const),
      ownerEpoch: 1,
      createdAt,
      updatedAt: createdAt + 5,
      endedAt: createdAt + 5,
      userId: `user-${number % 100}`,
      conversationId: null,
      parentId: null,
      user: null,
      definitionHash: '0123456789abcdef',
      traceId: '0'.repeat(32),
      spanId: '0'.repeat(16),
      input: '{"orderId":"A-1","amount":12}',
      context: '{}',
      output: '{"orderId":"A-1","amount":12}',
      error: null,
      suspension: null,
      suspendRequest: null,
      forkedFrom: null,
      owner: null,
      resumedUser: null,
      pauseAt: null,
      metadata: null,
      compensation: null,
      acceptedChanges: null,
      timesOutAt: null,
      failure: number % 50 === 3 ? `failure-${number % 7}` : null,
      scheduleId: null,
      kind: 'workflow' as const,
    },
    events: [
      {
        seq: 1,
        data: `{"type":"workflow-start","executionId":"${id}","timestamp":"2026-01-01T00:00:00.000Z","input":{}}`,
      },
      {
        seq: 2,
        data: `{"type":"workflow-complete","executionId":"${id}","timestamp":"2026-01-01T00:00:00.000Z","output":{}}`,
      },
    ],
  }
}
