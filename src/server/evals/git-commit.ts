import fs from 'node:fs'
import path from 'node:path'

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** The commit that is checked out in the git repository of a directory; null where there is none that can be read. */
export function gitCommit(directory: string): string | null {
  const git = path.join(directory, '.git')
  if (!fs.existsSync(git)) {
    const parent = path.dirname(directory)
    return parent === directory ? null : gitCommit(parent)
  }
  const head = read(path.join(git, 'HEAD'))
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1]
  const hash = ref === undefined ? head : read(path.join(git, ref)) || packed(git, ref)
  return HASH.test(hash) ? hash : null
}

function packed(git: string, ref: string): string {
  const line = read(path.join(git, 'packed-refs'))
    .split('\n')
    .find((one) => one.endsWith(` ${ref}`))
  return line?.split(' ')[0] ?? ''
}

/** Empty for a file that can't be read, such as in a worktree, whose `.git` is a file. */
function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
