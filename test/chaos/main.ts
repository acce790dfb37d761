import { chaos } from './chaos.ts'

/** `npm run chaos [seed] [rounds]`: prints what did not hold, and ends with the exit code 1 if there is anything. */
export async function main([seedText, roundsText = '50']: readonly string[]): Promise<void> {
  const seed = Number(seedText ?? Math.floor(Math.random() * 1_000_000))
  const rounds = Number(roundsText)
  if (!Number.isInteger(seed) || !Number.isInteger(rounds) || rounds < 1)
    throw new Error('usage: npm run chaos [seed] [rounds], both integers')
  process.stdout.write(`seed ${seed}, ${rounds} rounds\n`)
  const onRound = (round: number) => {
    if (round % 10 === 0) process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  const { violations, executions, attempts, ticks } = await chaos({ seed, rounds, onRound })
  process.stdout.write(`${executions} executions, ${attempts} attempts, ${ticks} ticks\n`)
  for (const violation of violations) process.stdout.write(`${violation}\n`)
  process.stdout.write(violations.length === 0 ? 'Everything held.\n' : `${violations.length} violations\n`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
