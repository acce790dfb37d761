import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '../../src/lib/errors.ts'
import { agentChaos } from './agents/agent-chaos.ts'
import { chaos } from './chaos.ts'
import { type ChaosOptions, PLAN_FILE } from './in-project.ts'
import { drawPlan, MODES, Plan, textOf } from './plan.ts'
import { EXIT, reportOf, type Verdict } from './verdict.ts'

const HELP = `usage: npm run chaos -- [seed] [rounds] [mode] [--plan file] [--postgres]

Lets faults happen to a server while executions of every kind run, and reports what was lost or done twice. A seed
determines the plan, which is printed and kept.

  seed        an integer (default: a random one)
  rounds      number of lives of the server (default: 50)
  mode        mixed   executions; the server is killed (kill -9), also while it starts, terminated and then killed,
                      paused, reloaded many times, and retention deletes what has ended (default)
              kills   executions; the server is killed
              agents  answers of agents; the server is killed
  --plan      plays the plan in a file instead: the ${PLAN_FILE} of an earlier run
  --postgres  on Postgres instead of SQLite: that of DATABASE_URL, otherwise one that is started for it (Node 22.12)

Exit codes:
  ${EXIT.held}  everything held
  ${EXIT.violated}  something did not hold
  ${EXIT.usage}  wrong arguments
  ${EXIT.undecided}  undecided: the harness waited in vain or failed, which is no verdict. What the rounds before have shown is
     reported

After a violation, or undecided, the folder with the database, the logs and the plan is kept, and printed.
`

type Run = Pick<ChaosOptions, 'plan' | 'postgres'>

/** `npm run chaos`: prints what did not hold, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  let run: Run | undefined
  try {
    run = readArgs(args)
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${HELP}`)
    process.exitCode = EXIT.usage
    return
  }
  if (!run) return void process.stdout.write(HELP)
  const { plan, postgres } = run
  const { seed, mode, rounds } = plan
  process.stdout.write(
    `seed ${seed}, ${rounds.length} rounds, ${mode}, ${postgres ? 'Postgres' : 'SQLite'}\n${textOf(plan)}`,
  )
  const onRound = (round: number) => {
    if (round % 10 === 0) process.stderr.write(`round ${round} of ${rounds.length}\n`)
  }
  try {
    const verdict = await (mode === 'agents' ? runAgents : runExecutions)({ ...run, onRound })
    const { text, exitCode } = reportOf(verdict, {
      planned: rounds.length,
      repeat: (kept) =>
        `npm run chaos -- --plan ${path.join(kept, PLAN_FILE)}${postgres ? ' --postgres' : ''}`,
    })
    process.stdout.write(text)
    process.exitCode = exitCode
  } catch (error) {
    process.stderr.write(`Undecided: the harness failed: ${messageOf(error)}\n`)
    process.exitCode = EXIT.undecided
  }
}

/** `undefined`: help is wanted. */
function readArgs(args: readonly string[]): Run | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      plan: { type: 'string' },
      postgres: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  const { plan: file, postgres } = values
  if (file === undefined) return { plan: planOf(positionals), postgres }
  if (positionals.length > 0) throw new Error('--plan replaces seed, rounds and mode')
  return { plan: Plan.parse(JSON.parse(readFileSync(file, 'utf8'))), postgres }
}

function planOf([seedText, roundsText = '50', mode = 'mixed', ...more]: readonly string[]): Plan {
  const seed = Number(seedText ?? Math.floor(Math.random() * 1_000_000))
  const rounds = Number(roundsText)
  const known = MODES.find((one) => one === mode)
  if (!Number.isInteger(seed) || !Number.isInteger(rounds) || rounds < 1 || !known || more.length > 0)
    throw new Error(`seed and rounds must be integers, rounds 1 or more, and mode ${MODES.join(', ')}`)
  return drawPlan(seed, rounds, known)
}

async function runExecutions(options: ChaosOptions): Promise<Verdict> {
  const { executions, streams, attempts, ticks, ...verdict } = await chaos(options)
  process.stdout.write(`${executions} executions, ${streams} streams, ${attempts} attempts, ${ticks} ticks\n`)
  return verdict
}

async function runAgents(options: ChaosOptions): Promise<Verdict> {
  const { runs, decided, streams, calls, repeated, givenUp, ...verdict } = await agentChaos(options)
  process.stdout.write(
    `${runs} answers, ${decided} decisions, ${streams} whole streams, ${calls} calls of models and tools, ${repeated} of them again\n`,
  )
  for (const one of givenUp) process.stdout.write(`given up by the rule for crashes, no violation: ${one}\n`)
  return verdict
}
