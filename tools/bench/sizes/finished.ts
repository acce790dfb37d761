import { memoryOf, processorTimeOf } from '../process.ts'
import type { Running } from '../process.ts'
import { median, percentile } from '../report.ts'
import type { Point } from './figures.ts'
import { fill } from './fill.ts'
import { ladderTo } from './ladder.ts'
import { progress } from './progress.ts'
import { databaseBytes, settled, timesOf, withServer, withSizesProject } from './sizes-project.ts'

const STARTS = 3
const LISTS = 100
const SEARCH_TURNS = 10
/** Records of one execution: its spans. */
const SPANS_EACH = 10

const LIST = '/workflows/executions?limit=20&workflowId=order'
const SEARCHES = [
  'rotterdam',
  'rotterdam hamburg',
  'customer 471',
  'r',
  '"A-42"',
  'A-4',
  'workflow:order hamburg',
  'status:completed last:1h',
  'nothing-like-this',
].map((text) => `/observability/search?q=${encodeURIComponent(text)}`)

/** Finished executions of three steps with their traces, on one database that grows. */
export function finished(upTo: number): Promise<Point[]> {
  return withSizesProject(upTo * SPANS_EACH, async (root) => {
    await withServer(root, async () => undefined)
    const empty = databaseBytes(root)
    const points: Point[] = []
    let size = 0
    for (const next of ladderTo(upTo)) {
      await withServer(root, (server) => add(server, size, next - size))
      size = next
      const bytes = databaseBytes(root) - empty
      points.push({
        figure: 'bytes',
        size,
        value: bytes / size / 1000,
        note: `${(bytes / 1e6).toFixed(1)} MB in all`,
      })
      points.push(...(await pointsOf(root, size)))
    }
    return points
  })
}

async function add(server: Running, first: number, count: number): Promise<void> {
  const rate = await fill(server, { workflow: 'order', first, count, waits: true, input: orderOf })
  await settled(server)
  progress(`${count.toLocaleString('en-US')} executed and indexed, ${rate.toFixed(0)} executions per second`)
}

const CITIES = ['rotterdam', 'hamburg', 'lyon', 'porto', 'gdańsk', 'zürich', 'oslo']

function orderOf(number: number): object {
  return {
    orderId: `A-${number}`,
    customer: number % 20_000,
    name: `Customer ${number % 3000}`,
    from: CITIES[number % 7],
    to: CITIES[number % 5],
  }
}

async function pointsOf(root: string, size: number): Promise<Point[]> {
  const starts: number[] = []
  for (let start = 1; start < STARTS; start++)
    await withServer(root, async (server) => void starts.push(processorTimeOf(server)))
  return withServer(root, async (server) => {
    starts.push(processorTimeOf(server))
    await settled(server)
    const lists = await timesOf(server, [LIST], LISTS)
    const searches = await timesOf(server, SEARCHES, SEARCH_TURNS)
    const note = `p50 ${median(searches).toFixed(1)} ms`
    return [
      { figure: 'start', size, value: median(starts) },
      { figure: 'listMedian', size, value: median(lists) },
      { figure: 'list', size, value: percentile(lists, 0.95) },
      { figure: 'search', size, value: percentile(searches, 0.95), note },
      { figure: 'memory', size, value: memoryOf(server), note: 'after a start and these requests' },
    ]
  })
}
