// Copies Swagger UI with its licence files from node_modules to dist/ui, with the icon of the console: `npm run build:ui`.
import fs from 'node:fs'

const from = new URL('../node_modules/swagger-ui-dist/', import.meta.url)
const to = new URL('../dist/ui/', import.meta.url)

fs.mkdirSync(to, { recursive: true })
for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'])
  fs.copyFileSync(new URL(name, from), new URL(name, to))

fs.copyFileSync(new URL('../src/console/icon.svg', import.meta.url), new URL('icon.svg', to))

// the source map is not shipped; the Apache License asks for a notice in a changed file
const css = fs.readFileSync(new URL('swagger-ui.css', from), 'utf8')
const changed = css.replace(
  /\/\*# sourceMappingURL=.*?\*\//,
  '/* agentserver removed the link to the source map. */',
)
fs.writeFileSync(new URL('swagger-ui.css', to), changed)
