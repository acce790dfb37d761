import path from 'node:path'
import { glob } from 'tinyglobby'
import { isEval } from './eval.ts'
import type { Eval } from './eval.ts'

const IGNORED = ['**/node_modules/**', '**/dist/**', '**/.*/**']

/** The files of a project that may export evals, absolute. */
export async function evalFiles(root: string): Promise<readonly string[]> {
  const files = await glob('**/*.eval.{ts,mts,js,mjs}', { cwd: root, ignore: IGNORED })
  return files.toSorted().map((file) => path.join(root, file))
}

/** The evals that the files `*.eval.ts` of a project export. */
export async function loadEvals(
  root: string,
  importFile: (file: string) => Promise<Readonly<Record<string, unknown>>>,
): Promise<readonly Eval[]> {
  const evals = new Set<Eval>()
  for (const file of await evalFiles(root))
    for (const value of Object.values(await importFile(file))) if (isEval(value)) evals.add(value)
  return [...evals]
}
