import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../src/lib/errors.ts'
import { makeProject, removeProject } from '../bench/project.ts'
import { median, percentile } from '../bench/report.ts'
import { ModelServer } from '../chaos/agents/model-server.ts'
import type { Sample } from './figures.ts'
import { Fleet } from './fleet.ts'
import { type FigureGrowth, growthOf } from './growth.ts'
import { Load } from './load.ts'
import { LOGS } from './machine.ts'
import { postgresRecords, sqliteRecords, type Records } from './records.ts'
import { SoakClient } from './soak-client.ts'
import { SAVED, SOAK_FILES } from './soak-project.ts'

export interface SoakOptions {
  readonly durationMs: number
  readonly store: 'sqlite' | 'postgres'
  /** Ends it early. */
  readonly signal: AbortSignal
  /** Modules of the project that differ from those of a soak. */
  readonly files?: Readonly<Record<string, string>> | undefined
  readonly onSample?: ((sample: Sample) => void) | undefined
}

export interface SoakResult {
  /** How long it ran, in milliseconds. */
  readonly durationMs: number
  /** `undefined`: there are too few samples to compare. */
  readonly growth: readonly FigureGrowth[] | undefined
  /** What did not go as expected, one line each. */
  readonly failures: readonly string[]
  /** Executions and answers that have ended. */
  readonly ended: number
  readonly saves: number
  readonly deploys: number
  /** Requests that a deploy has interrupted, and that were made again. */
  readonly interrupted: number
  /** The folder with the samples, the database and the logs, unless everything was flat. */
  readonly kept?: string
}

/** A line of JSON for each sample. */
const SAMPLES_FILE = 'samples.jsonl'

/** A save, and before it a sample, at this interval, in milliseconds; more often in a soak of less than two minutes. */
const SAMPLE_MS = 5000
const MIN_SAMPLES = 24

/** Machines on Postgres, and how often they are all replaced, in milliseconds. */
const MACHINES = 3
const DEPLOY_MS = 300_000

/** Uses a server, or machines that share a Postgres, for a time, and compares what they hold in its second and last quarter. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const files = { ...SOAK_FILES, ...options.files }
  const root = makeProject(files)
  mkdirSync(path.join(root, LOGS))
  try {
    const result = await inFolder(root, { ...options, files })
    const isFlat = result.growth?.every((one) => one.isFlat) ?? false
    if (!isFlat || result.failures.length > 0) return { ...result, kept: root }
    removeProject(root)
    return result
  } catch (error) {
    throw new Error(`${messageOf(error)}\nSamples, database and logs: ${root}`, { cause: error })
  }
}

/** Options with all modules of the project. */
interface Filled extends SoakOptions {
  readonly files: Readonly<Record<string, string>>
}

async function inFolder(root: string, options: Filled): Promise<SoakResult> {
  const isOnPostgres = options.store === 'postgres'
  const records = isOnPostgres ? await postgresRecords(root) : sqliteRecords(root)
  const model = new ModelServer(path.join(root, LOGS, 'model.log'))
  try {
    const env = {
      ...records.env,
      OPENAI_BASE_URL: await model.listen(),
      OPENAI_API_KEY: 'local-key-0123456789',
    }
    const fleet = await Fleet.start(isOnPostgres ? MACHINES : 1, {
      command: isOnPostgres ? 'start' : 'dev',
      root,
      env,
    })
    try {
      return await used(fleet, { ...options, root, records })
    } finally {
      await fleet.stop()
    }
  } finally {
    model.close()
    await records.end()
  }
}

interface Place extends Filled {
  readonly root: string
  readonly records: Records
}

async function used(
  fleet: Fleet,
  { durationMs, store, signal, onSample, ...place }: Place,
): Promise<SoakResult> {
  const client = new SoakClient(fleet)
  const load = new Load(client)
  const running = load.run()
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const everyMs = Math.min(SAMPLE_MS, durationMs / MIN_SAMPLES)
  const samples: Sample[] = []
  let saves = 0
  let nextDeploy = DEPLOY_MS
  let ranMs = durationMs
  try {
    // a deploy takes the time of some samples
    for (let next = everyMs; next <= durationMs; next = Math.max(next + everyMs, elapsed())) {
      await wait(next - elapsed(), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) break
      const sample = await sampleOf(fleet, load, place.records, elapsed())
      samples.push(sample)
      appendFileSync(path.join(place.root, LOGS, SAMPLES_FILE), `${JSON.stringify(sample)}\n`)
      onSample?.(sample)
      save(place, ++saves)
      if (store === 'postgres' && sample.at >= nextDeploy) {
        await fleet.deploy()
        nextDeploy += DEPLOY_MS
      }
    }
    ranMs = Math.min(durationMs, elapsed())
  } finally {
    await load.stop()
    await running
  }
  return {
    durationMs: ranMs,
    growth: growthOf(samples, ranMs),
    failures: load.failures,
    ended: load.ended,
    saves,
    deploys: fleet.deploys,
    interrupted: client.interrupted,
  }
}

async function sampleOf(fleet: Fleet, load: Load, records: Records, at: number): Promise<Sample> {
  const times = load.takeTimes()
  const { figures, kinds } = await load.paused(() => fleet.read())
  const sizes = await records.size()
  return {
    at: Math.round(at),
    kinds,
    figures: {
      ...figures,
      ...sizes,
      ...(times.length > 0 && { median: median(times), slowest: percentile(times, 0.99) }),
    },
    ended: load.ended,
  }
}

/** Changes a module of the project. */
function save({ root, files }: Pick<Place, 'root' | 'files'>, number: number): void {
  const file = SAVED[number % SAVED.length] ?? SAVED[0]
  writeFileSync(path.join(root, file), `${files[file]}\n// saved ${number} times\n`)
}
