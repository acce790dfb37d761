/** Whether the client asked for Server-Sent Events, where an endpoint also has JSON. */
export function acceptsEvents(headers: Headers): boolean {
  return (headers.get('accept') ?? '').toLowerCase().includes('text/event-stream')
}
