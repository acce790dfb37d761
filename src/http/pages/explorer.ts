import path from 'node:path'
import { HOME } from '../../lib/packages/own-package.ts'
import type { Document } from '../reply/reply.ts'
import { BuiltFiles, codingHeader } from './built-files.ts'

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

const CACHED = { 'Cache-Control': 'public, max-age=3600', Vary: 'Accept-Encoding' }

/** Swagger UI, as the build copied it. */
const files = new BuiltFiles(path.join(HOME, 'dist/ui'))

/** The page of the API explorer. It loads nothing from other hosts. */
export function explorerPage(): Document {
  return { body: PAGE, type: 'text/html; charset=utf-8', headers: { 'Content-Security-Policy': CSP } }
}

/** A file that the page loads. `accepted` are the content codings of the client. */
export async function explorerAsset(name: string, accepted: string): Promise<Document | undefined> {
  if (name === 'init.js') return { body: INIT, type: 'text/javascript; charset=utf-8' }
  const file = await files.file(name, accepted)
  return file && { body: file.body, type: file.type, headers: { ...CACHED, ...codingHeader(file) } }
}
