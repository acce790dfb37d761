// Makes `npx agentserver` run this clone, in it and in its templates and examples. Not a `prepare` script: the published
// package.json would contain it, and package managers run that of a linked package.
import fs from 'node:fs'

const link = new URL('../node_modules/.bin/agentserver', import.meta.url)

try {
  fs.symlinkSync('../../bin/agentserver.js', link)
} catch (error) {
  // Windows needs rights for symbolic links
  if (error.code !== 'EEXIST' && process.platform !== 'win32') throw error
}
