import { agentChaos } from './agents/agent-chaos.ts'
import { chaos, type ChaosOptions } from './chaos.ts'

/**
 * `npm run chaos [agents] [seed] [rounds]`: prints what did not hold, and ends with the exit code 1 if there is
 * anything. With `agents`, answers of agents are killed instead of executions of every kind.
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
  const violations = await (isAgents ? runAgents : runExecutions)({ seed, rounds, onRound })
  for (const violation of violations) process.stdout.write(`${violation}\n`)
  process.stdout.write(violations.length === 0 ? 'Everything held.\n' : `${violations.length} violations\n`)
  process.exitCode = violations.length === 0 ? 0 : 1
}

async function runExecutions(options: ChaosOptions): Promise<readonly string[]> {
  const { violations, executions, attempts, ticks } = await chaos(options)
  process.stdout.write(`${executions} executions, ${attempts} attempts, ${ticks} ticks\n`)
  return violations
}

async function runAgents(options: ChaosOptions): Promise<readonly string[]> {
  const { violations, runs, calls, repeated } = await agentChaos(options)
  process.stdout.write(`${runs} answers, ${calls} calls of models and tools, ${repeated} of them again\n`)
  return violations
}
