import type { Store } from '../../src/store/store.ts'
import type { TraceChange } from '../../src/store/trace-store.ts'
import { BenchBrowser, PAINT_TIMES } from './console-page.ts'
import { fillStore } from './fill-store.ts'
import { startServer } from './process.ts'
import type { Running } from './process.ts'
import { makeProject, removeProject } from './project.ts'
import { percentile } from './report.ts'
import type { Measurement } from './report.ts'

const EXECUTIONS = 10_000
const SPANS = [2000, 40_000] as const
const LINES_PER_SECOND = 1000
const EVENTS = 40
const KEYS = 30

const PROJECT = {
  'agentserver.config.ts': `
import { createWorkflow, defineConfig } from 'agentserver'

const trivial = createWorkflow({ id: 'trivial', name: 'Trivial' })
  .andThen({ id: 'one', execute: async ({ data }) => data })
  .andThen({ id: 'two', execute: async ({ data }) => data })

const talk = createWorkflow({ id: 'talk', name: 'Talk' }).andThen({
  id: 'say',
  execute: async ({ data, logger, signal }) => {
    const startedAt = performance.now()
    for (let n = 0; n < data.lines && !signal.aborted; ) {
      const due = Math.min(data.lines, ((performance.now() - startedAt) / 1000) * data.perSecond)
      while (n < due) logger.info({ n: n++ }, 'A line of the usual length about an order')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return data
  },
})

export default defineConfig({ workflows: [trivial, talk] })
`,
}

/** The frame rate of the console with much data, and its delay for new data. */
export async function consoleScreens(): Promise<Measurement[]> {
  const root = makeProject(PROJECT)
  await fillStore(root, storeTraces)
  const server = await startServer('start', { cwd: root, env: { NODE_ENV: 'development' } })
  const browser = await BenchBrowser.launch(server.url)
  try {
    await execute(server, EXECUTIONS)
    return [
      ...(await scroll(browser, 'executions', `${EXECUTIONS.toLocaleString('en-US')} executions`)),
      ...(await keystrokes(browser)),
      ...(await events(browser, server)),
      ...(await busyList(browser, server)),
      ...(await scroll(browser, `traces/${traceId(SPANS[0])}`, '2,000 spans')),
      ...(await scroll(browser, `traces/${traceId(SPANS[1])}`, '40,000 spans')),
      ...(await busyLog(browser, server)),
    ]
  } finally {
    await browser.close()
    await server.stop()
    removeProject(root)
  }
}

const SMOOTH = { unit: 'fps', bar: { atLeast: 55 } } as const
const LIGHT = { unit: 'ms', bar: { atMost: 10 } } as const

async function scroll(browser: BenchBrowser, address: string, content: string): Promise<Measurement[]> {
  const page = await browser.open(address)
  const { fps, perFrame } = await browser.frames(page, SCROLL)
  await page.close()
  return [
    { name: `scrolling ${content}`, measured: fps, ...SMOOTH },
    { name: '… main thread per frame', measured: perFrame, ...LIGHT },
  ]
}

/** Scrolls the largest scroll area down and up, half a screen per frame. */
const SCROLL = `
  const all = [...document.querySelectorAll('main *')]
  const list = all.reduce((most, one) => one.scrollHeight - one.clientHeight > most.scrollHeight - most.clientHeight ? one : most)
  let step = list.clientHeight / 2
  return () => {
    list.scrollTop += step
    if (list.scrollTop <= 0 || list.scrollTop + list.clientHeight >= list.scrollHeight - 1) step = -step
  }
`
const NOTHING = 'return () => undefined'

async function keystrokes(browser: BenchBrowser): Promise<Measurement[]> {
  const page = await browser.open('executions')
  await page.evaluate(PAINT_TIMES)
  await page.keyboard.press('j')
  for (let count = 0; count < KEYS; count++) await page.keyboard.press('j', { delay: 20 })
  await page.getByLabel('User').focus()
  await page.keyboard.type('abcdefghij'.repeat(KEYS / 10), { delay: 20 })
  const paints = (await page.evaluate('paints')) as number[]
  await page.close()
  return [
    {
      name: 'keystroke to paint on 10,000 rows, p95',
      measured: percentile(paints, 0.95),
      unit: 'ms',
      bar: { atMost: 50 },
      note: `median ${percentile(paints, 0.5).toFixed(1)} ms of ${paints.length} keys`,
    },
  ]
}

