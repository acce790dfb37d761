import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ReplySchemas } from './reply-schema.ts'
import type { ApiDescription } from './reply-schema.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
let text = ''
let description: ApiDescription

beforeAll(async () => {
  text = await (await server.request('/doc')).text()
  description = JSON.parse(text) as ApiDescription
})
afterAll(() => server.close())

/** Members that may be any JSON, because user code defines them. */
const ANY_JSON = ['cause', 'data', 'expected', 'input', 'object', 'output', 'result', 'resumeData', 'state']

interface Place {
  readonly path: readonly string[]
  readonly value: object
}

function placesIn(value: unknown, path: readonly string[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return [
    { path, value },
    ...Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key])),
  ]
}

describe('the API description', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>)
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    expect(description.openapi).toMatch(/^3\.1\.\d$/)
  })

  it('describes its tags, and says how it describes event streams', () => {
    expect(description).toMatchObject({
      info: { description: expect.stringContaining('text/event-stream') as string },
    })
    const { tags } = JSON.parse(text) as { tags: { name: string; description?: string }[] }
    const used = Object.values(description.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ tags: [tag] }) => tag),
    )
    expect(new Set(tags.map(({ name }) => name))).toEqual(new Set(used))
    for (const tag of tags) expect(tag.description).toMatch(/\w{3}/)
  })

  it('stays below 320 kB', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(320_000)
  })

  it('contains only valid JSON Schema 2020-12', () => {
    const schemas = new ReplySchemas(description)
    const found = placesIn(description).filter(({ path }) => path.at(-1) === 'schema')
    expect(found.length).toBeGreaterThan(50)
    for (const { value } of found) expect(() => schemas.compile(value)).not.toThrow()
    for (const schema of Object.values(description.components.schemas))
      expect(() => schemas.compile(schema)).not.toThrow()
  })

  it('has no missing and no unused component', () => {
    const references = placesIn(description).flatMap(({ value }) =>
      '$ref' in value ? [String(value.$ref)] : [],
    )
    expect(description.components).toMatchObject({ securitySchemes: {} })
    const components = Object.entries(description.components).flatMap(([kind, members]) =>
      Object.keys(members).map((name) => `#/components/${kind}/${name}`),
    )
    expect(references.filter((reference) => !components.includes(reference))).toEqual([])
    expect(components.filter((component) => !references.includes(component))).toEqual([])
  })

  it('leaves only the JSON of user code unspecified', () => {
    const open = placesIn(description)
      .filter(
        ({ path, value }) =>
          path.at(-2) === 'properties' && Object.keys(value).every((key) => key === 'description'),
      )
      .map(({ path }) => path.at(-1))
    expect(new Set(open)).toEqual(new Set(ANY_JSON))
    const lists = placesIn(description).filter(
      ({ value }) => 'type' in value && value.type === 'array' && !('items' in value),
    )
    expect(lists).toEqual([])
  })

  it('has unique operation ids and an access class for each operation', () => {
    const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods))
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const operation of operations) {
      expect(operation).toMatchObject({
        'x-access': expect.stringMatching(/^(?:public|console|user)$/) as string,
      })
      expect(operation).toHaveProperty('security')
    }
  })

  it('discloses nothing about the machine, the environment or the project', () => {
    const secrets = Object.entries(process.env).flatMap(([name, value = '']) =>
      /KEY|TOKEN|SECRET|PASSWORD|^HOME$/.test(name) && value.length > 3 ? [value] : [],
    )
    for (const secret of [...secrets, process.cwd()]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/"order"|"hold"|hunter2|file:\/\/|localhost/)
  })

  it('does not depend on the declared agents and workflows', async () => {
    const bare = new TestServer({ workflows: [] })
    expect(await (await bare.request('/doc')).text()).toBe(text)
    await bare.close()
  })
})
