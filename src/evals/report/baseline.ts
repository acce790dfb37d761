import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { AppError } from '../../lib/errors.ts'
import { isId, ID_RULE } from '../../lib/ids.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import type { EvalResult } from '../run/case-result.ts'

/** The scores of an earlier run by the ids of the cases. */
export type Baseline = Readonly<Record<string, number>>

const FOLDER = 'cases/.baselines'
const Scores = z.record(z.string(), z.number().min(0).max(1))

/**
 * Reads a saved baseline.
 *
 * @throws AppError `invalid_config` when there is none of this name, or its file is broken.
 */
export async function readBaseline(root: string, name: string): Promise<Baseline> {
  const file = fileOf(root, name)
  const text = await fs.readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new AppError('invalid_config', `There is no baseline "${name}"`, {
      hint: `Save one: agentserver eval --save-baseline ${name}`,
    })
  try {
    return Scores.parse(JSON.parse(text))
  } catch (error) {
    throw new AppError('invalid_config', `${path.relative(root, file)} is not a baseline`, { cause: error })
  }
}

/** Saves the scores as a baseline, sorted by the ids of the cases, and returns the file's path. */
export async function saveBaseline(
  root: string,
  name: string,
  results: readonly EvalResult[],
): Promise<string> {
  const file = fileOf(root, name)
  const scores = results.flatMap(({ cases }) => cases.map(({ id, score }) => [id, score] as const))
  const sorted = Object.fromEntries(scores.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await fs.mkdir(path.dirname(file), { recursive: true })
  replaceFile({ file, bytes: Buffer.from(`${JSON.stringify(sorted, null, 2)}\n`), mode: 0o644 })
  return path.relative(root, file)
}

function fileOf(root: string, name: string): string {
  if (!isId(name)) throw new AppError('invalid_input', `The name of a baseline must be ${ID_RULE}`)
  return path.join(root, FOLDER, `${name}.json`)
}
