import type { Running } from '../process.ts'
import { median } from '../report.ts'
import type { Measurement } from '../report.ts'
import { progress } from './progress.ts'
import { databaseBytes, read, run, settled, timesOf, withServer, withSizesProject } from './sizes-project.ts'

const PAGE = 100
const TURNS = 10
/** Calls that begin together: one commit has them all. */
const AT_ONCE = 100

/** An execution that records calls one after the other, and the pages of its record. */
export function ofCalls(calls: number): Promise<Measurement[]> {
  return withSizesProject(calls, (root) =>
    withMeter(root, async (server) => {
      const startedAt = performance.now()
      const record = await run(server, 'calls', { calls, atOnce: 1 })
      const seconds = (performance.now() - startedAt) / 1000
      progress(`${calls.toLocaleString('en-US')} calls recorded`)
      await settled(server)
      const name = `execution of ${calls.toLocaleString('en-US')} calls`
      const first = await timed(server, `${record}?steps=${PAGE}&stepsOffset=0`)
      const last = await timed(server, `${record}?steps=${PAGE}&stepsOffset=${Math.max(calls - PAGE, 0)}`)
      const whole = await timed(server, record)
      return [
        { name: `${name}: run`, measured: seconds, unit: 's', note: 'one call after the other' },
        {
          name: `${name}: first page of ${PAGE} steps`,
          measured: first.ms,
          unit: 'ms',
          bar: { atMost: 50 },
          note: `loop blocked for ${first.tickMs.toFixed(0)} ms`,
        },
        {
          name: `${name}: last page`,
          measured: last.ms,
          unit: 'ms',
          note: `loop blocked for ${last.tickMs.toFixed(0)} ms`,
        },
        { name: `${name}: whole record`, measured: whole.ms, unit: 'ms' },
        { name: `${name}: longest block of the loop by it`, measured: whole.tickMs, unit: 'ms' },
      ]
    }),
  )
}

/** With a server that measures the blocks of its event loop. */
function withMeter<T>(root: string, work: (server: Running) => Promise<T>): Promise<T> {
  return withServer(root, work, { env: { BENCH_LOOP: 'true' }, metered: true })
}

/** The median time of a request, and of its longest block of the event loop, in milliseconds. */
async function timed(server: Running, route: string): Promise<{ ms: number; tickMs: number }> {
  await timesOf(server, [route], 0)
  const times: number[] = []
  const ticks: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    await server.usage()
    const startedAt = performance.now()
    await read(server, route)
    times.push(performance.now() - startedAt)
    ticks.push((await server.usage()).longestTickMs)
  }
  return { ms: median(times), tickMs: median(ticks) }
}

/** An execution with events, of calls that begin together. */
export function ofEvents(events: number): Promise<Measurement[]> {
  return withSizesProject(events, (root) =>
    withMeter(root, async (server) => {
      const startedAt = performance.now()
      // each call has two events
      const record = await run(server, 'calls', { calls: events / 2, atOnce: AT_ONCE })
      const seconds = (performance.now() - startedAt) / 1000
      progress(`${events.toLocaleString('en-US')} events recorded`)
      await settled(server)
      const name = `execution of ${events.toLocaleString('en-US')} events`
      const first = await timed(server, `${record}?steps=${PAGE}`)
      const whole = await timed(server, record)
      const streamedAt = performance.now()
      const stream = await read(server, `${record}/stream`)
      const streamMs = performance.now() - streamedAt
      return [
        { name: `${name}: run`, measured: seconds, unit: 's', note: `${AT_ONCE} calls at once` },
        {
          name: `${name}: first page of ${PAGE} steps`,
          measured: first.ms,
          unit: 'ms',
          note: `loop blocked for ${first.tickMs.toFixed(0)} ms`,
        },
        {
          name: `${name}: whole record`,
          measured: whole.ms,
          unit: 'ms',
          note: `loop blocked for ${whole.tickMs.toFixed(0)} ms`,
        },
        {
          name: `${name}: all events as a stream`,
          measured: streamMs / 1000,
          unit: 's',
          note: `${(stream.text.length / 1e6).toFixed(1)} MB`,
        },
      ]
    }),
  )
}

/** An execution with a result of a number of characters. */
export function ofResult(chars: number): Promise<Measurement[]> {
  return withSizesProject(1, async (root) => {
    await withServer(root, async () => undefined)
    const empty = databaseBytes(root)
    const { record, bytes } = await withServer(root, async (server) => {
      const found = await run(server, 'large', { chars })
      return { record: found, bytes: (await read(server, found)).text.length }
    })
    const stored = databaseBytes(root) - empty
    const { ms, tickMs } = await withMeter(root, (server) => timed(server, record))
    const name = `result of ${(chars / 1e6).toLocaleString('en-US')} MB`
    return [
      { name: `${name}: bytes in the database, over its own`, measured: stored / chars, unit: '' },
      { name: `${name}: bytes of GET, over its own`, measured: bytes / chars, unit: '' },
      { name: `${name}: GET`, measured: ms, unit: 'ms', note: `loop blocked for ${tickMs.toFixed(0)} ms` },
    ]
  })
}
