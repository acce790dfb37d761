import { parseArgs } from 'node:util'
import { messageOf } from '../../src/lib/errors.ts'
import { EXIT } from '../chaos/verdict.ts'
import { FIGURES, type Sample } from './figures.ts'
import { exitCodeOf, reportOf } from './report.ts'
import { soak } from './soak.ts'

const STORES = ['sqlite', 'postgres'] as const

const HELP = `usage: npm run soak -- [minutes] [--store sqlite|postgres] [--json]

Uses a server for a time with work of all kinds, at a steady pace, while its configuration is saved every 5 seconds and
retention deletes what has ended. Compares what the server holds in the second quarter of the time with the last one; the
first quarter is the warm-up. Measures inside of the server (Linux):

${Object.values(FIGURES)
  .map(({ name, growth: { share, least, why }, unit }) => {
    const limit = [share > 0 ? `${share * 100} %` : '', `${least} ${unit}`.trim()]
      .filter(Boolean)
      .join(' or ')
    return `  ${name.padEnd(40)} may grow by ${limit}: ${why}`
  })
  .join('\n')}

  minutes   how long it runs (default: 60)
  --store   sqlite: agentserver dev (default); postgres: three machines that are replaced one after the other every 5
            minutes, on the Postgres of DATABASE_URL, otherwise on one that is started for it (Node 22.12)
  --json    prints the result as JSON

Exit codes:
  ${EXIT.held}  everything was flat
  ${EXIT.violated}  a figure grew, or a request failed
  ${EXIT.usage}  wrong arguments
  ${EXIT.undecided}  undecided: too few samples, or the harness failed

Ctrl-C ends it early, with what there is so far. Unless everything was flat, the folder with the samples, the database and
the logs is kept, and printed.
`

interface Arguments {
  readonly minutes: number
  readonly store: (typeof STORES)[number]
  readonly isJson: boolean
}

/** `npm run soak`: prints what grew, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  let read: Arguments | undefined
  try {
    read = readArgs(args)
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${HELP}`)
    process.exitCode = EXIT.usage
    return
  }
  if (!read) return void process.stdout.write(HELP)
  try {
    await run(read)
  } catch (error) {
    process.stderr.write(`Undecided: the harness failed: ${messageOf(error)}\n`)
    process.exitCode = EXIT.undecided
  }
}

async function run({ minutes, store, isJson }: Arguments): Promise<void> {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  const result = await soak({
    durationMs: minutes * 60_000,
    store,
    signal: interrupt.signal,
    onSample: progress(),
  })
  process.stdout.write(isJson ? `${JSON.stringify(result, undefined, 2)}\n` : reportOf(result))
  process.exitCode = exitCodeOf(result)
}

/** Prints a line a minute. */
function progress(): (sample: Sample) => void {
  let minutes = 0
  return ({ at, ended, figures: { heap = 0, rss = 0, database = 0, slowest = 0 } }) => {
    if (at < (minutes + 1) * 60_000) return
    minutes++
    process.stderr.write(
      `${minutes} min: ${ended} ended, heap ${heap.toFixed(0)} MB, resident ${rss.toFixed(0)} MB, database ${database.toFixed(0)} MB, execute p99 ${slowest.toFixed(0)} ms\n`,
    )
  }
}

/** `undefined`: help was asked for. Throws when the arguments are wrong. */
function readArgs(args: readonly string[]): Arguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      store: { type: 'string', default: 'sqlite' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  const [text = '60', ...more] = positionals
  const minutes = Number(text)
  const store = STORES.find((one) => one === values.store)
  if (!(minutes > 0) || !store || more.length > 0)
    throw new Error(`minutes must be a number above 0, and --store ${STORES.join(' or ')}`)
  return { minutes, store, isJson: values.json }
}
