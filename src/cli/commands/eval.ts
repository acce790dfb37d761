import fs from 'node:fs'
import { findProject } from '../../config/project.ts'
import { RECORDINGS } from '../../evals/recordings/recording-file.ts'
import type { Recordings } from '../../evals/recordings/recordings.ts'
import { readBaseline, saveBaseline } from '../../evals/report/baseline.ts'
import type { Baseline } from '../../evals/report/baseline.ts'
import { junit } from '../../evals/report/junit.ts'
import { lastFailed, saveLastEvalRun } from '../../evals/report/last-eval-run.ts'
import type { CaseResult, EvalResult } from '../../evals/run/case-result.ts'
import { runEval } from '../../evals/run/run-eval.ts'
import type { EvalToRun } from '../../evals/run/run-eval.ts'
import { AppError } from '../../lib/errors.ts'
import { openEvals } from '../../server/project/open-evals.ts'
import type { OpenEvals } from '../../server/project/open-evals.ts'
import { ScratchServer } from '../../server/project/scratch-server.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { printEvals } from '../evals/eval-table.ts'
import { EXIT, exitCodes } from '../exit-code.ts'
import { PROJECT_CODE } from '../lifetime.ts'
import { resolveMode } from '../options/load-config.ts'
import { wholeNumberOption } from '../options/execution-options.ts'
import { LogLines } from '../print/log-lines.ts'
import { ProgressLine } from '../print/progress-line.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'
import { serverLogs } from '../serve/open-logs.ts'

const WARN = 40

export const evalCommand: CliCommand = {
  define: (command) => {
    command
      .argument('[cases]', 'glob of case files (default: every eval, and the files below cases/)')
      .option('--repeat <n>', 'run each case n times; the score is the mean', '1')
      .option('--only-failed', 'run only the cases that failed in the last run')
      .option('--baseline <name>', 'compare with a saved baseline; a case with a lower score fails')
      .option('--save-baseline <name>', 'save the scores in cases/.baselines')
      .option('--record', 'keep the answers of models in cases/.recordings')
      .option('--replay', 'use the recorded answers; no model is called, and no key is needed')
      .option('--junit <file>', 'write the results as JUnit XML')
      .addHelpText(
        'after',
        `
Runs the cases of the project on a database in memory, several at a time, and scores the outputs. A case is a JSON file
cases/<name>/<id>.json: { "target": { "workflow": "order" }, "input": …, "expected": … }. A file *.eval.ts chooses
scorers and a threshold with createEval(); the other cases must equal what they expect.

${exitCodes({
  [EXIT.done]: 'every eval has at least its threshold',
  [EXIT.failed]: 'an eval is below its threshold, or a case below the baseline',
  [EXIT.usage]:
    'a case, scorer, eval, baseline or recording is broken or missing, or an input is refused; the other cases have run. Or the configuration is not valid',
  [EXIT.interrupted]: 'interrupted; what has ended is printed',
})}`,
      )
      .addHelpText(
        'after',
        examples(
          'eval',
          "eval 'cases/orders/*.json' --only-failed",
          'eval --repeat 5 --save-baseline main',
          'eval --baseline main --junit evals.xml',
          'eval --record',
          'eval --replay --json',
        ),
      )
  },
  run: async (call) => {
    const [pattern] = call.args
    const { options, terminal, lifetime } = call
    const repeat = wholeNumberOption('--repeat', options['repeat'])
    const mode = modeOf(call)
    terminal.protectStdout()
    const { root } = findProject({ cwd: process.cwd(), config: options.config })
    const baselineName = options['baseline'] as string | undefined
    const baseline = baselineName === undefined ? undefined : await readBaseline(root, baselineName)
    const isOnlyFailed = options['onlyFailed'] === true
    const { client, evals, recordings } = await openEvals(await loadServer(call, root), {
      pattern,
      mode,
      ...(isOnlyFailed && { select: (planned) => onlyFailed(planned, root) }),
    })
    const run = new EvalRun(evals, { call, baseline })
    lifetime.waitsFor = PROJECT_CODE
    lifetime.onInterrupt(() => run.stop())
    const results = await run.all({ client, recordings, repeat })
    if (run.isStopped) return lifetime.ended
    if (recordings) requireRecordings(recordings)
    await saveLastEvalRun(root, results)
    const saved = options['saveBaseline'] as string | undefined
    if (saved !== undefined) terminal.note(`Baseline saved: ${await saveBaseline(root, saved, results)}`)
    const passed = run.print()
    const isComplete = pattern === undefined && !isOnlyFailed
    if (recordings) reportRecordings(recordings, { isComplete, terminal })
    const broken = brokenCases(results)
    for (const { id, error = '' } of broken)
      terminal.note(terminal.notePaint.red(`✗ ${id} is broken: ${oneLine(error)}`))
    if (broken.length > 0) return EXIT.usage
    return passed ? EXIT.done : EXIT.failed
  },
}

