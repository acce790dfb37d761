import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { removeProject } from '../../bench/project.ts'
import { FIGURES, type Figure, type Sample } from '../figures.ts'
import { soak, type SoakOptions } from '../soak.ts'
import { SOAK_FILES } from '../soak-project.ts'

const DURATION_MS = 6000

/** A soak of seconds, and its samples. */
async function soakFor(options: Partial<SoakOptions> = {}) {
  const samples: Sample[] = []
  const result = await soak({
    durationMs: DURATION_MS,
    store: 'sqlite',
    signal: new AbortController().signal,
    onSample: (sample) => samples.push(sample),
    ...options,
  })
  return { result, samples }
}

/** A soak of seconds ends in its warm-up: some figures may have grown. */
function remove(kept: string | undefined): void {
  if (kept !== undefined) removeProject(kept)
}

const most = (samples: readonly Sample[], figure: Figure) =>
  Math.max(...samples.map(({ figures }) => figures[figure] ?? 0))

/** More timers than the work of a soak has at any time. */
const MANY_TIMERS = 1000

it('soak measures every figure of a server that is used and reloaded, and no request fails', async () => {
  const samples: Sample[] = []
  const enough = new AbortController()
  const missing = () =>
    (Object.keys(FIGURES) as Figure[]).filter((figure) =>
      samples.every(({ figures }) => figures[figure] === undefined),
    )
  const { result } = await soakFor({
    // on a busy machine, executions take seconds
    durationMs: 10 * DURATION_MS,
    signal: enough.signal,
    onSample: (sample) => {
      samples.push(sample)
      if (sample.ended > 20 && missing().length === 0) enough.abort()
    },
  })
  expect(result.failures).toEqual([])
  expect(result.ended).toBeGreaterThan(20)
  expect(result.saves).toBe(samples.length)
  expect(missing()).toEqual([])
  expect(most(samples, 'heap')).toBeGreaterThan(10)
  expect(most(samples, 'timers')).toBeLessThan(MANY_TIMERS)
  remove(result.kept)
})

it('soak finds timers that the steps of a workflow leave behind, and keeps the samples', async () => {
  const config = SOAK_FILES['agentserver.config.ts'] ?? ''
  const leaking = config.replace(
    "id: 'one', execute: async ({ data }) => data",
    "id: 'one', execute: async ({ data }) => { for (let n = 0; n < 200; n++) setInterval(() => undefined, 1e6).unref(); return data }",
  )
  expect(leaking).not.toBe(config)
  const { result, samples } = await soakFor({ files: { 'agentserver.config.ts': leaking } })
  expect(most(samples, 'timers')).toBeGreaterThan(MANY_TIMERS)
  const lines = readFileSync(path.join(result.kept ?? '', 'soak/samples.jsonl'), 'utf8')
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Sample),
  ).toEqual(samples)
  remove(result.kept)
})

it('soak that is interrupted returns what there is so far', async () => {
  const interrupt = new AbortController()
  let samples = 0
  const { result } = await soakFor({
    durationMs: 24_000,
    signal: interrupt.signal,
    onSample: () => {
      samples++
      interrupt.abort()
    },
  })
  expect(result.durationMs).toBeLessThan(24_000)
  expect(result).toMatchObject({ growth: undefined, saves: 1, failures: [] })
  expect(samples).toBe(1)
  remove(result.kept)
})
