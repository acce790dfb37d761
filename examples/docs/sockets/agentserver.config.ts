import { defineConfig, type SocketHandler } from 'agentserver'

/** The sockets in each room. */
const rooms = new Map<string, Set<Parameters<SocketHandler>[0]>>()

/** Sends every message to all clients in the same room. */
const joinRoom: SocketHandler = (socket, { user, params }) => {
  const { room = '' } = params
  const members = rooms.get(room) ?? new Set()
  rooms.set(room, members.add(socket))
  socket.on('message', (data: Buffer) => {
    const text = JSON.stringify({ from: user?.id ?? 'guest', text: data.toString() })
    for (const member of members) member.send(text)
  })
  socket.on('close', () => members.delete(socket))
}

export default defineConfig({ webSockets: { '/rooms/:room': joinRoom } })
