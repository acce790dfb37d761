import { agents } from '../../../agents.js'

function handle(request) {
  const url = new URL(request.url)
  url.pathname = url.pathname.slice('/agents'.length)
  return agents.fetch(new Request(url, request))
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
}
