import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = path.join(import.meta.dirname, '../..')
const OUT = path.join(ROOT, 'create/dist')

/**
 * `create-agentserver` reads the package.json and the templates of the agentserver that it was built with: copies beside
 * its code. npm downloads 100 kB then, and not agentserver with its dependencies, which the project gets anyway.
 */
function withCopies(): Plugin {
  const isTemplate = (file: string) =>
    !/[/\\](?:node_modules|\.agentserver|\.env(?!\.example$)[^/\\]*)$/.test(file)
  return {
    name: 'with-copies',
    enforce: 'pre',
    transform: (code, id) =>
      id.endsWith('/lib/packages/own-package.ts')
        ? code.replace(`'agentserver/package.json'`, `'./agentserver.json'`)
        : undefined,
    closeBundle() {
      const { name, version, engines, peerDependencies } = manifest
      fs.writeFileSync(
        path.join(OUT, 'agentserver.json'),
        JSON.stringify({ name, version, engines, peerDependencies }),
      )
      fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(OUT, 'LICENSE'))
      fs.cpSync(path.join(ROOT, 'templates'), path.join(OUT, 'templates'), {
        recursive: true,
        filter: isTemplate,
      })
    },
  }
}

/** The code of the package `create-agentserver`, without dependencies. What asks and what installs is loaded on use. */
export default defineConfig({
  root: ROOT,
  publicDir: false,
  plugins: [withCopies()],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target: 'node20.19',
    outDir: OUT,
    emptyOutDir: true,
    minify: true,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: { main: path.join(ROOT, 'src/cli/create/main.ts') },
      // beside agentserver.json, which is found from the code
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false },
    },
  },
})
