import OpenAI from 'openai'

/** Asks an agent with OpenAI's client. `baseUrl` is that of the server. */
export async function askWithOpenai(baseUrl: string, apiKey: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey })
  const first = await client.responses.create({ model: 'support', input: 'Where is order A-1?' })
  const next = await client.responses.create({
    model: 'support',
    input: 'And order A-2?',
    previous_response_id: first.id,
  })
  return `${first.output_text}\n${next.output_text}`
}
