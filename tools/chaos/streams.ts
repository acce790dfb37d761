/** The data of events, by their numbers. */
type Events = Map<number, string>

interface ReadEvents {
  readonly events: Events
  /** The number of the last event. */
  last: number
  /** The stream has ended with the execution. */
  isFinished: boolean
}

/** Reads the events of executions as streams, over all lives of a server, and remembers what was streamed. */
export class Streams {
  readonly #read = new Map<string, ReadEvents>()
  /** Numbers of events that were skipped or repeated. */
  readonly violations: string[] = []

  /** Begins to remember an execution. */
  add(executionId: string): void {
    this.#read.set(executionId, { events: new Map(), last: 0, isFinished: false })
  }

  /** The executions whose streams have not ended, each with the number of its last event. */
  get open(): ReadonlyMap<string, number> {
    const open = [...this.#read].filter(([, { isFinished }]) => !isFinished)
    return new Map(open.map(([executionId, { last }]) => [executionId, last]))
  }

  get size(): number {
    return this.#read.size
  }

  /** Reads on, until the stream ends, by itself or with its server. `ends`: it ends only with the execution. */
  async read(executionId: string, response: Response, { ends }: { readonly ends: boolean }): Promise<void> {
    const read = this.#read.get(executionId)
    if (!read) return
    for await (const { id, data } of eventsOf(response)) {
      if (id !== read.last + 1)
        this.violations.push(`${executionId}: event ${id} streamed after ${read.last}`)
      read.events.set(id, data)
      read.last = id
    }
    read.isFinished = ends
  }

  /** Ends reading: the execution is gone. */
  close(executionId: string): void {
    const read = this.#read.get(executionId)
    if (read) read.isFinished = true
  }

  /** What was streamed and is recorded otherwise, or not at all. */
  differences(executionId: string, recorded: ReadonlyMap<number, string>): string[] {
    const { events = [] } = this.#read.get(executionId) ?? {}
    const first = [...events].find(([id, data]) => data !== recorded.get(id))
    if (!first) return []
    const [id, data] = first
    return [`${executionId}: event ${id} was streamed as ${data}, recorded as ${recorded.get(id)}`]
  }
}

interface NumberedEvent {
  readonly id: number
  readonly data: string
}

/** The recorded events of a stream. Others have no number. */
export async function* eventsOf(response: Response): AsyncGenerator<NumberedEvent> {
  let buffered = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = `${buffered}${chunk}`.split('\n\n')
    buffered = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id, data = ''] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? []
      if (id !== undefined) yield { id: Number(id), data }
    }
  }
}
