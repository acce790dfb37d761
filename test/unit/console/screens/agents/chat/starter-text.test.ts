import { expect, it } from 'vitest'
import { starterText } from '../../../../../../src/console/screens/agents/chat/starter-text.ts'

it.each([
  ['lookup', 'Looks up an order', 'Look up an order'],
  ['refund', 'Refunds an order.', 'Refund an order'],
  [
    'weather',
    'Get the current weather for a location. Use metric units.',
    'Show me the current weather for a location',
  ],
  ['weather', 'Returns the weather of a city', 'Show me the weather of a city'],
  ['status', 'Status of an order', 'Show me the status of an order'],
  ['news', 'News for a topic', 'Show me the news for a topic'],
  ['search', 'Searches documents by words; at most 20', 'Search documents by words'],
  ['query', 'Queries the database', 'Query the database'],
  ['book', 'Books a table', 'Book a table'],
  ['send', 'Use this tool to send an email to a customer', 'Send an email to a customer'],
  ['frob', 'Frobs the widget', 'Frob the widget'],
  ['usd', 'USD exchange rate', 'Show me the USD exchange rate'],
  ['lookupOrder', '', 'Lookup order'],
  ['cancel_sub-scription2', '🚀'.repeat(3), 'Cancel sub scription2'],
  ['list', `Lists ${'very '.repeat(40)}long things`, 'List'],
  ['two\nlines', 'Sends a text\nto somebody', 'Send a text'],
  ['', '', undefined],
  ['___', '', undefined],
])('a tool %j with the description %j is asked for with %j', (name, description, text) => {
  expect(starterText({ name, description })).toBe(text)
})
