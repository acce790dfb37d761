import path from 'node:path'
import { removeProject } from '../bench/project.ts'
import { agentChaos } from './agents/agent-chaos.ts'
import { chaos } from './chaos.ts'
import { effectsText } from './effects.ts'
import { type ChaosOptions, PLAN_FILE } from './in-project.ts'
import { type Plan, textOf } from './plan.ts'
import { findFault, plantedFaults } from './planted.ts'
import { shrink } from './shrink.ts'
import { EXIT, nothingToShrink, reportOf, type Verdict } from './verdict.ts'

/** Violations that are printed of a planted fault. */
const SHOWN = 3

type Run = Pick<ChaosOptions, 'plan' | 'postgres'>

/** Plays a plan, prints the verdict and sets the exit code. */
export async function playPlan({ plan, postgres }: Run): Promise<void> {
  const { seed, mode, rounds } = plan
  const store = postgres ? 'Postgres' : 'SQLite'
  process.stdout.write(`seed ${seed}, ${rounds.length} rounds, ${mode}, ${store}\n${textOf(plan)}`)
  const onRound = (round: number) => {
    if (round % 10 === 0) process.stderr.write(`round ${round} of ${rounds.length}\n`)
  }
  const verdict = await verdictOf({ plan, postgres, onRound })
  const { text, exitCode } = reportOf(verdict, {
    planned: rounds.length,
    repeat: (kept) => `npm run chaos -- --plan ${path.join(kept, PLAN_FILE)}${postgres ? ' --postgres' : ''}`,
  })
  process.stdout.write(text)
  process.exitCode = exitCode
}

/** Prints the shortest part of a plan that still fails, and keeps the folder of its last play. */
export async function shrinkPlan({ plan, postgres }: Run): Promise<void> {
  let kept: string | undefined
  let undecided: Verdict | undefined
  const fails = async (shorter: Plan) => {
    const verdict = await chaosOf({ plan: shorter, postgres })
    const isFailed = verdict.violations.length > 0
    if (verdict.timeouts.length > 0) undecided ??= verdict
    const unwanted = isFailed ? kept : verdict.kept
    if (unwanted !== undefined) removeProject(unwanted)
    if (isFailed) kept = verdict.kept
    process.stderr.write(`${shorter.rounds.length} rounds: ${verdict.violations[0] ?? 'no violation'}\n`)
    return isFailed
  }
  if (!(await fails(plan))) {
    const { text, exitCode } = nothingToShrink(undecided)
    process.stdout.write(text)
    process.exitCode = exitCode
    return
  }
  process.stdout.write(`${textOf(await shrink(plan, fails))}Database, logs and plan: ${kept}\n`)
  process.exitCode = EXIT.violated
}

/** Plants the faults, prints after how many rounds each was found, and sets the exit code. */
export async function findPlanted(): Promise<void> {
  for (const name of plantedFaults()) {
    const { rounds, violations } = await findFault(name)
    if (rounds === undefined) process.exitCode = EXIT.violated
    const found = rounds === undefined ? 'not found' : `found within ${rounds} rounds`
    process.stdout.write(
      `${name}: ${found}\n${violations
        .slice(0, SHOWN)
        .map((violation) => `  ${violation}\n`)
        .join('')}`,
    )
  }
}

function verdictOf(options: ChaosOptions): Promise<Verdict> {
  return options.plan.mode === 'agents' ? agentVerdict(options) : executionVerdict(options)
}

function chaosOf(options: ChaosOptions): Promise<Verdict> {
  return options.plan.mode === 'agents' ? agentChaos(options) : chaos(options)
}

async function executionVerdict(options: ChaosOptions): Promise<Verdict> {
  const {
    executions,
    streams,
    attempts,
    ticks,
    effects,
    log: _,
    commands: __,
    ...verdict
  } = await chaos(options)
  process.stdout.write(`${executions} executions, ${streams} streams, ${attempts} attempts, ${ticks} ticks\n`)
  process.stdout.write(effectsText(effects))
  return verdict
}

async function agentVerdict(options: ChaosOptions): Promise<Verdict> {
  const { runs, decided, streams, calls, repeated, givenUp, ...verdict } = await agentChaos(options)
  process.stdout.write(
    `${runs} answers, ${decided} decisions, ${streams} whole streams, ${calls} calls of models and tools, ${repeated} of them again\n`,
  )
  for (const one of givenUp) process.stdout.write(`given up by the rule for crashes, no violation: ${one}\n`)
  return verdict
}
