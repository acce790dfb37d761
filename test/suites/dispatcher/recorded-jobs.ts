import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import type { Dispatcher, Job, JobResult, JobServer, MachineStatus } from '../../../src/store/dispatcher.ts'
import { until } from '../../support/until.ts'

export interface TriedJob {
  readonly name: string
  readonly attempt: number
}

/** A job that is recognized by its name. */
export function job(name: string): Job {
  return { kind: 'wake', id: name, sequence: 1 }
}

export function nameOf(one: Job): string {
  if (one.kind === 'tick') return one.schedule
  if (one.kind === 'admit') return one.workflowId
  return one.kind === 'begin' ? one.executionId : one.id
}

/** Does jobs as the test says, and records them. */
export class RecordedJobs implements JobServer {
  readonly tried: TriedJob[] = []
  /** The jobs themselves. */
  readonly jobs: Job[] = []
  readonly deaths: number[] = []
  inProgress = 0
  mostInProgress = 0
  /** How many jobs are taken at the same time. */
  most = 10
  /** What a job does. */
  act: (name: string, attempt: number) => Promise<JobResult> = async () => 'done'

  async run(one: Job, attempt: number): Promise<JobResult> {
    const name = nameOf(one)
    this.jobs.push(one)
    this.tried.push({ name, attempt })
    this.inProgress++
    this.mostInProgress = Math.max(this.mostInProgress, this.inProgress)
    try {
      return await this.act(name, attempt)
    } finally {
      this.inProgress--
    }
  }

  room(): number {
    return this.most - this.inProgress
  }

  status(): MachineStatus {
    return { release: '1.2.3 abc', load: 0.25, executions: 7 }
  }

  onDeath(ownerEpoch: number): void {
    this.deaths.push(ownerEpoch)
  }

  /** Serves without waiting for the jobs that are due. */
  serveSoon(dispatcher: Dispatcher): void {
    // the database may be closed before they are done
    dispatcher.serve(this).catch(() => undefined)
  }

  get names(): string[] {
    return this.tried.map(({ name }) => name)
  }

  /** Waits until so many jobs were tried. */
  async reached(count: number): Promise<void> {
    await until(
      () => this.tried.length >= count,
      () => `${count} jobs; tried: ${this.names.join(', ')}`,
    )
  }

  /** Makes jobs wait until the returned function is called. */
  hold(): () => void {
    const gate = createDeferred<void>()
    this.act = async () => {
      await gate.promise
      return 'done'
    }
    return gate.resolve
  }
}
