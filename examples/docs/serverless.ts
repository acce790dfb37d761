import { createClient } from 'agentserver/client'

const client = createClient({
  baseUrl: process.env['AGENTSERVER_URL'] ?? 'http://127.0.0.1:3141',
  token: process.env['AGENTSERVER_TOKEN'],
})

/** A function of the platform: starts a workflow, and returns before it ends. */
export async function POST(request: Request): Promise<Response> {
  const started = await client.workflow('expense').start(await request.json())
  return Response.json({ executionId: started.id }, { status: 202 })
}
