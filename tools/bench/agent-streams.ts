import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const DELTA = '"type":"text-delta"'

const post = (input: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ input }),
})

/** The time from the request to the first token of the response, in milliseconds. */
export async function firstToken(url: string, input: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(url, post(input))
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes(DELTA)) break
  }
  return performance.now() - startedAt
}

/** Memory of a stream, in bytes. */
export interface StreamMemory {
  /** After its start. */
  readonly started: number
  /** For each further event. */
  readonly perEvent: number
}

/** Opens `count` concurrent streams, reads them in step, and measures the memory after a garbage collection. */
export async function memoryOfStreams(
  fetch: (request: Request) => Promise<Response>,
  { url, input, count, events }: { url: string; input: string; count: number; events: number },
): Promise<StreamMemory> {
  const before = keptMemory()
  const opened = Array.from({ length: count }, () => fetch(new Request(url, post(input))))
  const readers = (await Promise.all(opened)).flatMap(({ body }) => body?.getReader() ?? [])
  const read = async (times: number) => {
    for (let round = 0; round < times; round++) await Promise.all(readers.map((reader) => reader.read()))
  }
  await read(20)
  const started = keptMemory()
  await read(events)
  const late = keptMemory()
  await Promise.all(readers.map((reader) => reader.cancel()))
  return { started: (started - before) / count, perEvent: (late - started) / count / events }
}

/** The memory that is in use after a garbage collection, in bytes. */
export function keptMemory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
