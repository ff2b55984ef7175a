import { describe, expect, it } from 'vitest'
import type { Pod, Probe } from '#kinds'
import type { ContainerRecord } from '../containers/containers.ts'
import type { ProbeSegment } from '../workload/workload.ts'
import { probeWords, type Question } from './probe-words.ts'

const spec: Pod['spec'] = {
  containers: [{ name: 'app', image: 'i', ports: [{ name: 'web', containerPort: 8080 }] }],
}

/** As much of a pod's machine as words are made of. */
const run = {
  pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec },
  sandbox: { ready: true, ip: '10.244.0.9', attempt: 0, createdAt: 0 },
  around: { random: { hex: (length: number) => 'a'.repeat(length) } },
} as unknown as Question['run']

const record = { name: 'app' } as ContainerRecord

const words = (probe: Probe, segment: Omit<ProbeSegment, 'fromSeconds'>): string =>
  probeWords({ fromSeconds: 0, ...segment }, { run, record, kind: 'readiness', probe })

const http: Probe = { httpGet: { path: '/ready', port: 'web' } }
const tcp: Probe = { tcpSocket: { port: 5432 } }
const grpc: Probe = { grpc: { port: 9000 }, timeoutSeconds: 2 }
const exec: Probe = { exec: { command: ['cat', '/tmp/x'] } }
const refused = { kind: 'connection-refused' }

describe('probeWords', () => {
  it.each<[string, Probe, Omit<ProbeSegment, 'fromSeconds'>, string]>([
    [
      'a status',
      http,
      { result: 'failure', cause: { kind: 'http-status', httpStatus: 404 } },
      'HTTP probe failed with statuscode: 404',
    ],
    ['no cause', http, { result: 'failure' }, 'HTTP probe failed with statuscode: 500'],
    [
      'nobody listens',
      http,
      { result: 'failure', cause: refused },
      'Get "http://10.244.0.9:8080/ready": dial tcp 10.244.0.9:8080: connect: connection refused',
    ],
    [
      'no answer',
      { httpGet: { port: 443, scheme: 'HTTPS', host: 'example.com' } },
      { result: 'timeout' },
      'Get "https://example.com:443/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    ],
    [
      'a redirect',
      http,
      { result: 'success', cause: { kind: 'http-status', httpStatus: 302, body: 'moved' } },
      'Probe terminated redirects, Response body: moved',
    ],
    ['a port', tcp, { result: 'failure', cause: refused }, 'dial tcp 10.244.0.9:5432: connect: connection refused'],
    ['a port that drops', tcp, { result: 'timeout' }, 'dial tcp 10.244.0.9:5432: i/o timeout'],
    [
      'no gRPC server',
      grpc,
      { result: 'failure', cause: refused },
      'timeout: failed to connect service "10.244.0.9:9000" within 2s: context deadline exceeded',
    ],
    ['a slow gRPC server', grpc, { result: 'timeout' }, 'timeout: health rpc did not complete within 2s'],
    ['an unhealthy one', grpc, { result: 'failure' }, 'service unhealthy (responded with "NOT_SERVING")'],
    ['a silent command', exec, { result: 'failure', output: '' }, ''],
    ['a slow command', exec, { result: 'timeout' }, 'command timed out: "cat /tmp/x" timed out after 1s'],
    [
      'words of its own',
      http,
      { result: 'failure', output: 'Get "http://<podIP>/": EOF' },
      'Get "http://10.244.0.9/": EOF',
    ],
  ])('%s', (_name, probe, segment, expected) => {
    expect(words(probe, segment)).toBe(expected)
  })

  it('say which command could not be started', () => {
    expect(words(exec, { result: 'error' })).toBe(
      `rpc error: code = Unknown desc = failed to exec in container: failed to start exec "${'a'.repeat(64)}": OCI runtime ` +
        'exec failed: exec failed: unable to start container process: exec: "cat": executable file not found in $PATH: unknown',
    )
  })
})
