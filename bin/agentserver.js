#!/usr/bin/env node
import fs from 'node:fs'

try {
  await import('../dist/cli/main.js')
} catch (error) {
  const reason = problem(error)
  if (reason === undefined) throw error
  process.stderr.write(`✗ ${reason}\n`)
  process.exitCode = 1
}

function problem({ code, message }) {
  if (code === 'EMFILE' || code === 'ENFILE')
    return `${message}\nThe limit of open files is reached. Raise it: ulimit -n 8192`
  const isThere = (file) => fs.existsSync(new URL(`../${file}`, import.meta.url))
  // only a clone has sources
  if (code !== 'ERR_MODULE_NOT_FOUND' || !isThere('src/cli/main.ts')) return undefined
  if (!isThere('node_modules')) return 'This clone has no dependencies yet. Run: npm ci && npm run build'
  if (!isThere('dist/cli/main.js')) return 'This clone is not built yet. Run: npm run build'
  return undefined
}
