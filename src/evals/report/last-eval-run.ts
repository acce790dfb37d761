import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { DATA_DIRECTORY, makePrivate } from '../../lib/files/private-files.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import type { EvalResult } from '../run/case-result.ts'

const LastEvalRun = z.object({ failed: z.array(z.string()) })

/** Whether a case failed: its score is below the threshold of its eval. */
export function failedCases({ cases, threshold }: EvalResult): EvalResult['cases'] {
  return cases.filter(({ score, broken }) => broken || score < threshold)
}

/** Remembers which cases failed, for the next run. */
export async function saveLastEvalRun(root: string, results: readonly EvalResult[]): Promise<void> {
  const file = fileOf(root)
  const failed = results.flatMap((one) => failedCases(one).map(({ id }) => id))
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  replaceFile({ file, bytes: Buffer.from(JSON.stringify({ failed })), mode: 0o600 })
  makePrivate(path.dirname(file))
}

/** The ids of the cases that failed in the last run; undefined before the first run. */
export async function lastFailed(root: string): Promise<ReadonlySet<string> | undefined> {
  const text = await fs.readFile(fileOf(root), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  return new Set(LastEvalRun.parse(JSON.parse(text)).failed)
}

function fileOf(root: string): string {
  return path.join(root, DATA_DIRECTORY, 'last-eval.json')
}
