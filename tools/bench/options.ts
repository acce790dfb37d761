import { parseArgs } from 'node:util'

/** Options of the sections that take some. */
export interface BenchOptions {
  /** The folder of another checkout, built, that is measured in turns with this one. */
  readonly against?: string
  /** How often each figure is measured. Default: as the section says. */
  readonly rounds?: number
}

/** The sections and options of `npm run bench -- [section…] [--against <folder>] [--rounds <n>]`. */
export function readOptions(args: readonly string[]): { names: readonly string[]; options: BenchOptions } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { against: { type: 'string' }, rounds: { type: 'string' } },
  })
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error(`--rounds must be a whole number of 1 or more, not ${values.rounds}`)
  return {
    names: positionals,
    options: {
      ...(values.against !== undefined && { against: values.against }),
      ...(rounds !== undefined && { rounds }),
    },
  }
}
