import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { Plugin, Rolldown } from 'vite'
import { z } from 'zod'
import { CHANNELS } from '../contract/channels.ts'
import { AgentOptions } from '../contract/endpoints/agent.ts'
import { ENDPOINT_LIST, accessOf } from '../contract/index.ts'
import { answerShape } from './answer-shape.ts'

/** Modules of a few lines: ours, and icons. */
const SMALL = /[\\/]src[\\/]|[\\/]lucide-react[\\/]/

const MIN_SCREENS = 3

/** The screen that is opened first. */
const HOME = fileURLToPath(new URL('screens/home/home-screen.tsx', import.meta.url))

/**
 * Puts the modules of the first load into one chunk, the small ones that the first screen has in common with others
 * into another, and the small ones that three or more screens load into a third: many chunks of some hundred bytes
 * compress badly, and are as many requests. Modules that need a library which is loaded later stay with it.
 */
function sharedChunks(main: string): Rolldown.CodeSplittingOptions {
  const first = new Set<string>()
  const home = new Set<string>()
  const known = new Map<string, boolean>()
  const importsOf = (id: string, context: Rolldown.ChunkingContext) =>
    context.getModuleInfo(id)?.importedIds ?? []
  const add = (all: Set<string>, id: string, context: Rolldown.ChunkingContext) => {
    if (all.has(id)) return
    all.add(id)
    for (const one of importsOf(id, context)) add(all, one, context)
  }
  const isSmall = (id: string, context: Rolldown.ChunkingContext): boolean => {
    const small =
      known.get(id) ??
      (first.has(id) || (SMALL.test(id) && importsOf(id, context).every((one) => isSmall(one, context))))
    known.set(id, small)
    return small
  }
  const firstName = (id: string, context: Rolldown.ChunkingContext) => {
    add(first, main, context)
    return first.has(id) && id !== main ? 'first' : null
  }
  const homeName = (id: string, context: Rolldown.ChunkingContext) => {
    add(home, HOME, context)
    return home.has(id) && id !== HOME && sharedName(id, context) !== null ? 'home' : null
  }
  const sharedName = (id: string, context: Rolldown.ChunkingContext) => {
    add(first, main, context)
    return !first.has(id) && isSmall(id, context) ? 'shared' : null
  }
  return {
    includeDependenciesRecursively: false,
    groups: [
      { name: firstName, debugName: 'first' },
      { name: homeName, debugName: 'home', minShareCount: MIN_SCREENS },
      { name: sharedName, debugName: 'shared', minShareCount: MIN_SCREENS },
    ],
  }
}

const OUTPUT = fileURLToPath(new URL('../../dist/console', import.meta.url))
/** Licences of all packages in the build, with their texts. */
const LICENSES = 'licenses.md'
const NO_LICENSE_FILE = '@cfworker/json-schema'

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Record<string, string>

/** The parts of the endpoint table that the browser needs, without the zod schemas. */
const endpoints = Object.fromEntries(
  ENDPOINT_LIST.filter(([, { group }]) => group !== 'assets').map(([key, endpoint]) => [
    key,
    [endpoint.method, endpoint.path, accessOf(endpoint), endpoint.reply.kind],
  ]),
)
/** What answers may lack while a deploy replaces one machine after the other: those of a server of the release before. */
const shapes = Object.fromEntries(
  ENDPOINT_LIST.flatMap(([key, { reply }]) =>
    reply.kind === 'data' ? [[key, answerShape(reply.schema)]] : [],
  ),
)
const channels = Object.fromEntries(Object.entries(CHANNELS).map(([key, { path: at }]) => [key, at]))

/** Compresses the assets: the server sends them as they are. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    closeBundle() {
      const assets = path.join(OUTPUT, 'assets')
      for (const name of readdirSync(assets).filter((file) => /\.(js|css|svg)$/.test(file))) {
        const file = path.join(assets, name)
        writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)))
        rmSync(file)
      }
    },
  }
}

/** The licence of a package, for the list of licences. */
function licenseOf(name: string, textOf: (folder: string, author: string) => string): string {
  const folder = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url))
  const {
    version,
    license,
    author = '',
  } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, string>
  return `\n## ${name} - ${version} (${license})\n\n${textOf(folder, author)}`
}

/**
 * Adds the licences that Vite does not find: that of Tailwind CSS, whose styles are in the build but in no module that
 * it sees, and that of a package whose archive has no file with it.
 */
function moreLicenses(): Plugin {
  return {
    name: 'more-licenses',
    closeBundle() {
      const file = path.join(OUTPUT, LICENSES)
      const sections = readFileSync(file, 'utf8').split(/^(?=## \S+ - \d)/m)
      const found = sections.filter((section) => !section.startsWith(`## ${NO_LICENSE_FILE} - `))
      const tailwindCss = licenseOf('tailwindcss', (folder) =>
        readFileSync(path.join(folder, 'LICENSE'), 'utf8'),
      )
      const mit = licenseOf(NO_LICENSE_FILE, (_, author) => mitLicense(author))
      writeFileSync(file, [...found, tailwindCss, mit].join(''))
    },
  }
}

const ROOT = fileURLToPath(new URL('.', import.meta.url))
export default defineConfig({
  root: ROOT,
  // relative URLs: the console also works below the prefix of a proxy
  base: './',
  publicDir: false,
  define: {
    ENDPOINT_TABLE: JSON.stringify(endpoints),
    ANSWER_SHAPES: JSON.stringify(shapes),
    CHANNEL_TABLE: JSON.stringify(channels),
    // those that the form has: see its schema
    AGENT_OPTIONS: JSON.stringify(
      z.toJSONSchema(
        AgentOptions.omit({ conversationId: true, toolChoice: true, activeTools: true, pauseAt: true }),
      ),
    ),
    PACKAGE_VERSION: JSON.stringify(version),
  },
  plugins: [react(), tailwind(), compressed(), moreLicenses()],
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: LICENSES },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { output: { codeSplitting: sharedChunks(path.join(ROOT, 'main.tsx')) } },
  },
})

/** The text of the MIT licence, for a package that is published without it. See https://spdx.org/licenses/MIT.html. */
function mitLicense(author: string): string {
  return `MIT License

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
}
