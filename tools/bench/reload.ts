import { makeEditedProject, saveValue } from './edited-project.ts'
import { KeptConnection } from './kept-connection.ts'
import { memoryOf, startServer } from './process.ts'
import type { Running } from './process.ts'
import { removeProject } from './project.ts'
import { median, percentile } from './report.ts'
import type { Measurement } from './report.ts'

const STARTS = 5
const EDITS = 50
const WARM_UP = 100
const RELOADS = 2000
/** Enough reloads for garbage collections to happen. */
const WINDOW = 300
const STRIDE = 10
/** Room for what the server keeps. Without a limit V8 collects rarely, and memory shows garbage as growth. */
const HEAP_LIMIT = { NODE_OPTIONS: '--max-old-space-size=64' }

/** A project of sixty modules that is changed repeatedly while `dev` serves it. */
export async function reload(): Promise<Measurement[]> {
  return [...(await edits()), await growth()]
}

async function edits(): Promise<Measurement[]> {
  const root = makeEditedProject()
  const { loads, starts } = await coldStarts(root)
  const server = await startServer('dev', { cwd: root, probe: '/value' })
  const editor = new Editor(root, server)
  try {
    await editor.edit(10)
    const times = await editor.edit(EDITS)
    const connections = await connectionsThrough(server, () => editor.edit(EDITS))
    return [
      {
        name: 'cold load of a config of 61 modules with zod and ai',
        measured: median(loads),
        unit: 'ms',
        bar: { atMost: 200 },
        note: `process start to first response ${Math.round(median(starts))} ms`,
      },
      { name: 'edit to served over HTTP, p50', measured: median(times), unit: 'ms', bar: { atMost: 30 } },
      {
        name: 'edit to served over HTTP, p95',
        measured: percentile(times, 0.95),
        unit: 'ms',
        bar: { atMost: 100 },
      },
      ...connections,
    ]
  } finally {
    editor.close()
    await server.stop()
    removeProject(root)
  }
}

/** The memory that reloads leave behind. */
async function growth(): Promise<Measurement> {
  const root = makeEditedProject()
  const server = await startServer('dev', { cwd: root, probe: '/value', env: HEAP_LIMIT })
  const editor = new Editor(root, server)
  try {
    await editor.edit(WARM_UP)
    const early = await memoryThrough(WINDOW, { server, editor })
    const middle = await memoryThrough(RELOADS - WINDOW, { server, editor })
    const late = await memoryThrough(WINDOW, { server, editor })
    const [before, after] = [Math.min(...early), Math.min(...late)]
    const most = Math.max(...early, ...middle, ...late)
    return {
      name: 'memory growth over 2,000 reloads',
      measured: after - before,
      unit: 'MB',
      bar: { atMost: 40 },
      note: `${before.toFixed(0)} MB, then ${after.toFixed(0)} MB after collections, at most ${most.toFixed(0)} MB, with a heap of 64 MB`,
    }
  } finally {
    editor.close()
    await server.stop()
    removeProject(root)
  }
}

async function coldStarts(root: string): Promise<{ loads: number[]; starts: number[] }> {
  const loads: number[] = []
  const starts: number[] = []
  for (let turn = 0; turn < STARTS; turn++) {
    const server = await startServer('dev', { cwd: root, probe: '/value' })
    const response = await fetch(`${server.url}/observability/status`)
    const { data } = (await response.json()) as { data: { generation: { durationMs: number } } }
    loads.push(data.generation.durationMs)
    starts.push(server.startedIn)
    await server.stop()
  }
  return { loads, starts }
}

/** Saves a file and waits until the change is served. */
class Editor {
  readonly #root: string
  readonly #connection: KeptConnection
  #value = 0

  constructor(root: string, { url }: Running) {
    this.#root = root
    this.#connection = new KeptConnection(`${url}/value`)
  }

  /** Makes a number of edits and returns the time of each in milliseconds. */
  async edit(count: number): Promise<number[]> {
    const times: number[] = []
    for (let turn = 0; turn < count; turn++) {
      const value = ++this.#value
      saveValue(this.#root, value)
      const startedAt = performance.now()
      while ((await this.#connection.get()) !== String(value)) {
        if (performance.now() - startedAt > 10_000) throw new Error(`The edit ${value} was not served`)
      }
      times.push(performance.now() - startedAt)
    }
    return times
  }

  close(): void {
    this.#connection.close()
  }
}

/** Counts failed requests, closed connections and a stream's failures while `work` runs. */
async function connectionsThrough(server: Running, work: () => Promise<unknown>): Promise<Measurement[]> {
  const controller = new AbortController()
  const stream = await fetch(`${server.url}/workflows/count/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"input":{"n":1}}',
    signal: controller.signal,
  })
  let streamEnded = false
  const reading = stream.text().then(
    () => (streamEnded = true),
    // it is aborted at the end
    () => undefined,
  )
  const connections = Array.from({ length: 4 }, () => new KeptConnection(`${server.url}/workflows`))
  let polling = true
  const polls = connections.map(async (connection) => {
    while (polling) await connection.get()
  })
  await work()
  polling = false
  await Promise.all(polls)
  const closed = connections.reduce((sum, { opened }) => sum + opened - 1, 0) + (streamEnded ? 1 : 0)
  const requests = connections.reduce((sum, one) => sum + one.requests, 0)
  const failed = connections.reduce((sum, one) => sum + one.failed, 0)
  controller.abort()
  await reading
  for (const connection of connections) connection.close()
  const note = `${requests} requests on ${connections.length} connections, and an open stream`
  return [
    { name: `failed requests during ${EDITS} reloads`, measured: failed, unit: '', bar: { atMost: 0 }, note },
    { name: `closed connections during ${EDITS} reloads`, measured: closed, unit: '', bar: { atMost: 0 } },
  ]
}

/**
 * Resident memory during a number of reloads, in megabytes. The minimum is the memory after a garbage collection.
 */
async function memoryThrough(
  reloads: number,
  { server, editor }: { server: Running; editor: Editor },
): Promise<number[]> {
  const memory: number[] = []
  for (let done = 0; done < reloads; done += STRIDE) {
    await editor.edit(STRIDE)
    memory.push(memoryOf(server))
  }
  return memory
}
