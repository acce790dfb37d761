import type { Ended } from '../process/command-here.ts'
import type { RunningServer } from '../project/cli-project.ts'
import { until } from '../until.ts'
import { Follower } from './follower.ts'

export interface MachineRecord {
  readonly id: string
  readonly ownerEpoch: number
  readonly release: string
  readonly executions: number
}

/** A server of a cluster: a process of the built command. */
export class Machine {
  readonly name: string
  readonly server: RunningServer

  constructor(name: string, server: RunningServer) {
    this.name = name
    this.server = server
  }

  /** Starts executions and returns their ids when they are stored. */
  start(workflowId: string, count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.#startOne(workflowId)))
  }

  async #startOne(workflowId: string): Promise<string> {
    const { status, data } = await this.server.post(
      `/workflows/${workflowId}/execute`,
      { input: {} },
      { Prefer: 'respond-async' },
    )
    if (status !== 202)
      throw new Error(`${this.name} started no execution: ${status} ${JSON.stringify(data)}`)
    return data.executionId as string
  }

  /** The execution as any machine returns it. */
  async record(workflowId: string, executionId: string): Promise<any> {
    return (await this.server.get(`/workflows/${workflowId}/executions/${executionId}`)).data
  }

  async status(workflowId: string, executionId: string): Promise<string | undefined> {
    return (await this.record(workflowId, executionId))?.status
  }

  follow(workflowId: string, executionId: string): Follower {
    const url = new URL(`/workflows/${workflowId}/executions/${executionId}/stream`, this.server.url)
    return new Follower(executionId, fetch(url))
  }

  /** Waits until all executions of a workflow have a status. */
  async reached(
    status: string,
    workflowId: string,
    executionIds: readonly string[],
    ms = 90_000,
  ): Promise<void> {
    const open = new Set(executionIds)
    const all = async () => {
      for (const id of open) {
        if ((await this.status(workflowId, id).catch(() => undefined)) !== status) return false
        open.delete(id)
      }
      return true
    }
    await until(all, () => `${open.size} executions to be ${status}: ${[...open].slice(0, 5).join(', ')}`, ms)
  }

  async machines(): Promise<MachineRecord[]> {
    return (await this.server.get('/observability/machines')).data
  }

  /** Kills it with SIGKILL, and returns when it did, in milliseconds since the epoch. */
  async kill(): Promise<number> {
    const at = performance.timeOrigin + performance.now()
    await this.server.kill('SIGKILL')
    return at
  }

  stop(): Promise<Ended> {
    return this.server.kill('SIGTERM')
  }
}
