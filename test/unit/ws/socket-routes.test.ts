import { expect, it } from 'vitest'
import { socketRoutes } from '../../../src/ws/socket-routes.ts'

const request = new Request('http://localhost/')
const lobby = () => undefined
const room = () => undefined
const routes = socketRoutes({ '/rooms/lobby': lobby, '/rooms/:room': room, '/a.b': lobby })

it('the first matching path wins', () => {
  expect(routes('/rooms/lobby', request)).toEqual({ handler: lobby, params: {} })
  expect(routes('/rooms/7', request)).toEqual({ handler: room, params: { room: '7' } })
})

it.each(['/rooms', '/rooms/', '/rooms/7/x', '/aXb', '/x/rooms/7'])('no route matches %s', (path) => {
  expect(routes(path, request)).toBeUndefined()
})
