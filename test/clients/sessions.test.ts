// Connections into pods by @kubernetes/client-node: commands, logs, copies and forwarded ports, which it carries by channels.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { CoreV1Api, Cp, Exec, Log, PortForward, type V1Status, Watch } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientServer, openServer } from './server.ts'

let server: ClientServer
let core: CoreV1Api
const folder = mkdtempSync(join(tmpdir(), 'homeostat-sessions-'))

beforeAll(async () => {
  server = await openServer({ nodes: 1, loops: 'all' })
  core = server.config.makeApiClient(CoreV1Api)
  const phases = new Watch(server.config)
  const running = new Promise<void>((resolve, reject) => {
    const seen = (
      _: string,
      { metadata, status }: { metadata: { name: string }; status?: { phase?: string } },
    ): void => {
      if (metadata.name === 'web' && status?.phase === 'Running') resolve()
    }
    phases.watch('/api/v1/namespaces/shop/pods', {}, seen, reject).catch(reject)
  })
  running.catch(() => undefined)
  await core.createNamespace({ body: { metadata: { name: 'shop' } } })
  const account = { metadata: { name: 'default' } }
  await core.createNamespacedServiceAccount({ namespace: 'shop', body: account }).catch(() => undefined)
  const containers = [{ name: 'main', image: 'nginx:1.29', ports: [{ containerPort: 80 }] }]
  await core.createNamespacedPod({ namespace: 'shop', body: { metadata: { name: 'web' }, spec: { containers } } })
  await running
}, 60_000)
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** A stream that keeps what it is given. */
class Kept extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

describe('client-node', () => {
  it('runs commands, with what they write and how they end', async () => {
    const [out, errors] = [new Kept(), new Kept()]
    const status = await new Promise<V1Status>((resolve, reject) => {
      const command = ['sh', '-c', 'echo out; echo err >&2; exit 3']
      new Exec(server.config).exec('shop', 'web', 'main', command, out, errors, null, false, resolve).catch(reject)
    })
    expect([out.text, errors.text, status.reason]).toEqual(['out\n', 'err\n', 'NonZeroExitCode'])
  })

  it('reads logs', async () => {
    const out = new PassThrough()
    await new Log(server.config).log('shop', 'web', 'main', out, { tailLines: 1 })
    let text = ''
    for await (const part of out) text += String(part)
    expect(text.trimEnd().split('\n')).toHaveLength(1)
  })

  it('copies a folder into a pod', async () => {
    writeFileSync(join(folder, 'note'), 'copied')
    const done = new Promise<void>((resolve, reject) => {
      const exec = new Exec(server.config)
      const { exec: run } = exec
      // The library does not wait for the end of the command.
      exec.exec = (...[namespace, pod, container, command, out, errors, input, tty, ended]) =>
        run.call(exec, namespace, pod, container, command, out, errors, input, tty, (status) => {
          ended?.(status)
          resolve()
        })
      new Cp(server.config, exec).cpToPod('shop', 'web', 'main', folder, '/tmp').catch(reject)
    })
    await done
    const out = new Kept()
    await new Promise((resolve, reject) => {
      const run = new Exec(server.config)
      run.exec('shop', 'web', 'main', ['cat', '/tmp/note'], out, null, null, false, resolve).catch(reject)
    })
    expect(out.text).toBe('copied')
  })

  const forwarded = async (port: number): Promise<{ readonly answer: string; readonly errors: string }> => {
    const errors = new Kept()
    const forward = new PortForward(server.config)
    const open = (socket: Socket): void => {
      forward.portForward('shop', 'web', [port], socket, errors, socket).catch((error: Error) => socket.destroy(error))
    }
    const door = createServer(open)
    const address = await new Promise<string>((resolve) =>
      door.listen(0, '127.0.0.1', () => {
        const at = door.address()
        resolve(`http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}`)
      }),
    )
    const signal = AbortSignal.timeout(5000)
    const answer = await fetch(`${address}/a`, { headers: { connection: 'close' }, signal })
      .then((response) => response.text())
      .catch((error: Error) => {
        if (error.name === 'TimeoutError') return ''
        throw error
      })
    door.close()
    return { answer, errors: errors.text }
  }

  it('forwards ports', async () => {
    const { answer, errors } = await forwarded(80)
    expect([answer.split('\n')[0], errors]).toEqual(['GET /a', ''])
  })

  it.each([
    ['', /query parameter \\?"port\\?" is required/],
    ['?ports=0', /port \\?"0\\?" must be > 0/],
    ['?ports=x', /unable to parse \\?"x\\?" as a port/],
    ['?ports=80&ports=99999', /unable to parse \\?"99999\\?" as a port/],
  ])('is refused ports that are none: %s', async (query, said) => {
    const client = channelsTo(query)
    const refused = await new Promise<string>((resolve, reject) => {
      client.on('open', () => reject(new Error('it was not refused')))
      client.on('error', () => undefined)
      client.on('unexpected-response', (_request, response) => {
        let text = ''
        response.on('data', (part) => {
          text += String(part)
        })
        response.on('end', () => resolve(`${response.statusCode} ${text}`))
      })
    })
    expect(refused).toMatch(said)
    expect(refused).toMatch(/^400 /)
  })

  it('tells each port by its number, and of one where nobody listens why', async () => {
    const client = channelsTo('?ports=80,81')
    const told: Buffer[] = Array.from({ length: 4 }, () => Buffer.alloc(0))
    client.on('open', () => client.send(Buffer.concat([Buffer.of(0), Buffer.from('GET /b HTTP/1.0\r\n\r\n')])))
    client.on('message', (data: Buffer) => {
      const at = data[0] ?? 0
      told[at] = Buffer.concat([told[at] ?? Buffer.alloc(0), data.subarray(1)])
    })
    await new Promise((resolve) => client.on('close', resolve))
    expect(told.map((bytes) => bytes.readUInt16LE(0))).toEqual([80, 80, 81, 81])
    const [data, errors, none, why] = told.map((bytes) => bytes.subarray(2).toString())
    expect(data).toMatch(/^HTTP\/1\.[01] 200 OK[\s\S]+GET \/b/)
    expect([errors, none]).toEqual(['', ''])
    expect(why).toMatch(/^error forwarding port 81 to pod .+connection refused/)
  })

  it('lets no port be held up by what is sent to one where nobody listens', async () => {
    const client = channelsTo('?ports=81,80')
    const [nobody, web] = [0, 2]
    const more = Buffer.concat([Buffer.of(nobody), Buffer.alloc(64 * 1024)])
    client.on('open', () => {
      for (let sent = 0; sent < 4 * 1024 * 1024; sent += more.length) client.send(more)
      client.send(Buffer.concat([Buffer.of(web), Buffer.from('GET /c HTTP/1.0\r\n\r\n')]))
    })
    let said = ''
    client.on('message', (data: Buffer) => {
      if (data[0] === web) said += data.subarray(1).toString()
    })
    await new Promise((resolve) => client.on('close', resolve))
    expect(said).toContain('GET /c')
  })
})

const bearer = (): string => `Bearer ${server.config.getCurrentUser()?.token}`

/** Ports of the pod `web`, forwarded by channels. */
function channelsTo(query: string): WebSocket {
  const cluster = server.config.getCurrentCluster()
  const options = { ca: Buffer.from(cluster?.caData ?? '', 'base64'), headers: { authorization: bearer() } }
  const url = `${cluster?.server.replace('https', 'wss')}/api/v1/namespaces/shop/pods/web/portforward${query}`
  return new WebSocket(url, 'v4.channel.k8s.io', options)
}
