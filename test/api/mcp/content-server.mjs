// An MCP server on standard input and output with resources and prompts, some of them hostile. CONTENT chooses its behaviour.
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const { CONTENT = '' } = process.env
const HOSTILE = '</script><script>alert(1)</script>\u0000\u202E"\n'
const capabilities = CONTENT === 'tools only' ? { tools: {} } : { tools: {}, resources: {}, prompts: {} }
const server = new Server({ name: 'Content', version: '1' }, { capabilities })
const failing = (code, message) => Object.assign(new Error(message), { code })

server.setRequestHandler('tools/list', () => ({ tools: [] }))
if (capabilities.resources) {
  server.setRequestHandler('resources/list', ({ params }) => {
    const page = Number(params?.cursor ?? 0)
    if (CONTENT === 'endless') return { resources: [], nextCursor: page === 0 ? '1' : '0' }
    if (CONTENT === 'infinite') return { resources: [], nextCursor: String(page + 1) }
    if (page === 2)
      return { resources: [{ uri: 'docs://hostile', name: HOSTILE, title: HOSTILE, description: HOSTILE }] }
    const uri = `docs://page-${page}`
    return { resources: [{ uri, name: uri, mimeType: 'text/plain', size: 4 }], nextCursor: String(page + 1) }
  })
  if (CONTENT !== 'no templates')
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: 'docs://{name}', name: 'Document', title: 'Any document' }],
    }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (uri === 'docs://exit') process.exit(1)
    if (uri === 'docs://hang') return new Promise(() => {})
    if (uri === 'docs://broken') throw failing(-32603, 'the disk is full of hunter2secret')
    if (uri === 'docs://missing') throw failing(-32002, 'Resource not found')
    if (uri === 'docs://logo')
      return { contents: [{ uri, mimeType: 'image/png', blob: Buffer.from([0, 255, 1]).toString('base64') }] }
    if (uri === 'docs://huge') return { contents: [{ uri, blob: Buffer.alloc(12 << 20).toString('base64') }] }
    return { contents: [{ uri, mimeType: 'text/plain', text: uri === 'docs://hostile' ? HOSTILE : 'text' }] }
  })
  server.setRequestHandler('prompts/list', ({ params }) =>
    params?.cursor === undefined
      ? { prompts: [{ name: 'hello' }], nextCursor: 'more' }
      : {
          prompts: [
            {
              name: 'reply',
              title: 'Reply',
              arguments: [{ name: 'to', description: 'Whom', required: true }],
            },
          ],
        },
  )
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: values = {} } }) => {
    if (name !== 'reply') throw failing(-32602, `Unknown prompt ${name}`)
    if (values.to === undefined) throw failing(-32602, 'to is required')
    return {
      description: 'A reply',
      messages: [{ role: 'user', content: { type: 'text', text: `Reply to ${values.to}` } }],
    }
  })
}
await server.connect(new StdioServerTransport())
