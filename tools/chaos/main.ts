import { parseArgs } from 'node:util'
import { messageOf } from '../../src/lib/errors.ts'
import { agentChaos } from './agents/agent-chaos.ts'
import { chaos } from './chaos.ts'
import type { ChaosOptions } from './in-project.ts'
import { EXIT, reportOf, type Verdict } from './verdict.ts'

const HELP = `usage: npm run chaos -- [agents] [seed] [rounds] [--postgres]

Kills a server (kill -9) at random instants while executions of every kind run, and reports what was lost or done twice.
A seed repeats a plan.

  agents      kills answers of agents instead
  seed        an integer (default: a random one, which is printed)
  rounds      number of kills (default: 50)
  --postgres  on Postgres instead of SQLite: that of DATABASE_URL, otherwise one that is started for it (Node 22.12)

Exit codes:
  ${EXIT.held}  everything held
  ${EXIT.violated}  something did not hold
  ${EXIT.usage}  wrong arguments
  ${EXIT.undecided}  undecided: the harness waited in vain or failed, which is no verdict. What the rounds before have shown is
     reported

After a violation, or undecided, the folder with the database and the logs is kept, and printed.
`

interface Plan extends Pick<ChaosOptions, 'seed' | 'rounds' | 'postgres'> {
  readonly isAgents: boolean
}

/** `npm run chaos`: prints what did not hold, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  let plan: Plan | undefined
  try {
    plan = readPlan(args)
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${HELP}`)
    process.exitCode = EXIT.usage
    return
  }
  if (!plan) return void process.stdout.write(HELP)
  const { seed, rounds, isAgents, postgres } = plan
  process.stdout.write(`seed ${seed}, ${rounds} rounds, ${postgres ? 'Postgres' : 'SQLite'}\n`)
  const onRound = (round: number) => {
    if (round % 10 === 0) process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  try {
    const verdict = await (isAgents ? runAgents : runExecutions)({ ...plan, onRound })
    const command = `npm run chaos --${postgres ? ' --postgres' : ''}${isAgents ? ' agents' : ''}`
    const { text, exitCode } = reportOf(verdict, { seed, planned: rounds, command })
    process.stdout.write(text)
    process.exitCode = exitCode
  } catch (error) {
    process.stderr.write(`Undecided: the harness failed: ${messageOf(error)}\n`)
    process.exitCode = EXIT.undecided
  }
}

/** `undefined`: help is wanted. */
function readPlan(args: readonly string[]): Plan | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { postgres: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return undefined
  const isAgents = positionals[0] === 'agents'
  const [seedText, roundsText = '50', ...more] = isAgents ? positionals.slice(1) : positionals
  const seed = Number(seedText ?? Math.floor(Math.random() * 1_000_000))
  const rounds = Number(roundsText)
  if (!Number.isInteger(seed) || !Number.isInteger(rounds) || rounds < 1 || more.length > 0)
    throw new Error('seed and rounds must be integers, and rounds 1 or more')
  return { seed, rounds, isAgents, postgres: values.postgres }
}

async function runExecutions(options: ChaosOptions): Promise<Verdict> {
  const { executions, attempts, ticks, ...verdict } = await chaos(options)
  process.stdout.write(`${executions} executions, ${attempts} attempts, ${ticks} ticks\n`)
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
