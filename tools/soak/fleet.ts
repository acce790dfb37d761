import { FIGURES, type Figure, type Sample } from './figures.ts'
import { Machine, type MachineOptions, type Reading } from './machine.ts'

/** The servers of a soak. One of them is chosen for each request, as by a load balancer. */
export class Fleet {
  readonly #options: MachineOptions
  readonly #machines: Machine[]
  #next = 0
  /** How often all machines were replaced. */
  deploys = 0

  private constructor(options: MachineOptions, machines: Machine[]) {
    this.#options = options
    this.#machines = machines
  }

  static async start(count: number, options: MachineOptions): Promise<Fleet> {
    const machines: Machine[] = []
    try {
      for (let n = 0; n < count; n++) machines.push(await Machine.start(options))
    } catch (error) {
      await Promise.allSettled(machines.map((machine) => machine.stop()))
      throw error
    }
    return new Fleet(options, machines)
  }

  /** The next machine in service. */
  pick(): Machine {
    const inService = this.#machines.filter(({ isLeaving }) => !isLeaving)
    const machine = inService[this.#next++ % inService.length]
    if (!machine) throw new Error('No machine is in service')
    return machine
  }

  /** Replaces one machine after the other. */
  async deploy(): Promise<void> {
    for (const [index, machine] of this.#machines.entries()) {
      await machine.stop()
      this.#machines[index] = await Machine.start(this.#options)
    }
    this.deploys++
  }

  /** What the machines hold: each figure is that of the machine with the most. */
  async read(): Promise<Pick<Sample, 'figures' | 'kinds'>> {
    return mostOf(await Promise.all(this.#machines.map((machine) => machine.read())))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#machines.map((machine) => machine.stop()))
  }
}

/** The largest of each figure, and the sums of the kinds of resources. */
function mostOf(readings: readonly Reading[]): Pick<Sample, 'figures' | 'kinds'> {
  const figures: Partial<Record<Figure, number>> = {}
  const kinds: Record<string, number> = {}
  for (const reading of readings) {
    const resources = Object.values(reading.kinds).reduce((sum, count) => sum + count, 0)
    const all = { ...reading, resources }
    for (const figure of Object.keys(FIGURES) as Figure[]) {
      const value = all[figure]
      if (value !== undefined) figures[figure] = Math.max(figures[figure] ?? value, value)
    }
    for (const [kind, count] of Object.entries(reading.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count
  }
  return { figures, kinds }
}
