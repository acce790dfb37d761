// Copies Swagger UI with its licence files from node_modules to dist/ui, with the icon of the console: `npm run build:ui`.
// What a browser loads is compressed with Brotli, as in the build of the console.
import fs from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

const from = new URL('../node_modules/swagger-ui-dist/', import.meta.url)
const to = new URL('../dist/ui/', import.meta.url)
const write = (name, text) => fs.writeFileSync(new URL(`${name}.br`, to), brotliCompressSync(text))

fs.mkdirSync(to, { recursive: true })
for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
  fs.copyFileSync(new URL(name, from), new URL(name, to))

write('swagger-ui-bundle.js', fs.readFileSync(new URL('swagger-ui-bundle.js', from)))
write('icon.svg', fs.readFileSync(new URL('../src/console/icon.svg', import.meta.url)))

// the source map is not shipped; the Apache License asks for a notice in a changed file
const css = fs.readFileSync(new URL('swagger-ui.css', from), 'utf8')
write(
  'swagger-ui.css',
  css.replace(/\/\*# sourceMappingURL=.*?\*\//, '/* agentserver removed the link to the source map. */'),
)
