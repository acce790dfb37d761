import { ratio } from './load.ts'
import { startOther, startServer } from './process.ts'
import type { Running } from './process.ts'
import { TRIVIAL, makeProject, removeProject } from './project.ts'
import type { Measurement } from './report.ts'

/** The rate of durable, validated and observable work compared with that of a bare handler. */
export async function throughput(): Promise<Measurement[]> {
  const root = makeProject(TRIVIAL)
  const bare = await startOther('bench/servers/bare.ts', { cwd: root })
  const developmentRoot = makeProject(TRIVIAL)
  const ours = await startServer('start', { cwd: root })
  const development = await startServer('dev', { cwd: developmentRoot })
  try {
    const body = { input: { orderId: 'A-1', amount: 12 } }
    const executing = ({ url }: Running) => ({ url: `${url}/workflows/trivial/execute`, body })
    const execute = await ratio(executing(ours), { url: `${bare.url}/execute`, body })
    const inDevelopment = await ratio(executing(development), executing(ours))
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
        name: '… in dev, over start',
        measured: inDevelopment.ratio,
        unit: '',
        bar: { atLeast: 0.9 },
        note: rates(inDevelopment),
      },
      {
        name: 'GET /workflows, over a bare route',
        measured: list.ratio,
        unit: '',
        bar: { atLeast: 0.5 },
        note: rates(list),
      },
    ]
  } finally {
    await Promise.all([bare.stop('SIGKILL'), ours.stop(), development.stop()])
    removeProject(root)
    removeProject(developmentRoot)
  }
}
