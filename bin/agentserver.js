#!/usr/bin/env node
try {
  await import('../dist/cli/main.js')
} catch (error) {
  if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error
  process.stderr.write(`✗ ${error.message}\nThe limit of open files is reached. Raise it: ulimit -n 8192\n`)
  process.exitCode = 1
}
