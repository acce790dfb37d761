/** Examples of formats. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  email: 'name@example.com',
  uri: 'https://…',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
}
