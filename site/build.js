// `node site/build.js`: builds the site of this checkout into site/dist. With tags such as v0.1.0, the newest release is
// at the root, each release at its tag, and this checkout in next/. `--list` prints the builds instead.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('.', import.meta.url))
const root = path.join(site, '..')
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })

const tags = git('tag', '--list', 'v*', '--sort=-version:refname')
  .split('\n')
  .filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag))
const builds =
  tags.length === 0
    ? [{ folder: '', ref: 'main' }]
    : [
        { folder: '', ref: tags[0] },
        ...tags.map((tag) => ({ folder: `${tag}/`, ref: tag })),
        { folder: 'next/', ref: 'main' },
      ]

if (process.argv.includes('--list')) {
  for (const { folder, ref } of builds) process.stdout.write(`/${folder} ${ref}\n`)
  process.exit()
}

const out = path.join(site, 'dist')
fs.rmSync(out, { recursive: true, force: true })
// the newest release is listed once, at the root
const versions = builds
  .filter(({ folder, ref }) => tags.length > 0 && (folder === '' || ref !== tags[0]))
  .map(({ folder, ref }) => ({ title: ref === 'main' ? 'next' : ref, folder }))
const checkouts = fs.mkdtempSync(path.join(os.tmpdir(), 'agentserver-site-'))
try {
  for (const { folder, ref } of builds) {
    const env = {
      ...process.env,
      SITE_FOLDER: folder,
      SITE_REF: ref,
      SITE_VERSIONS: JSON.stringify(versions),
    }
    if (ref !== 'main') env.SITE_SOURCE = checkout(ref)
    const vitepress = path.join(site, 'node_modules/vitepress/bin/vitepress.js')
    execFileSync(process.execPath, [vitepress, 'build', site, '--outDir', path.join(out, folder)], {
      env,
      stdio: 'inherit',
    })
  }
} finally {
  fs.rmSync(checkouts, { recursive: true })
  git('worktree', 'prune')
}

/** The files of a tag. */
function checkout(tag) {
  const folder = path.join(checkouts, tag)
  if (!fs.existsSync(folder)) git('worktree', 'add', '--detach', folder, tag)
  return folder
}
