import type { AnswerRecorder, ModelCaller, ModelRecorder } from '../../agent/answer/model-recorder.ts'
import type { ModelObject } from '../../agent/model-object.ts'
import type { ServerConfig } from '../../config/config.ts'
import type { CaseRules } from '../../contract/evals/case.ts'
import { stepIdAt } from '../../contract/step-path.ts'
import type { ExecuteOptions } from '../../engine/executions/execute.ts'
import { Registry } from '../../engine/registry.ts'
import type { CallOutcome } from '../../evals/recordings/call-outcome.ts'
import { callHash, callRecord } from '../../evals/recordings/call-record.ts'
import type { ModelCallOptions } from '../../evals/recordings/call-record.ts'
import { recordingModel, replayedModel } from '../../evals/recordings/recorded-model.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { AppError } from '../../lib/errors.ts'
import { RunnerClock } from '../../lib/runner-clock.ts'
import { MemoryDatabase } from '../../store/sqlite/memory-database.ts'
import { outsideOfRuns } from './code-place.ts'
import { Findings } from './findings.ts'
import type { ProofReport } from './findings.ts'
import type { ProofEvent, ProofResume } from './given.ts'
import { Outcomes } from './outcomes.ts'
import { ProofRun } from './proof-run.ts'
import type { ProofRunDeps } from './proof-run.ts'
import type { CrashPoint } from './recorded-steps.ts'
import { Seed } from './seed.ts'
import { SideEffects } from './side-effects.ts'

/** What a proof runs. */
export interface ProofPlan {
  readonly config: ServerConfig
  /** The project's directory, in which the packages of models are found. */
  readonly root: string
  readonly workflowId: string
  readonly input: unknown
  readonly options: ExecuteOptions
  readonly resume: ProofResume
  readonly events: readonly ProofEvent[]
  readonly effects: Readonly<Record<string, unknown>>
  readonly seed: number
  /** How values of the outcome are compared, by their pointers in the result. */
  readonly rules: CaseRules
  /** Called before each run. `total` is not known before the second. */
  readonly onRun?: (progress: {
    readonly run: number
    readonly total: number | undefined
    readonly found: number
  }) => void
  /** Ends the proof early. */
  readonly signal?: AbortSignal
}

/** A bound of the time that a proof takes, which grows with the square of the calls. */
const MAX_CALLS_OF_PROOF = 1000
/** So many runs that hang end a proof. */
const MAX_HANGING = 3
/** Without any change for this time, a run hangs: with nothing open that may end its wait, or with a timer or a request. */
const IDLE_MS = 1000
const STALL_MS = 10_000
const LOOK_MS = 250
const QUIET_TURNS = 4
const PLAIN_RUNS = 2

/**
 * Runs a workflow without a crash, twice, and then once with a crash at each point of the first run.
 *
 * @throws AppError `invalid_input`, `not_found` and what else the engine throws for input that it refuses; TypeError for
 *   effects that are no functions.
 */
export async function prove(plan: ProofPlan): Promise<ProofReport> {
  const { config, workflowId, onRun, signal } = plan
  const seed = new Seed(plan.seed)
  const findings = new Findings(workflowId)
  let current: ProofRun | undefined
  const effects = new SideEffects({ effects: plan.effects, seed, onCall: () => current?.active() })
  const clock = new RunnerClock(QUIET_TURNS)
  const deps: ProofRunDeps = {
    given: plan,
    config,
    root: plan.root,
    registry: new Registry(config.workflows, config.agents, [], config),
    seed,
    effects,
    clock,
    models: new ModelAnswers(),
    database: new MemoryDatabase(),
    stalled: (since) => watchStall(since, clock),
  }
  let runs = 0
  let total: number | undefined
  let hanging = 0
  const run = async (shown: Findings, points?: readonly CrashPoint[]) => {
    signal?.throwIfAborted()
    runs++
    onRun?.({ run: runs, total, found: findings.count })
    current = new ProofRun(deps, shown, points)
    await current.run()
    if (current.hangs) hanging++
    return current
  }
  effects.install()
  try {
    const first = await run(findings)
    requireUsed(plan, first)
    if (!first.outcome) return findings.report(runs)
    const second = await run(findings)
    const calls = crashesByCall(first, second)
    total = PLAIN_RUNS + calls.length
    const outcomes = await Outcomes.of(first.outcome, second.outcome, plan.rules)
    const crash = async (points: readonly CrashPoint[], shown: Findings) => {
      const crashed = await run(shown, points)
      await outcomes.compare(crashed, { point: points.at(-1) as CrashPoint, findings: shown })
    }
    for (const points of calls) {
      const shown = new Findings(workflowId)
      await crash(points, shown)
      if (shown.count === 0) continue
      // which of the crashes it is
      for (const point of points) if (hanging < MAX_HANGING) await crash([point], findings)
      if (hanging >= MAX_HANGING) break
    }
    return findings.report(runs)
  } finally {
    effects.restore()
    deps.database.close()
  }
}

