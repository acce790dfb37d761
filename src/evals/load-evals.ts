import path from 'node:path'
import { glob } from 'tinyglobby'
import { type Eval, isEval } from './eval.ts'

const FILES = '**/*.eval.{ts,mts,js,mjs}'
const IGNORED = ['**/node_modules/**', '**/dist/**', '**/.*/**']

/** The evals that the files `*.eval.ts` of a project export. */
export async function loadEvals(
  root: string,
  importFile: (file: string) => Promise<Readonly<Record<string, unknown>>>,
): Promise<readonly Eval[]> {
  const files = await glob(FILES, { cwd: root, ignore: IGNORED })
  const evals = new Set<Eval>()
  for (const file of files.toSorted())
    for (const value of Object.values(await importFile(path.join(root, file))))
      if (isEval(value)) evals.add(value)
  return [...evals]
}
