// An OCI registry for tests that holds one packed chart, behind TLS and a password.

import { createHash } from 'node:crypto'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface RegistryOptions {
  readonly tls: ServerOptions
  /** `user:password` that must be shown. */
  readonly login: string
  /** As it is called there: `charts/web`. */
  readonly name: string
  readonly version: string
  /** The packed chart, and what its Chart.yaml says. */
  readonly chart: Buffer
  readonly about: object
}

export interface RegistryServer {
  /** Host and port. */
  readonly host: string
  close(): Promise<void>
}

export async function startRegistry(options: RegistryOptions): Promise<RegistryServer> {
  const blob = (bytes: Buffer) => ({ bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` })
  const chart = blob(options.chart)
  const config = blob(Buffer.from(JSON.stringify(options.about)))
  const part = (kind: string, { bytes, digest }: ReturnType<typeof blob>) => ({
    mediaType: `application/vnd.cncf.helm.${kind}`,
    digest,
    size: bytes.length,
  })
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const parts = { config: part('config.v1+json', config), layers: [part('chart.content.v1.tar+gzip', chart)] }
  const manifest = blob(Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...parts })))
  const base = `/v2/${options.name}`
  const routes: Readonly<Record<string, { readonly type: string; readonly bytes: Buffer; readonly digest?: string }>> =
    {
      [`${base}/tags/list`]: {
        type: 'application/json',
        bytes: Buffer.from(JSON.stringify({ name: options.name, tags: [options.version] })),
      },
      [`${base}/manifests/${options.version}`]: { type: mediaType, ...manifest },
      [`${base}/manifests/${manifest.digest}`]: { type: mediaType, ...manifest },
      [`${base}/blobs/${chart.digest}`]: { type: 'application/octet-stream', ...chart },
      [`${base}/blobs/${config.digest}`]: { type: 'application/octet-stream', ...config },
    }
  const server = createServer(options.tls, ({ url = '', method, headers }, response) => {
    if (headers.authorization !== `Basic ${Buffer.from(options.login).toString('base64')}`)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="registry"' }).end()
    const found = routes[url.split('?')[0] ?? '']
    if (found === undefined) return response.writeHead(404).end()
    const { type, bytes, digest } = found
    response.writeHead(200, {
      'content-type': type,
      'content-length': bytes.length,
      ...(digest === undefined ? {} : { 'docker-content-digest': digest }),
    })
    return response.end(method === 'HEAD' ? undefined : bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