function brokenCases(results: readonly EvalResult[]): readonly CaseResult[] {
  return results.flatMap(({ cases }) => cases.filter(({ broken }) => broken))
}

/** Loads the project. */
async function loadServer(call: CommandCall, root: string): Promise<ScratchServer> {
  const { options, terminal, lifetime } = call
  lifetime.waitsFor = PROJECT_CODE
  const server = await ScratchServer.load({
    project: findProject({ cwd: process.cwd(), config: options.config }),
    mode: resolveMode(process.env, 'development'),
    openLogs: () => serverLogs(call, root, warningsOnly(new LogLines(terminal, { requests: false }).print)),
    onHint: (text) => terminal.note(terminal.notePaint.dim(text)),
  })
  lifetime.defer(() => server.close(0))
  return server
}

/** The option for the answers of models. */
function modeOf({ options }: CommandCall): 'record' | 'replay' | undefined {
  const [record, replay] = [options['record'] === true, options['replay'] === true]
  if (record && replay) throw new AppError('invalid_input', '--record and --replay exclude each other')
  return record ? 'record' : replay ? 'replay' : undefined
}

/** What the cases do is in their results. */
function warningsOnly(print: LogLines['print']): LogLines['print'] {
  return (entry) => {
    if (entry.level >= WARN) print(entry)
  }
}

async function onlyFailed(evals: readonly EvalToRun[], root: string): Promise<readonly EvalToRun[]> {
  const failed = await lastFailed(root)
  if (!failed) throw new AppError('invalid_input', '--only-failed: there is no last run')
  return evals
    .map((one) => ({ ...one, cases: one.cases.filter(({ id }) => failed.has(id)) }))
    .filter(({ cases }) => cases.length > 0)
}

/** A run of evals, and what has come of it so far. */
class EvalRun {
  readonly #evals: readonly EvalToRun[]
  readonly #call: CommandCall
  readonly #baseline: Baseline | undefined
  readonly #abort = new AbortController()
  readonly #progress: ProgressLine
  readonly #cases = new Map<string, CaseResult[]>()
  #results: readonly EvalResult[] = []

  constructor(
    evals: readonly EvalToRun[],
    { call, baseline }: { readonly call: CommandCall; readonly baseline: Baseline | undefined },
  ) {
    this.#evals = evals
    this.#call = call
    this.#baseline = baseline
    this.#progress = new ProgressLine(call.terminal)
  }

  get isStopped(): boolean {
    return this.#abort.signal.aborted
  }

