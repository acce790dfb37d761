import { type BenchOptions, readOptions } from './options.ts'
import { agents } from './agents.ts'
import { budget } from './budget.ts'
import { answers } from './answers.ts'
import { cluster } from './cluster/cluster.ts'
import { consoleScreens } from './console.ts'
import { footprint, growth } from './footprint.ts'
import { gate } from './gate.ts'
import { history } from './history.ts'
import { live } from './live.ts'
import { logs } from './logs.ts'
import { reload } from './reload.ts'
import { reached, formatReport } from './report.ts'
import type { Measurement } from './report.ts'
import { search } from './search.ts'
import { sockets } from './sockets.ts'
import { recovery } from './recovery.ts'
import { tracing } from './tracing.ts'
import { throughput } from './throughput.ts'
import { waits } from './waits.ts'

const SECTIONS: Readonly<Record<string, (options: BenchOptions) => Promise<Measurement[]>>> = {
  budget,
  throughput,
  tracing,
  logs,
  live,
  history,
  search,
  footprint,
  growth,
  recovery,
  waits,
  cluster,
  reload,
  sockets,
  gate,
  agents,
  answers,
  console: consoleScreens,
}

/**
 * Runs the sections in the arguments, or all, and prints the figures and their targets. `answers` can be compared with
 * another checkout: `npm run bench -- answers --against <folder>`.
 */
export async function main(args: readonly string[]): Promise<void> {
  const { names, options } = readOptions(args)
  const chosen = names.length > 0 ? names : Object.keys(SECTIONS)
  const measurements: Measurement[] = []
  for (const name of chosen) {
    const section = SECTIONS[name]
    if (!section)
      throw new Error(`There is no section "${name}"; there are ${Object.keys(SECTIONS).join(', ')}`)
    process.stderr.write(`measuring ${name} …\n`)
    measurements.push(...(await section(options)))
  }
  process.stdout.write(`${formatReport(measurements)}\n`)
  process.exitCode = measurements.every((one) => reached(one)) ? 0 : 1
}
