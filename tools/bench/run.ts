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
import { sizes } from './sizes/sizes.ts'
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
  sizes,
  cluster,
  reload,
  sockets,
  gate,
  agents,
  answers,
  console: consoleScreens,
}

/** The section that takes longer than all others together. */
const LONG = 'sizes'

const HELP = `usage: npm run bench -- [section…] [--rounds n] [--against folder] [--up-to n] [--curves file]

Measures agentserver, and prints each figure beside its target. Sections (default: all but sizes):

  ${Object.keys(SECTIONS).join(', ')}

  --rounds   budget, answers: how often each figure is measured
  --against  budget, answers: the folder of another checkout, built, that is measured in turns with this one
  --up-to    sizes: the largest number of executions (default: 100000). Up to it, it measures finished executions on a
             database that grows, and up to 100,000 that are suspended or sleep; and 20,000 that run at once, and single
             ones with 10,000 calls, with 100,000 events and with a result of 10 MB. A smaller number makes all of these
             smaller. 100000 takes the better part of an hour, and about 10 kB for each execution in the folder of TMPDIR
  --curves   sizes: a file to which the growth is drawn, as SVG

Exit codes: 0 when every target was reached, otherwise 1.
`

/** Runs the sections in the arguments, or all, and prints the figures and their targets. */
export async function main(args: readonly string[]): Promise<void> {
  const read = readOptions(args)
  if (!read) return void process.stdout.write(HELP)
  const { names, options } = read
  const chosen = names.length > 0 ? names : Object.keys(SECTIONS).filter((name) => name !== LONG)
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