  async all(
    run: Pick<OpenEvals, 'client' | 'recordings'> & { readonly repeat: number },
  ): Promise<readonly EvalResult[]> {
    const total = this.#evals.reduce((sum, { cases }) => sum + cases.length, 0)
    let done = 0
    const results: EvalResult[] = []
    try {
      this.#progress.show(`0 of ${total} cases`)
      for (const one of this.#evals) {
        const cases: CaseResult[] = []
        this.#cases.set(one.id, cases)
        const onCase = (result: CaseResult) => {
          cases.push(result)
          this.#progress.show(`${++done} of ${total} cases, ${result.id}`)
        }
        results.push(await runEval(one, { ...run, signal: this.#abort.signal, onCase }))
        this.#abort.signal.throwIfAborted()
      }
    } catch (error) {
      // what has ended is printed
      if (!this.isStopped) throw error
    } finally {
      this.#progress.stop()
    }
    this.#results = results
    return results
  }

  /** Ends the run, and prints what has ended. */
  stop(): void {
    this.#abort.abort()
    this.#progress.stop()
    this.#results = this.#evals.map(({ id, threshold, cases }) => {
      const ended = this.#cases.get(id) ?? []
      const inOrder = cases.flatMap((one) => ended.find((result) => result.id === one.id) ?? [])
      return { id, threshold, score: null, passed: false, cases: inOrder }
    })
    this.#report({ interrupted: true })
    this.#call.lifetime.interruptIsReported = true
  }

  /** Prints and writes the results. Returns whether everything passed. */
  print(): boolean {
    return this.#report()
  }

  #report(state: { readonly interrupted?: true } = {}): boolean {
    const { terminal, options } = this.#call
    const results = this.#results
    const dropped = this.#dropped()
    const passed = results.every((one) => one.passed) && dropped.length === 0
    if (typeof options['junit'] === 'string') fs.writeFileSync(options['junit'], junit(results))
    if (terminal.json)
      terminal.printValue({ passed, ...state, evals: results.map((one) => reproducible(one)), dropped })
    else printEvals(results, this.#baseline, terminal)
    for (const id of dropped) terminal.note(terminal.notePaint.red(`✗ ${id} is below the baseline`))
    return passed
  }

  #dropped(): readonly string[] {
    const before = this.#baseline
    if (!before) return []
    return this.#results
      .flatMap(({ cases }) => cases)
      .filter(({ id, score }) => score < (before[id] ?? 0) - 1e-9)
      .map(({ id }) => id)
  }
}

/** A result without what differs from run to run. */
function reproducible({ cases, ...result }: EvalResult) {
  return { ...result, cases: cases.map(({ durationMs: _time, traceId: _trace, ...one }) => one) }
}

const MAX_SHOWN = 20

/** @throws AppError `invalid_config` naming the calls of models for which there was no recording. */
function requireRecordings({ missing }: Recordings): void {
  if (missing.length === 0) return
  throw new AppError('invalid_config', shown(missing).join('\n'), {
    hint: 'Record the answers: agentserver eval --record',
  })
}

/** Prints how many recordings were written, and which were not used. After a run of all cases, deletes those of others. */
function reportRecordings(
  recordings: Recordings,
  { isComplete, terminal }: { readonly isComplete: boolean; readonly terminal: Terminal },
): void {
  if (recordings.mode === 'record') {
    if (isComplete) recordings.deleteOrphaned()
    const { written, deleted } = recordings
    const removed = deleted.length === 0 ? '' : `, and deleted ${count(deleted.length)} that no case used`
    return terminal.note(`Wrote ${count(written)} to ${RECORDINGS}${removed}`)
  }
  const unused = [...recordings.unused, ...(isComplete ? recordings.orphaned : [])]
  if (unused.length === 0) return
  const files = shown(unused).map((file) => `  ${file}`)
  terminal.note(
    [`${count(unused.length)} not used; agentserver eval --record deletes them:`, ...files].join('\n'),
  )
}

function count(recordings: number): string {
  return recordings === 1 ? '1 recording' : `${recordings} recordings`
}

function shown(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_SHOWN
  return more > 0 ? [...lines.slice(0, MAX_SHOWN), `… and ${more} more`] : lines
}
