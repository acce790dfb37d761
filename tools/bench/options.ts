import { parseArgs } from 'node:util'

/** Options of the sections that take some. */
export interface BenchOptions {
  /** The folder of another checkout, built, that is measured in turns with this one. */
  readonly against?: string
  /** How often each figure is measured. Default: as the section says. */
  readonly rounds?: number
  /** The largest number of executions that `sizes` measures. */
  readonly upTo?: number
  /** The file to which `sizes` draws its growth curves. */
  readonly curves?: string
}

/** The sections and options of the arguments; `undefined` when they ask for help. */
export function readOptions(
  args: readonly string[],
): { names: readonly string[]; options: BenchOptions } | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      against: { type: 'string' },
      rounds: { type: 'string' },
      'up-to': { type: 'string' },
      curves: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  const { against, curves } = values
  const rounds = wholeNumber('rounds', values.rounds)
  const upTo = wholeNumber('up-to', values['up-to'])
  return {
    names: positionals,
    options: {
      ...(against !== undefined && { against }),
      ...(rounds !== undefined && { rounds }),
      ...(upTo !== undefined && { upTo }),
      ...(curves !== undefined && { curves }),
    },
  }
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new Error(`--${option} must be a whole number of 1 or more, not ${text}`)
}
