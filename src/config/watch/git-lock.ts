import fs from 'node:fs'
import path from 'node:path'

/** Returns a function that checks whether git is writing to the working tree of `directory`. */
export function gitLockOf(directory: string): () => boolean {
  const gitDirectory = findGitDirectory(directory)
  if (gitDirectory === undefined) return () => false
  const lock = path.join(gitDirectory, 'index.lock')
  return () => fs.existsSync(lock)
}

function findGitDirectory(directory: string): string | undefined {
  const candidate = path.join(directory, '.git')
  const stats = fs.statSync(candidate, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return candidate
  // a worktree or submodule has a file that names the directory
  if (stats?.isFile() === true) {
    const target = /^gitdir: (.+)$/m.exec(fs.readFileSync(candidate, 'utf8'))?.[1]
    return target === undefined ? undefined : path.resolve(directory, target.trim())
  }
  const parent = path.dirname(directory)
  return parent === directory ? undefined : findGitDirectory(parent)
}
