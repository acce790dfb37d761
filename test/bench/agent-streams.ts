import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const DELTA = '"type":"text-delta"'

const post = (input: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ input }),
})

/** Milliseconds from the request to the first word of the answer. */
export async function firstToken(url: string, input: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(url, post(input))
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes(DELTA)) break
  }
  return performance.now() - began
}

/** What a stream holds in memory, in bytes. */
export interface StreamMemory {
  /** Once it has begun. */
  readonly begun: number
  /** For each event after that. */
  readonly perEvent: number
}

/** Opens so many streams at once and reads them in step, measuring what is kept after a garbage collection. */
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
  const begun = keptMemory()
  await read(events)
  const late = keptMemory()
  await Promise.all(readers.map((reader) => reader.cancel()))
  return { begun: (begun - before) / count, perEvent: (late - begun) / count / events }
}

function keptMemory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
