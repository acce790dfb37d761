import { ratio } from './load.ts'
import { startOther, startServer } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import type { Measurement } from './report.ts'

/** The rate of durable, validated and observable work compared with that of a bare handler. */
export async function throughput(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  const bare = await startOther('servers/bare.ts', { cwd: root })
  const ours = await startServer('start', { cwd: root })
  try {
    const body = { input: { orderId: 'A-1', amount: 12 } }
    const execute = await ratio(
      { url: `${ours.url}/workflows/trivial/execute`, body },
      { url: `${bare.url}/execute`, body },
    )
    const list = await ratio({ url: `${ours.url}/workflows` }, { url: `${bare.url}/workflows` })
    const rates = (one: typeof list) =>
      `${Math.round(one.ours)}/s against ${Math.round(one.theirs)}/s, ${one.failed} failed`
    return [
      {
        name: 'execute 3 steps, over a bare handler with 5 commits',
        measured: execute.ratio,
        unit: '',
        bar: { atLeast: 0.6 },
        note: rates(execute),
      },
      {
        name: 'GET /workflows, over a bare route',
        measured: list.ratio,
        unit: '',
        bar: { atLeast: 0.4 },
        note: rates(list),
      },
    ]
  } finally {
    await Promise.all([bare.stop('SIGKILL'), ours.stop()])
    removeProject(root)
  }
}