/**
 * The points of each call together: in one run it is crashed before, during and after the call.
 *
 * @throws AppError `invalid_input` when there are too many.
 */
function crashesByCall({ points }: ProofRun, second: ProofRun): readonly (readonly CrashPoint[])[] {
  const calls = new Map<string, CrashPoint[]>()
  for (const point of points) {
    const { execution, path, commit } = point
    // a call whose id is another one in each run is found by the number of its commit
    const isStable = path === '' || second.stepIds.has(path)
    const key = isStable ? `${execution} ${path}` : String(commit)
    const call = calls.get(key) ?? []
    calls.set(key, call)
    if (isStable || call.length === 0) call.push(isStable ? point : { ...point, anyPath: true })
  }
  if (calls.size <= MAX_CALLS_OF_PROOF) return [...calls.values()]
  throw new AppError(
    'invalid_input',
    `With this input the workflow makes ${calls.size.toLocaleString('en-US')} recorded calls; at most ${MAX_CALLS_OF_PROOF.toLocaleString('en-US')} are crashed`,
    { hint: 'Use an input with which it makes fewer: each kind of call counts, not how often it is made.' },
  )
}

/** @throws AppError `invalid_input` naming what is not used. */
function requireUsed(
  { resume, events }: ProofPlan,
  { stepIds, usedResume, sentEvents, outcome }: ProofRun,
): void {
  const known = [...stepIds].filter((id) => id !== '')
  const unknown = (option: string, id: string) => {
    const near = didYouMean(id, known)
    return new AppError(
      'invalid_input',
      `${option} names "${id}", and the workflow has run no step with this id${near === undefined ? '' : `. Did you mean "${near}"?`}`,
      known.length > 0
        ? { hint: `It has run: ${[...new Set(known.map((path) => stepIdAt(path)))].slice(0, 20).join(', ')}` }
        : {},
    )
  }
  const ids = Array.isArray(resume) ? [] : Object.keys(resume)
  for (const id of ids) if (!stepIds.has(id)) throw unknown('resume', id)
  for (const { after } of events)
    if (after !== undefined && !stepIds.has(after)) throw unknown('events: after', after)
  // what it lacks is the finding
  if (!outcome) return
  const idle = ids.find((id) => !usedResume.has(id))
  if (idle !== undefined)
    throw new AppError('invalid_input', `resume has data for "${idle}", and this step did not wait for any`)
  if (Array.isArray(resume) && usedResume.size < resume.length)
    throw new AppError(
      'invalid_input',
      `resume has ${resume.length} entries, and the workflow waited for resume data ${usedResume.size === 1 ? 'once' : `${usedResume.size} times`}`,
    )
  const unsent = events.find((event) => !sentEvents.has(event))
  if (unsent)
    throw new AppError(
      'invalid_input',
      `The event "${unsent.name}"${unsent.key === undefined ? '' : ` with the key "${unsent.key}"`} was never sent: no step has waited for it`,
      { hint: 'With after: <id of a step> it is sent when that step has ended.' },
    )
}

/** Watches for a run in which nothing happens any more. */
function watchStall(since: () => number, clock: RunnerClock): ReturnType<ProofRunDeps['stalled']> {
  const stalled = createDeferred<'stalled'>()
  const timer = setInterval(() => {
    const idleMs = performance.now() - since()
    if (idleMs > STALL_MS || (idleMs > IDLE_MS && !clock.isInFlight)) stalled.resolve('stalled')
  }, LOOK_MS)
  // it is no work in progress
  timer.unref()
  return { reached: stalled.promise, stop: () => clearInterval(timer) }
}

/** Answers each question to a model as it was answered in the first run: models are not asked again, and cost nothing. */
class ModelAnswers implements ModelRecorder {
  readonly #answers = new Map<string, Promise<CallOutcome>>()

  of({ agentId }: ModelCaller): AnswerRecorder {
    return {
      replays: false,
      recordedModel: undefined,
      wrap: (loaded, { ai, redact }) => {
        const { provider, modelId, model } = loaded
        const next = (options: ModelCallOptions) => {
          const key = `${agentId} ${provider}/${modelId} ${callHash(callRecord(options, redact))}`
          const known = this.#answers.get(key) ?? outsideOfRuns(() => ask(model, options))
          this.#answers.set(key, known)
          // what fails may succeed the next time
          known.catch(() => this.#answers.delete(key))
          return known
        }
        return { ...loaded, model: replayedModel(model, next, ai) }
      },
    }
  }

  newTrace(): undefined {
    return undefined
  }
}

/** Calls a model. Its error is thrown as it is. */
async function ask(model: ModelObject, options: ModelCallOptions): Promise<CallOutcome> {
  let recorded: CallOutcome | undefined
  const recording = recordingModel(model, () => (outcome) => (recorded = outcome)) as unknown as {
    doGenerate(asked: ModelCallOptions): PromiseLike<unknown>
  }
  await recording.doGenerate(options)
  return recorded as CallOutcome
}
