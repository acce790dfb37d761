import { expect } from 'vitest'

/** The data of a successful response, whose envelope has no other members than `beside`. */
export async function dataOf<T>(
  sent: Response | Promise<Response>,
  status = 200,
  beside: readonly string[] = [],
): Promise<T> {
  const response = await sent
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${status} `))
  const body = JSON.parse(text) as { success: boolean; data: T }
  expect(Object.keys(body)).toEqual(['success', 'data', ...beside])
  expect(body.success).toBe(true)
  return body.data
}

const FORBIDDEN_IN_REPLIES = /\bat \S+ \(|\.ts:\d|node_modules|hunter2/

/** What development adds to the envelope of a failed execution. */
const OF_FAILURE = ['executionId', 'stepId', 'consoleUrl']

/** The message of an error response, which must be an error envelope, or an error of OpenAI, and nothing else. */
export async function refusalOf(sent: Response | Promise<Response>, status: number): Promise<string> {
  const response = await sent
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(new RegExp(`^${status} `))
  const body = JSON.parse(text) as { success?: boolean; error: string | { message: string } }
  const { error } = body
  const message = typeof error === 'string' ? error : error.message
  if (typeof error === 'string') {
    const beside = response.headers.has('x-execution-id') ? OF_FAILURE : []
    expect(Object.keys(body).filter((name) => !beside.includes(name))).toEqual(['success', 'error'])
    expect(body.success).toBe(false)
  } else
    expect([Object.keys(body), Object.keys(error)]).toEqual([['error'], ['message', 'type', 'param', 'code']])
  expect(message).toMatch(/\S/)
  expect(message).not.toMatch(FORBIDDEN_IN_REPLIES)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  return message
}
