import { PollLoop } from '../dispatch/poll-loop.ts'

/** How far the records of a process have been read. Each process numbers its records in the order of its commits. */
export interface TailPosition {
  readonly ownerEpoch: number
  readonly number: number
}

export interface RemoteTailOptions<Row extends TailPosition> {
  readonly ownerEpoch: number
  /** The owner epochs of the processes that are alive. */
  readonly aliveEpochs: () => Promise<readonly number[]>
  /** The last record of each process. */
  readonly newest: () => Promise<readonly TailPosition[]>
  /** Reads the next records of each process after its position, in order, and not necessarily all. */
  readonly read: (after: readonly TailPosition[]) => Promise<readonly Row[]>
}

/** Short, as a record should be seen within a second, and its process stores it after a tenth of one. */
const POLL_MS = 500

/**
 * Reads what other processes store, as long as somebody follows. There is a position for each process: the clocks of
 * machines differ, so records may be stored long after newer ones.
 */
export class RemoteTail<Row extends TailPosition> {
  readonly #options: RemoteTailOptions<Row>

  constructor(options: RemoteTailOptions<Row>) {
    this.#options = options
  }

  /** Calls `listener` with new records until the returned function is called. */
  follow(listener: (rows: readonly Row[]) => void): () => void {
    const reader = new TailReader(this.#options)
    let stopped = false
    const loop = new PollLoop(async () => {
      try {
        for (let rows = await reader.next(); rows.length > 0 && !stopped; rows = await reader.next())
          listener(rows)
      } catch {
        // the database is away, which its health reports: the next poll continues at the same positions
      }
      return POLL_MS
    })
    loop.start()
    return () => {
      stopped = true
      void loop.stop()
    }
  }
}

class TailReader<Row extends TailPosition> {
  readonly #options: RemoteTailOptions<Row>
  /** By owner epoch; undefined until the end of the records has been found. */
  #positions: Map<number, number> | undefined
  /** Processes that are read: the last records of one that has died must be read, too. */
  readonly #followed = new Set<number>()

  constructor(options: RemoteTailOptions<Row>) {
    this.#options = options
  }

  async next(): Promise<readonly Row[]> {
    const { ownerEpoch: own, aliveEpochs, newest, read } = this.#options
    this.#positions ??= new Map((await newest()).map(({ ownerEpoch, number }) => [ownerEpoch, number]))
    const positions = this.#positions
    for (const epoch of await aliveEpochs()) if (epoch !== own) this.#followed.add(epoch)
    if (this.#followed.size === 0) return []
    const rows = await read(
      [...this.#followed].map((ownerEpoch) => ({ ownerEpoch, number: positions.get(ownerEpoch) ?? 0 })),
    )
    for (const { ownerEpoch, number } of rows) positions.set(ownerEpoch, number)
    return rows
  }
}
