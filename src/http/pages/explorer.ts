import type { Document } from '../reply/reply.ts'

/** Swagger UI sets inline styles. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agentserver API</title>
<link rel="icon" href="ui/icon.svg">
<link rel="stylesheet" href="ui/swagger-ui.css">
</head>
<body>
<div id="explorer"></div>
<script src="ui/swagger-ui-bundle.js"></script>
<script src="ui/init.js"></script>
</body>
</html>
`

const INIT = `SwaggerUIBundle({
  url: new URL('doc' + location.search, new URL('.', location.href)).href,
  dom_id: '#explorer',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

interface Asset {
  /** The content as text, or the URL of the file. */
  readonly source: string | URL
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
}

const CACHED = { 'Cache-Control': 'public, max-age=3600' }
/** Files that the build copies. */
const bundled = (name: string) => new URL(`../../ui/${name}`, import.meta.url)

const ASSETS = new Map<string, Asset>([
  ['init.js', { source: INIT, type: 'text/javascript; charset=utf-8', headers: {} }],
  ['icon.svg', { source: bundled('icon.svg'), type: 'image/svg+xml', headers: CACHED }],
  ['swagger-ui.css', { source: bundled('swagger-ui.css'), type: 'text/css; charset=utf-8', headers: CACHED }],
  [
    'swagger-ui-bundle.js',
    { source: bundled('swagger-ui-bundle.js'), type: 'text/javascript; charset=utf-8', headers: CACHED },
  ],
])

/** The page of the API explorer. It loads nothing from other hosts. */
export function explorerPage(): Document {
  return { body: PAGE, type: 'text/html; charset=utf-8', headers: { 'Content-Security-Policy': CSP } }
}

export function explorerAsset(name: string): Asset | undefined {
  return ASSETS.get(name)
}
