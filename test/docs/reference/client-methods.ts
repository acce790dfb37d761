import { clientMethod, endpointsOf } from './api-description.ts'
import type { ApiDescription, Endpoint } from './api-description.ts'
import type { Blocks } from './generated-blocks.ts'
import { code, table } from './markdown.ts'

/** The generated parts of docs/reference/client.md. */
export function clientBlocks(description: ApiDescription): Blocks {
  return {
    methods: table(
      ['Method', 'Endpoint', 'Argument', 'Returns'],
      endpointsOf(description).map((endpoint) => [
        code(clientMethod(endpoint)),
        code(endpoint.route),
        argument(endpoint),
        returned(endpoint),
      ]),
    ),
  }
}

function argument({ operationId, parameters = [], requestBody }: Endpoint): string {
  const has = (place: string) => parameters.some((parameter) => parameter.in === place)
  const requires = (place: string) => parameters.some((each) => each.in === place && each.required)
  const members = [
    ...(has('path') && operationId !== 'getConsole' ? ['params'] : []),
    ...(has('query') ? [requires('query') ? 'query' : 'query?'] : []),
    ...(has('header') ? ['headers?'] : []),
    ...(requestBody ? [requestBody.required ? 'body' : 'body?'] : []),
  ]
  return members.length === 0 ? '–' : code(`{ ${members.join(', ')} }`)
}

function returned({ responses }: Endpoint): string {
  const content = responses['200']?.content ?? {}
  const types = Object.keys(content)
  if (types.length === 1 && types[0] === 'text/event-stream') return 'async iterable of events'
  if (content['application/json']?.schema?.properties?.['data']) return 'promise of `data`'
  return 'promise of the text'
}
