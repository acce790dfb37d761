import { agentChaos } from './agents/agent-chaos.ts'
import { chaos, type ChaosOptions } from './chaos.ts'
import { reportOf, type Verdict } from './verdict.ts'

/**
 * `npm run chaos [agents] [seed] [rounds]`: prints what did not hold, and ends with the exit code 1 if there is
 * anything, with 3 if the harness waited for something in vain, and with 0 otherwise. With `agents`, answers of agents are
 * killed instead of executions of every kind.
 */
export async function main(args: readonly string[]): Promise<void> {
  const isAgents = args[0] === 'agents'
  const [seedText, roundsText = '50'] = isAgents ? args.slice(1) : args
  const seed = Number(seedText ?? Math.floor(Math.random() * 1_000_000))
  const rounds = Number(roundsText)
  if (!Number.isInteger(seed) || !Number.isInteger(rounds) || rounds < 1)
    throw new Error('usage: npm run chaos [agents] [seed] [rounds], the last two integers')
  process.stdout.write(`seed ${seed}, ${rounds} rounds\n`)
  const onRound = (round: number) => {
    if (round % 10 === 0) process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  const verdict = await (isAgents ? runAgents : runExecutions)({ seed, rounds, onRound })
  const command = `npm run chaos --${isAgents ? ' agents' : ''}`
  const { text, exitCode } = reportOf(verdict, { seed, planned: rounds, command })
  process.stdout.write(text)
  process.exitCode = exitCode
}

async function runExecutions(options: ChaosOptions): Promise<Verdict> {
  const { executions, attempts, ticks, ...verdict } = await chaos(options)
  process.stdout.write(`${executions} executions, ${attempts} attempts, ${ticks} ticks\n`)
  return verdict
}

async function runAgents(options: ChaosOptions): Promise<Verdict> {
  const { runs, calls, repeated, givenUp, ...verdict } = await agentChaos(options)
  process.stdout.write(`${runs} answers, ${calls} calls of models and tools, ${repeated} of them again\n`)
  for (const one of givenUp) process.stdout.write(`given up by the rule for crashes, no violation: ${one}\n`)
  return verdict
}
