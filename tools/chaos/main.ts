import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { messageOf } from '../../src/lib/errors.ts'
import { PLAN_FILE } from './in-project.ts'
import { drawPlan, MODES, Plan } from './plan.ts'
import { findPlanted, playPlan, shrinkPlan } from './play.ts'
import { EXIT } from './verdict.ts'

const HELP = `usage: npm run chaos -- [seed] [rounds] [mode] [--plan file] [--shrink] [--postgres]
       npm run chaos -- --planted

Lets faults happen to a server while executions of every kind run, and reports what was lost or done twice. A seed
determines the plan, which is printed and kept.

  seed        an integer (default: a random one)
  rounds      number of lives of the server (default: 50)
  mode        mixed   executions; the server is killed (kill -9), also while it starts, terminated and then killed,
                      paused, reloaded many times, and retention deletes what has ended (default)
              harsh   as mixed, and a step ends the server again and again; it can open no files, and its clock jumps. On
                      SQLite the disk is full, the file of the database is moved away, and backups and restores are
                      killed; on Postgres the connections break. Needs prlimit (Linux)
              kills   executions; the server is killed
              agents  answers of agents; the server is killed
              machines  executions on two or three machines, with --postgres; one after the other is killed, terminated
                      or paused, while the others continue; now and then all lose the database
  --plan      plays the plan in a file instead: the ${PLAN_FILE} of an earlier run
  --shrink    plays ever shorter parts of a plan, and prints the shortest that still fails
  --postgres  on Postgres instead of SQLite: that of DATABASE_URL, otherwise one that is started for it (Node 22.12)
  --planted   tests these rounds: plants faults into copies of the engine, one after the other, and says after how many
              rounds each was found

Exit codes:
  ${EXIT.held}  everything held
  ${EXIT.violated}  something did not hold, or a planted fault was not found
  ${EXIT.usage}  wrong arguments
  ${EXIT.undecided}  undecided: the harness waited in vain or failed, which is no verdict. What the rounds before have shown is
     reported

After a violation, or undecided, the folder with the database, the logs and the plan is kept, and printed.
`

/** `npm run chaos`: prints what did not hold, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  let run: () => Promise<void>
  try {
    run = readArgs(args)
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${HELP}`)
    process.exitCode = EXIT.usage
    return
  }
  try {
    await run()
  } catch (error) {
    process.stderr.write(`Undecided: the harness failed: ${messageOf(error)}\n`)
    process.exitCode = EXIT.undecided
  }
}

/** What the arguments ask for. Throws when they are wrong. */
function readArgs(args: readonly string[]): () => Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      plan: { type: 'string' },
      shrink: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return async () => void process.stdout.write(HELP)
  if (values.planted) return findPlanted
  const plan = values.plan === undefined ? planOf(positionals) : readPlan(values.plan, positionals)
  if ((plan.machines ?? 1) > 1 && !values.postgres) throw new Error('several machines need --postgres')
  const run = values.shrink ? shrinkPlan : playPlan
  return () => run({ plan, postgres: values.postgres })
}

function readPlan(file: string, { length }: readonly string[]): Plan {
  if (length > 0) throw new Error('--plan replaces seed, rounds and mode')
  return Plan.parse(JSON.parse(readFileSync(file, 'utf8')))
}

function planOf([seedText, roundsText = '50', mode = 'mixed', ...more]: readonly string[]): Plan {
  const seed = Number(seedText ?? Math.floor(Math.random() * 1_000_000))
  const rounds = Number(roundsText)
  const known = MODES.find((one) => one === mode)
  if (!Number.isInteger(seed) || !Number.isInteger(rounds) || rounds < 1 || !known || more.length > 0)
    throw new Error(`seed and rounds must be integers, rounds 1 or more, and mode ${MODES.join(', ')}`)
  return drawPlan(seed, rounds, known)
}