async function events(browser: BenchBrowser, server: Running): Promise<Measurement[]> {
  const page = await browser.open('executions')
  await page.evaluate(`
    globalThis.seen = new Map()
    new MutationObserver(() => {
      for (const cell of document.querySelectorAll('[role=gridcell] [title]')) {
        if (!seen.has(cell.title)) seen.set(cell.title, performance.timeOrigin + performance.now())
      }
    }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true, attributes: true })
  `)
  const startedAt = new Map<string, number>()
  for (let count = 0; count < EVENTS; count++) {
    const at = performance.timeOrigin + performance.now()
    const [id = ''] = await execute(server, 1)
    startedAt.set(id, at)
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
  const seen = new Map<string, number>(await page.evaluate('[...seen]'))
  await page.close()
  const delays = [...startedAt].map(([id, at]) => (seen.get(id) ?? Infinity) - at)
  return [
    {
      name: 'from the request to the execution on screen, p95',
      measured: percentile(delays, 0.95),
      unit: 'ms',
      bar: { atMost: 100 },
      note: `median ${percentile(delays, 0.5).toFixed(1)} ms`,
    },
  ]
}

async function busyList(browser: BenchBrowser, server: Running): Promise<Measurement[]> {
  const page = await browser.open('executions')
  const stop = new AbortController()
  const busy = steadily(server, 500, stop.signal)
  const { fps, perFrame } = await browser.frames(page, NOTHING)
  stop.abort()
  const rate = await busy
  await page.close()
  return [
    {
      name: 'list of executions at 500 executions/s',
      measured: fps,
      ...SMOOTH,
      note: `${rate.toFixed(0)} executions/s`,
    },
    { name: '… main thread per frame', measured: perFrame, ...LIGHT },
  ]
}

async function busyLog(browser: BenchBrowser, server: Running): Promise<Measurement[]> {
  const page = await browser.open('logs')
  const talk = fetch(`${server.url}/workflows/talk/execute`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input: { lines: LINES_PER_SECOND * 14, perSecond: LINES_PER_SECOND } }),
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  const { fps, perFrame } = await browser.frames(page, NOTHING)
  await talk
  await page.close()
  return [
    { name: 'log at 1,000 lines/s', measured: fps, ...SMOOTH },
    { name: '… main thread per frame', measured: perFrame, ...LIGHT },
  ]
}

async function execute({ url }: Running, count: number): Promise<string[]> {
  const ids: string[] = []
  const worker = async () => {
    while (ids.length < count) {
      const place = ids.push('') - 1
      const response = await fetch(`${url}/workflows/trivial/execute`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"input":{"orderId":"A-1","amount":12}}',
      })
      const { data } = (await response.json()) as { data: { executionId: string } }
      ids[place] = data.executionId
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, 32) }, worker))
  return ids
}

/** Starts executions at a rate until it is stopped. Resolves to the actual rate. */
async function steadily(server: Running, perSecond: number, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1000
  let run = 0
  while (!signal.aborted) {
    const due = Math.min(50, Math.floor(passed() * perSecond) - run)
    if (due > 0) run += (await execute(server, due)).length
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return run / passed()
}

function traceId(spans: number): string {
  return spans.toString(16).padStart(32, 'a')
}

async function storeTraces(store: Store): Promise<void> {
  for (const spans of SPANS) await store.traces.write([traceOf(spans)])
}

const CALLS = 8

/** A root span with steps, each with a chain of calls. */
function traceOf(count: number): TraceChange {
  const startedAt = Date.now() - 60_000
  const idOf = (index: number) =>
    startedAt.toString(16).padStart(12, '0') + index.toString(16).padStart(4, '0')
  const lasts = 50_000
  const spans = Array.from({ length: count }, (_, index) => {
    const parent = index === 0 ? null : idOf(index % CALLS === 1 ? 0 : index - 1)
    const start = startedAt + (index / count) * lasts
    const data = {
      parentSpanId: parent,
      name: index === 0 ? 'invoke_workflow trivial' : `step s${index}`,
      kind: 'internal',
      status: index % 97 === 5 ? 'error' : 'ok',
      startTime: start,
      endTime: index === 0 ? startedAt + lasts : start + 20 + (index % CALLS) * 3,
      attributes: { 'agentserver.step.id': `s${index}` },
      events: [],
    }
    return { spanId: idOf(index), isNew: true, data: JSON.stringify(data) }
  })
  return {
    traceId: traceId(count),
    startedAt,
    endedAt: startedAt + lasts,
    name: 'invoke_workflow trivial',
    kind: 'internal',
    status: 'ok',
    entity: { type: 'workflow', id: 'trivial', name: 'Trivial' },
    usage: undefined,
    subjects: [['workflowId', 'trivial']],
    spans,
  }
}
