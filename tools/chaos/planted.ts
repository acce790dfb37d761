import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { REPOSITORY } from '../bench/project.ts'
import { chaos } from './chaos.ts'
import { drawPlan } from './plan.ts'

const FOLDER = path.join(import.meta.dirname, 'planted')

/** Rounds after which is looked for violations. */
const ROUNDS = 5
const MAX_ROUNDS = 100

/** What the code of the server needs; what is built of it is built again with the fault. */
const COPIED = ['bin', 'dist', 'package.json', 'scripts', 'src']

/** The names of the faults that can be planted: each is a patch of the engine. */
export function plantedFaults(): string[] {
  return readdirSync(FOLDER).map((file) => path.basename(file, '.patch'))
}

export interface FoundFault {
  /** The number of rounds after which it was found; `undefined` when it was not. */
  readonly rounds: number | undefined
  /** What was found. */
  readonly violations: readonly string[]
}

/** Plants a fault into a copy of this checkout, and plays rounds of successive seeds until it is found. */
export async function findFault(name: string): Promise<FoundFault> {
  const repository = mkdtempSync(path.join(tmpdir(), 'agentserver-planted-'))
  try {
    plant(name, repository)
    for (let seed = 1; seed * ROUNDS <= MAX_ROUNDS; seed++) {
      const { violations, ended, kept } = await chaos({ plan: drawPlan(seed, ROUNDS, 'mixed'), repository })
      if (kept !== undefined) rmSync(kept, { recursive: true })
      // a server that does not even run proves nothing
      if (violations.length > ended.length) return { rounds: seed * ROUNDS, violations }
    }
    return { rounds: undefined, violations: [] }
  } finally {
    rmSync(repository, { recursive: true })
  }
}

/** Builds a copy of this checkout with the fault. */
function plant(name: string, repository: string): void {
  for (const part of COPIED)
    cpSync(path.join(REPOSITORY, part), path.join(repository, part), { recursive: true })
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(repository, 'node_modules'))
  run('git', ['apply', path.join(FOLDER, `${name}.patch`)], repository)
  const vite = path.join(REPOSITORY, 'node_modules/vite/bin/vite.js')
  run(
    process.execPath,
    [vite, 'build', '--config', 'scripts/vite.config.ts', '--logLevel', 'error'],
    repository,
  )
}

function run(command: string, args: readonly string[], cwd: string): void {
  // not a part of a checkout that is around it
  execFileSync(command, args, { cwd, env: { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(cwd) } })
}
