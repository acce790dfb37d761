import { LIST_PRICES, type ListPrice } from '../../../src/agent/prices/list-prices.ts'
import type { Blocks } from './generated-blocks.ts'
import { code, table } from './markdown.ts'

/** The generated parts of docs/reference/prices.md. */
export function priceBlocks(): Blocks {
  const lists = Object.entries(LIST_PRICES).map(([provider, { source, date, models }]) => {
    const rows = Object.entries(models).map(([id, price]) => [code(`${provider}/${id}`), ...cellsOf(price)])
    return `## ${provider}\n\nAs of ${date}, from <${source}>.\n\n${table(HEAD, rows)}`
  })
  return { prices: lists.join('\n\n') }
}

const HEAD = ['Model', 'Input', 'Cached input', 'Written to the cache', 'Output', 'Long prompts']

function cellsOf({ input, output, cachedInput, cacheWrite, long }: ListPrice): string[] {
  const longer =
    long && `over ${long.over.toLocaleString('en-US')}: input × ${long.input}, output × ${long.output}`
  return [dollars(input), dollars(cachedInput), dollars(cacheWrite), dollars(output), longer ?? '–']
}

function dollars(price: number | undefined): string {
  return price === undefined ? '–' : `$${Number(price.toPrecision(12))}`
}
