import { execa } from 'execa'
import type { Check } from './check.ts'
import { ok, warning } from './check.ts'

/** What must not get into a repository, each with a path by which git can be asked. */
const PRIVATE = { '.agentserver/': '.agentserver/data.db', '.env': '.env' } as const

const NOT_IGNORED = 1

/** Whether git leaves secrets and data alone. Nothing where there is no repository. */
export async function checkGit(root: string): Promise<Check[]> {
  const results = await Promise.all(Object.entries(PRIVATE).map(([name, file]) => ask(root, name, file)))
  const found = results.filter((result) => result !== undefined)
  const open = found.filter(({ ignored }) => !ignored).map(({ name }) => name)
  if (found.length === 0) return []
  if (open.length === 0) return [ok('git', `${Object.keys(PRIVATE).join(' and ')} are ignored`)]
  return open.map((name) =>
    warning('git', `git does not ignore ${name}`, `Add a line "${name}" to .gitignore.`),
  )
}

async function ask(
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
