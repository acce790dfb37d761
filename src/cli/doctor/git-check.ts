import { execa } from 'execa'
import type { Check } from './check.ts'
import { ok, warning } from './check.ts'

/** Entries that .gitignore should have, each with a path to test. */
const PRIVATE = { '.agentserver/': '.agentserver/data.db', '.env': '.env' } as const

const NOT_IGNORED = 1

/** Checks that git ignores secrets and data. Returns no checks outside a repository. */
export async function checkGit(root: string): Promise<Check[]> {
  const results = await Promise.all(
    Object.entries(PRIVATE).map(([name, file]) => isIgnored(root, name, file)),
  )
  const found = results.filter((result) => result !== undefined)
  const tracked = found.filter(({ ignored }) => !ignored).map(({ name }) => name)
  if (found.length === 0) return []
  if (tracked.length === 0) return [ok('git', `${Object.keys(PRIVATE).join(' and ')} are ignored`)]
  return tracked.map((name) => warning('git', `git does not ignore ${name}`, `Add "${name}" to .gitignore.`))
}

async function isIgnored(
  root: string,
  name: string,
  file: string,
): Promise<{ name: string; ignored: boolean } | undefined> {
  const { exitCode } = await execa('git', ['check-ignore', '--quiet', '--', file], {
    cwd: root,
    reject: false,
  })
  if (exitCode !== 0 && exitCode !== NOT_IGNORED) return undefined
  return { name, ignored: exitCode === 0 }
}
