import { defineConfig } from 'agentserver'
import { HTTPException } from 'hono/http-exception'

const notes = new Map<string, string>()

export default defineConfig({
  configureApp: (app) => {
    app.use('/notes/*', async (c, next) => {
      await next()
      c.header('Cache-Control', 'no-store')
    })

    app.get('/notes/:id', (c) => {
      const note = notes.get(c.req.param('id'))
      if (note === undefined) throw new HTTPException(404, { message: 'No such note' })
      return c.json({ note, reader: c.get('user')?.id ?? null })
    })

    app.put('/notes/:id', async (c) => {
      notes.set(c.req.param('id'), await c.req.text())
      return c.body(null, 204)
    })
  },
})
