import { expect, it } from 'vitest'
import type { Container, PodSpec, ResourceRequirements } from '../generated/types.ts'
import { qosClassOf } from './qos.ts'

const pod = (...all: readonly ResourceRequirements[]): PodSpec => ({
  containers: all.map((resources, i): Container => ({ name: `c${i}`, image: 'app', resources })),
})
const both = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } }

it.each<[string, PodSpec, string]>([
  ['nothing', pod({}), 'BestEffort'],
  ['zero', pod({ requests: { cpu: '0' } }), 'BestEffort'],
  ['other resources only', pod({ limits: { 'example.com/gpu': '1' } }), 'BestEffort'],
  ['a request', pod({ requests: { cpu: '1' } }), 'Burstable'],
  ['limits of one resource', pod({ limits: { cpu: '1' }, requests: { cpu: '1' } }), 'Burstable'],
  ['limits above requests', pod({ ...both, requests: { cpu: '500m', memory: '1Gi' } }), 'Burstable'],
  ['limits that are the requests', pod(both), 'Guaranteed'],
  ['the same of all containers', pod(both, both), 'Guaranteed'],
  ['one container without', pod(both, {}), 'Burstable'],
  ['the pod as a whole', { ...pod({}), resources: both }, 'Guaranteed'],
])('asks for %s', (_what, spec, expected) => {
  expect(qosClassOf(spec)).toBe(expected)
})
